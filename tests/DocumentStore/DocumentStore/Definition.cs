using System.Text.Json;
using MemPrims;
using MemPrims.Wire;

namespace DocumentStore;

/// <summary>
/// What a collection is told about its documents. It is kept in the collection's folder, and may change: the indexes are then built again
/// from the documents. Threads: immutable.
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
    internal string[] Paths => [.. Indexes.Concat(Facets).Distinct()];

    /// <summary>Tells one definition from another.</summary>
    internal string Stamp => Checksum.Crc32C(Json()).ToString("X8");

    /// <summary>Reads the values of the <see cref="Paths"/> out of documents.</summary>
    /// <exception cref="ArgumentException">The schema has no such type, or the type no such field.</exception>
    internal IFieldReader Reader() => MessageType is null
        ? new JsonFields(Paths)
        : new ProtobufFields(MessageSchema.Load(Schema ?? throw new ArgumentException("Protobuf documents need a Schema."))[MessageType],
            Paths);

    internal static Definition? Load(string folder) =>
        File.Exists(PathIn(folder)) ? JsonSerializer.Deserialize<Definition>(File.ReadAllBytes(PathIn(folder))) : null;

    /// <summary>The file is replaced as a whole: a crash leaves the old one or the new one.</summary>
    internal void Save(string folder) => Files.Replace(PathIn(folder), stream => stream.Write(Json()));

    private byte[] Json() => JsonSerializer.SerializeToUtf8Bytes(this);

    private static string PathIn(string folder) => Path.Combine(folder, "definition.json");
}

internal static class Files
{
    /// <summary>Writes a new file, brings it to the disk, and puts it in the place of the old one.</summary>
    public static void Replace(string path, Action<FileStream> write)
    {
        using (FileStream file = new(path + ".new", FileMode.Create))
        {
            write(file);
            file.Flush(flushToDisk: true);
        }
        File.Move(path + ".new", path, overwrite: true);
    }
}
