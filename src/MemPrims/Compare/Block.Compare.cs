using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// Order, equality, difference, copy and fill of blocks of memory, faster than the runtime's own routines where lengths vary.
/// Lengths are 64-bit. No routine reads or writes a byte outside the blocks that it was given.
/// </summary>
/// <remarks>
/// What runs: on AVX-512, up to 128 bytes are compared in line, at the call site, by masked windows without a branch on the length: two of them
/// while blocks are short, four otherwise (ShortBlocks); all else by the kernel of the tier (Mismatch). The first window decides alone
/// where the blocks differ in it: that branch is predictable for keys, which is what it was made for (1.2 ns; 2.2 to 6 in the BCL).
/// </remarks>
public static unsafe partial class Block
{
    /// <summary>Orders two blocks of the same length as unsigned bytes: the difference of the first two bytes that differ, or 0.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <returns>Exactly <c>left[i] - right[i]</c> for the first i at which they differ, on every tier and backend; 0 when they are equal.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="left"/> and from <paramref name="right"/>. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns. Bytes that change meanwhile make the result stale, never a fault.</para>
    /// <para><b>Wrong length.</b> Too long reads past the blocks: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static int Compare(byte* left, byte* right, nint length)
    {
        if (Hardware.Has512 && !Backend.UsesLibc)
        {
            if (ShortBlocks<ComparedBlocks>.Expected)
            {
                if (MaskedWindows.Fit(left, right, length, MaskedWindows.PairReach)) return CompareWindows<PairOfWindows>(left, right, length);
            }
            else if (MaskedWindows.Fit(left, right, length))
            {
                return CompareWindows<AllWindows>(left, right, length);
            }
        }
        return CompareOutOfLine(left, right, length);
    }

    /// <summary>As <see cref="Compare(byte*, byte*, nint)"/>, and tells where the blocks differ.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <param name="position">The first position at which they differ; <paramref name="length"/> when they are equal.</param>
    /// <returns>Exactly <c>left[position] - right[position]</c>; 0 when they are equal.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="left"/> and from <paramref name="right"/>. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns.</para>
    /// <para><b>Wrong length.</b> Too long reads past the blocks: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(byte* left, byte* right, nint length, out nint position)
    {
        position = CommonPrefix(left, right, length);
        return position == length ? 0 : left[position] - right[position];
    }

    /// <summary>Orders two blocks as unsigned bytes; of two that are equal as far as the shorter goes, the shorter is less.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <returns>The difference of the first two bytes that differ; when there is none, the difference of the lengths.</returns>
    public static int Compare(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        fixed (byte* l = left, r = right)
        {
            int difference = Compare(l, r, Math.Min(left.Length, right.Length));
            return difference != 0 ? difference : left.Length - right.Length;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int CompareWindows<TBehind>(byte* left, byte* right, nint length) where TBehind : struct, IBehindFirstWindow
    {
        Vector256<byte> lanes = MaskedWindows.Lanes(length);
        uint same = Vector256.Equals(MaskedWindows.Load(left, lanes), MaskedWindows.Load(right, lanes)).ExtractMostSignificantBits();
        if (same == uint.MaxValue) return TBehind.IsEqual(left, right, length, lanes) ? 0 : CompareBehindFirst(left, right, length);
        nint position = BitOperations.TrailingZeroCount(~same);
        return left[position] - right[position];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CompareBehindFirst(byte* left, byte* right, nint length)
    {
        nint position = Mismatch512.FindMasked(left, right, length);
        return left[position] - right[position];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CompareOutOfLine(byte* left, byte* right, nint length)
    {
        if (Backend.UsesLibc) return Libc.Compare(left, right, length);
        if (Hardware.Has512) ShortBlocks<ComparedBlocks>.Note(length);
        nint position = Mismatch.FindInTier(left, right, length);
        return position == length ? 0 : left[position] - right[position];
    }
}
