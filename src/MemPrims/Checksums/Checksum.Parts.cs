using System.Buffers;

namespace MemPrims;

// CRCs of bytes that do not lie side by side, or that were taken apart.
public static unsafe partial class Checksum
{
    /// <summary>The CRC-32C of a sequence, segment by segment, after what gave <paramref name="seed"/>.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="seed">The CRC of what came before; 0 when nothing did.</param>
    /// <returns>The CRC of both.</returns>
    public static uint Crc32C(in ReadOnlySequence<byte> source, uint seed = 0)
    {
        foreach (ReadOnlyMemory<byte> segment in source) seed = Crc32C(segment.Span, seed);
        return seed;
    }

    /// <summary>
    /// The CRC-32C of two parts from their own CRCs, without their bytes: of a followed by b. So parts can be taken on several threads,
    /// or kept.
    /// </summary>
    /// <param name="first">The CRC of the first part.</param>
    /// <param name="second">The CRC of the second part, taken from seed 0.</param>
    /// <param name="secondLength">How many bytes the second part has.</param>
    /// <returns>The CRC of both.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="secondLength"/> is negative.</exception>
    public static uint Crc32CCombine(uint first, uint second, long secondLength)
    {
        if (secondLength < 0) Throw.NegativeLength((nint)secondLength);
        // Bytes behind the first part multiply its remainder by x^8 each. What CRCs invert at start and end cancels out.
        return Crc32CPolynomial.Multiply(first, Crc32CPolynomial.PowerOfBytes(secondLength)) ^ second;
    }
}
