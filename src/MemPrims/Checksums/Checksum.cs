namespace MemPrims;

/// <summary>
/// CRC-32C (Castagnoli), the checksum of iSCSI, ext4 and most storage engines. For the nine ASCII digits 1 to 9 it is E3069283.
/// </summary>
/// <remarks>
/// What runs, by length and tier:
///
///   512 bits, 256 bytes and more  Crc32CFolding  carry-less products over 4 × 64 bytes
///   otherwise                     Crc32CStreams  three independent chains of the CRC instruction from 768 bytes, one below
///
/// Where a processor has no such instruction, the runtime looks each byte up in a table.
/// </remarks>
public static unsafe class Checksum
{
    private const int FewestToFold = 64, LongestBefore = 64 * 1024;

    private static int s_calls;

    /// <summary>The CRC-32C of some bytes.</summary>
    public static uint Crc32C(ReadOnlySpan<byte> source) => Crc32C(0, source);

    /// <summary>
    /// The CRC-32C of what came before, continued with more bytes. <c>Crc32C(Crc32C(a), b)</c> is the CRC of a followed by b.
    /// </summary>
    /// <param name="before">The CRC of what came before; 0 when nothing did.</param>
    /// <param name="source">The bytes that follow.</param>
    /// <returns>The CRC of both.</returns>
    public static uint Crc32C(uint before, ReadOnlySpan<byte> source)
    {
        fixed (byte* s = source) return ~Update(~before, s, source.Length);
    }

    /// <summary>The CRC-32C of a block.</summary>
    /// <param name="source">The block.</param>
    /// <param name="length">How many bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <inheritdoc cref="Block.IsZero(byte*, nint)" path="/remarks"/>
    public static uint Crc32C(byte* source, nint length) => Crc32C(0, source, length);

    /// <summary>The CRC-32C of what came before, continued with a block.</summary>
    /// <param name="before">The CRC of what came before; 0 when nothing did.</param>
    /// <param name="source">The block.</param>
    /// <param name="length">How many bytes.</param>
    /// <returns>The CRC of both.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <inheritdoc cref="Block.IsZero(byte*, nint)" path="/remarks"/>
    public static uint Crc32C(uint before, byte* source, nint length)
    {
        if (length < 0) Throw.NegativeLength(length);
        return ~Update(~before, source, length);
    }

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

    // Folding is not precompiled: its first call waits 5 ms for the JIT. Three streams wait until the runtime has loaded types of vectors.
    // So the first calls of a process use one chain of the CRC instruction.
    private static bool IsWarm(nint length) =>
        s_calls >= FewestToFold || length > LongestBefore || ++s_calls >= FewestToFold;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Update(uint crc, byte* source, nint length) =>
        length < Crc32CFolding.Minimum || !IsWarm(length) ? Crc32CStreams.UpdateByOne(crc, source, length)
        : Crc32CFolding.IsSupported ? Crc32CFolding.Update(crc, source, length)
        : Crc32CStreams.Update(crc, source, length);
}
