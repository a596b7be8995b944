namespace MemPrims.Buffers;

/// <summary>
/// An item could not be read: the source ends inside it, or its bytes are not what a writer produces. The message says what was to be
/// read, where, and which of the two it is.
/// </summary>
public sealed class DamagedDataException : IOException
{
    /// <summary>Makes the exception for an item that begins at <paramref name="position"/>.</summary>
    public DamagedDataException(string message, long position)
        : base(message) => Position = position;

    /// <summary>Where in the source the item begins.</summary>
    public long Position { get; }
}
