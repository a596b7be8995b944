namespace DocumentStore.Cluster;

/// <summary>A document that a replica has found.</summary>
public sealed class FoundDocument
{
    private const int NumberBytes = sizeof(uint);

    internal FoundDocument(byte[] entry, string key, byte[] content) => (Entry, Key, Content) = (entry, key, content);

    public string Key { get; }

    public byte[] Content { get; }

    /// <summary>Its key in the index: the value, and the document's number in that replica's collection.</summary>
    internal byte[] Entry { get; }

    /// <summary>What documents of several collections are in order by.</summary>
    internal ReadOnlySpan<byte> Value => Entry.AsSpan(..^NumberBytes);
}
