using System.Security.Cryptography;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace DocumentStore;

/// <summary>
/// What a collection is told about its documents. It is kept in the log, as the document of the empty key, and may change: the indexes are
/// then built again of the documents. Threads: immutable.
/// </summary>
public sealed record Definition
{
    // A path is part of a name in the statistics, which have 256 bytes for it. For each path each level of a document takes some stack.
    private const int MostPath = 240, MostPaths = 1000;

    // Part of the name of the indexes: others that read documents otherwise have other files.
    private const byte FormOfIndexes = 2;
    /// <summary>Paths of fields whose values are kept in order, such as <c>customer.name</c> or <c>total</c>.</summary>
    public string[] Indexes { get; init; } = [];

    /// <summary>Paths of fields by whose values people count and filter.</summary>
    public string[] Facets { get; init; } = [];

    /// <summary>Documents are protobuf messages of this type of the <see cref="Schema"/>; JSON where it is null.</summary>
    public string? MessageType { get; init; }

    /// <summary>The schema of protobuf documents, as <c>protoc --descriptor_set_out --include_imports</c> writes it.</summary>
    public byte[]? Schema { get; init; }

    /// <summary>Each path once: those of the indexes come first.</summary>
    internal string[] Paths => [.. Indexes.Union(Facets)];

    /// <summary>The file of the indexes. Its name follows from the definition, which may move in the log.</summary>
    internal string IndexName => $"index-{Convert.ToHexString(SHA256.HashData([FormOfIndexes, .. ToJson()]).AsSpan(0, 8))}";

    /// <exception cref="ArgumentException">There are no such paths, or the schema has no such fields.</exception>
    internal void Check()
    {
        if (Paths.Length > MostPaths) throw new ArgumentException($"A definition has at most {MostPaths} paths.");
        foreach (string path in Paths)
            if (Batch.Encode(path).Length is 0 or > MostPath)
                throw new ArgumentException($"A path has from 1 to {MostPath} bytes: {path}");
        _ = new FieldReader(this);
    }

    internal byte[] ToJson() => JsonSerializer.SerializeToUtf8Bytes(this, DefinitionJson.Default.Definition);

    internal static Definition FromJson(ReadOnlySpan<byte> json) => JsonSerializer.Deserialize(json, DefinitionJson.Default.Definition)!;
}

[JsonSerializable(typeof(Definition))]
internal sealed partial class DefinitionJson : JsonSerializerContext;
