using System.Text.Json;
using System.Text.Json.Serialization;

namespace DocumentStore;

/// <summary>
/// What a collection is told about its documents. It is kept in the log, as the document of the empty key, and may change: the indexes are
/// then built again of the documents. Threads: immutable.
/// </summary>
public sealed record Definition
{
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

    internal byte[] ToJson() => JsonSerializer.SerializeToUtf8Bytes(this, DefinitionJson.Default.Definition);

    internal static Definition FromJson(ReadOnlySpan<byte> json) => JsonSerializer.Deserialize(json, DefinitionJson.Default.Definition)!;
}

[JsonSerializable(typeof(Definition))]
internal sealed partial class DefinitionJson : JsonSerializerContext;
