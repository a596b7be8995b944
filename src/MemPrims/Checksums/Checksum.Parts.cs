namespace MemPrims;

// CRCs of bytes that lie in several pieces of memory, and of parts that were summed separately.
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

    /// <summary>
    /// The CRC-32C of two parts, one after the other, computed from the CRC of each part without their bytes. So several threads can each
    /// sum a part, and the CRC of a part can be kept and used again.
    /// </summary>
    /// <param name="first">The CRC of the first part.</param>
    /// <param name="second">The CRC of the second part, with nothing before it.</param>
    /// <param name="secondLength">How many bytes the second part has.</param>
    /// <returns>The CRC of both.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="secondLength"/> is negative.</exception>
    public static uint Crc32CCombine(uint first, uint second, long secondLength)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(secondLength);
        // Each byte after the first part multiplies its remainder by x^8. The inversions at the start and end of each CRC cancel out.
        return Crc32CPolynomial.Multiply(first, Crc32CPolynomial.PowerOfBytes(secondLength)) ^ second;
    }
}
