using System.Buffers;

namespace MemPrims;

// CRCs of bytes that lie in several pieces of memory, and of parts that were summed separately.
public static unsafe partial class Checksum
{
    /// <summary>The CRC-32C of a sequence, continued from <paramref name="seed"/>.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="seed">The CRC of what came before; 0 when nothing did.</param>
    /// <returns>The CRC of both.</returns>
    public static uint Crc32C(in ReadOnlySequence<byte> source, uint seed = 0)
    {
        foreach (ReadOnlyMemory<byte> segment in source) seed = Crc32C(segment.Span, seed);
        return seed;
    }

    /// <summary>
    /// The CRC-32C of two parts, one after the other, computed from the CRC of each part without their bytes. So several threads can each
    /// sum a part, and the CRC of a part can be kept and used again.
    /// </summary>
    /// <param name="first">The CRC of the first part.</param>
    /// <param name="second">The CRC of the second part, taken from seed 0.</param>
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
