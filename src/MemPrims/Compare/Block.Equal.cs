using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

public static unsafe partial class Block
{
    /// <summary>Whether two blocks of the same length have the same bytes.</summary>
    /// <param name="left">One block.</param>
    /// <param name="right">The other block.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <returns>True when every byte is the same, and for a length of 0.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="left"/> and from <paramref name="right"/>; also behind them, on the page on which a block begins. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns. Bytes that change meanwhile make the result stale, never a fault.</para>
    /// <para><b>Wrong length.</b> Too long reads past the blocks: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static bool Equal(byte* left, byte* right, nint length)
    {
        // Blocks are equal mostly and of any length: no branch depends on the length up to 64 bytes.
        if (Vector256.IsHardwareAccelerated && (nuint)(length - 1) < (nuint)(2 * Width256.Bytes) && OnePage.Holds(left, right, Width256.Bytes))
            return Windows<Width256, Vector256<byte>>.TwoAreEqual(left, right, length);
        return length > LongestByWords ? EqualLong(ref *left, ref *right, length) : EqualShort(left, right, length);
    }

    /// <summary>Whether two blocks have the same length and the same bytes.</summary>
    /// <param name="left">One block.</param>
    /// <param name="right">The other block.</param>
    /// <returns>True when they are the same.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static bool Equal(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        if (left.Length != right.Length) return false;
        fixed (byte* l = &MemoryMarshal.GetReference(left), r = &MemoryMarshal.GetReference(right)) return Equal(l, r, left.Length);
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static bool EqualLong(ref byte left, ref byte right, nint length) => Backend.UsesLibc
        ? CompareByLibc(ref left, length, ref right, length) == 0
        : FirstDifference.Above64<AreEqual, bool>(ref left, ref right, length);

    // Near the end of a page, without 256-bit vectors, of no bytes, or of a negative length.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static bool EqualShort(byte* left, byte* right, nint length) =>
        Backend.UsesLibc ? Libc.Compare(left, right, length) == 0 : FirstDifference.Find(left, right, length).Position == length;
}
