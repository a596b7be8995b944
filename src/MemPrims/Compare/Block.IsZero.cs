using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

public static unsafe partial class Block
{
    /// <summary>Whether every byte of a block is zero.</summary>
    /// <param name="source">The block.</param>
    /// <param name="length">How many bytes.</param>
    /// <returns>True when all are zero, and for a length of 0.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="source"/>. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> There is one block only.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> The block stays mapped, and pinned if managed, until the call returns.</para>
    /// <para><b>Wrong length.</b> Too long reads past the block: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(byte* source, nint length)
    {
        if (Hardware.Has512 && MaskedWindows.Fit(source, length))
        {
            Vector256<byte> lanes = MaskedWindows.Lanes(length);
            MaskedWindows.Offsets(length, out nint second, out nint third, out nint last);
            Vector256<byte> any = MaskedWindows.Load(source, lanes) | MaskedWindows.Load(source + second, lanes)
                | MaskedWindows.Load(source + third, lanes) | MaskedWindows.Load(source + last, lanes);
            return any == Vector256<byte>.Zero;
        }
        return IsZeroOutOfLine(source, length);
    }

    // A block is all zero when its first byte is, and every byte equals the one before it: compared with itself, one byte on.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsZeroOutOfLine(byte* source, nint length)
    {
        if (length < 0) Throw.NegativeLength(length);
        return length == 0 || (*source == 0 && Mismatch.FindInTier(source, source + 1, length - 1) == length - 1);
    }
}
