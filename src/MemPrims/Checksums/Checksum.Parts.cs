namespace MemPrims;

// CRCs of bytes that lie in several pieces of memory.
public static unsafe partial class Checksum
{
    /// <summary>The CRC-32C of a sequence.</summary>
    public static uint Crc32C(in ReadOnlySequence<byte> source) => Crc32C(0, in source);

    /// <summary>The CRC-32C of what came before, continued with a sequence.</summary>
    /// <param name="before">The CRC of what came before; 0 when nothing did.</param>
    /// <param name="source">The bytes that follow.</param>
    /// <returns>The CRC of both.</returns>
    public static uint Crc32C(uint before, in ReadOnlySequence<byte> source)
    {
        foreach (ReadOnlyMemory<byte> segment in source) before = Crc32C(before, segment.Span);
        return before;
    }
}
