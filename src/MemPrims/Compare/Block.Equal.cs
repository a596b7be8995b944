using System.Runtime.CompilerServices;
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
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="left"/> and from <paramref name="right"/>. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns.</para>
    /// <para><b>Wrong length.</b> Too long reads past the blocks: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static bool Equal(byte* left, byte* right, nint length)
    {
        if (Hardware.Has512 && !Backend.UsesLibc)
        {
            if (ShortBlocks<ComparedBlocks>.Expected)
            {
                if (MaskedWindows.Fit(left, right, length, MaskedWindows.PairReach)) return EqualWindows<PairOfWindows>(left, right, length);
            }
            else if (MaskedWindows.Fit(left, right, length))
            {
                return EqualWindows<AllWindows>(left, right, length);
            }
        }
        return EqualOutOfLine(left, right, length);
    }

    /// <summary>Whether two blocks have the same length and the same bytes.</summary>
    /// <param name="left">One block.</param>
    /// <param name="right">The other block.</param>
    /// <returns>True when they are the same.</returns>
    public static bool Equal(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        if (left.Length != right.Length) return false;
        fixed (byte* l = left, r = right) return Equal(l, r, left.Length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool EqualWindows<TBehind>(byte* left, byte* right, nint length) where TBehind : struct, IBehindFirstWindow
    {
        Vector256<byte> lanes = MaskedWindows.Lanes(length);
        return MaskedWindows.Load(left, lanes) == MaskedWindows.Load(right, lanes)
            && TBehind.IsEqual(left, right, length, lanes);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool EqualOutOfLine(byte* left, byte* right, nint length)
    {
        if (Backend.UsesLibc) return Libc.Compare(left, right, length) == 0;
        if (Hardware.Has512) ShortBlocks<ComparedBlocks>.Note(length);
        return Mismatch.FindInTier(left, right, length) == length;
    }
}
