namespace MemPrims.Buffers;

/// <summary>Bytes that nobody writes, or a source that ends too soon: what was read, where, and which of the two.</summary>
public sealed class DamagedDataException : IOException
{
    /// <summary>Tells of an item that could not be read.</summary>
    public DamagedDataException(string message, long position)
        : base(message) => Position = position;

    /// <summary>Where in the source the item begins.</summary>
    public long Position { get; }
}
