using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>
/// The loops behind FirstDifference, for any width. Every byte is loaded, compared and, where blocks differ, located out of the same register.
/// </summary>
internal static unsafe class Windows<TWidth, TVector> where TWidth : struct, IWidth<TVector> where TVector : struct
{
    /// <summary>
    /// Blocks of 1 byte up to two vectors: one vector from the start, one that ends where the block ends. In a shorter block both begin at the start and
    /// end behind it; what lies there does not count. The caller has seen that one vector from either start stays on its page.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference Two(byte* left, byte* right, nint length)
    {
        Debug.Assert(length > 0 && length <= 2 * TWidth.Bytes && OnePage.Holds(left, right, TWidth.Bytes), "A short block, and windows that stay on the page.");
        nint second = Second(length);
        TVector a = TWidth.Load(ref *left, 0), b = TWidth.Load(ref *right, 0), c = TWidth.Load(ref *left, second), d = TWidth.Load(ref *right, second);
        ulong different = TWidth.DifferentBytes(a, b) | TWidth.DifferentBytes(c, d) << (int)second;
        return Within(different, length) == 0 ? Difference.None(length) : Difference.At(0, different, TWidth.GreaterBytes(a, b) | TWidth.GreaterBytes(c, d) << (int)second);
    }

    /// <summary>Whether two such blocks are equal: both windows are asked at once, and the bits behind the end are dropped.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TwoAreEqual(byte* left, byte* right, nint length)
    {
        Debug.Assert(length > 0 && length <= 2 * TWidth.Bytes && OnePage.Holds(left, right, TWidth.Bytes), "A short block, and windows that stay on the page.");
        nint second = Second(length);
        TVector any = TWidth.Either(
            TWidth.Difference(TWidth.Load(ref *left, 0), TWidth.Load(ref *right, 0)),
            TWidth.Difference(TWidth.Load(ref *left, second), TWidth.Load(ref *right, second)));
        return Within(TWidth.DifferentBytes(any, default), length) == 0;
    }

    /// <summary>Whether one such block is all zero.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TwoAreZero(byte* block, nint length)
    {
        Debug.Assert(length > 0 && length <= 2 * TWidth.Bytes && OnePage.Holds(block, TWidth.Bytes), "A short block, and windows that stay on the page.");
        TVector any = TWidth.Either(TWidth.Load(ref *block, 0), TWidth.Load(ref *block, Second(length)));
        return Within(TWidth.DifferentBytes(any, default), length) == 0;
    }

    /// <summary>Blocks of one to four vectors, inside the block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference Four(byte* left, byte* right, nint length)
    {
        FourVectors<TWidth, TVector>.Spread(length, out nint second, out nint third, out nint last);
        FourVectors<TWidth, TVector> l = FourVectors<TWidth, TVector>.Load(ref *left, second, third, last), r = FourVectors<TWidth, TVector>.Load(ref *right, second, third, last);
        return l.Equals(r) ? Difference.None(length) : Locate(l, r, 0, second, third, last);
    }

    /// <summary>
    /// Blocks of more than four vectors: up to eight by four from either end. Longer ones by one vector at the start, then four at a time with the left block
    /// aligned and one branch for all four, then the four that end where the block ends.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static Difference Stride(byte* left, byte* right, nint length)
    {
        int width = TWidth.Bytes;
        Debug.Assert(length > 4 * width, "The block has more than four vectors.");
        nint lastTurn = length - 4 * width, at = 0;
        if (lastTurn > 4 * width)
        {
            TVector l = TWidth.Load(ref *left, 0), r = TWidth.Load(ref *right, 0);
            ulong different = TWidth.DifferentBytes(l, r);
            if (different != 0) return Difference.At(0, different, TWidth.GreaterBytes(l, r));
            at = width - ((nint)left & (width - 1));
        }
        while (true)
        {
            FourVectors<TWidth, TVector> l = FourVectors<TWidth, TVector>.Load(ref *left, at), r = FourVectors<TWidth, TVector>.Load(ref *right, at);
            if (!l.Equals(r)) return Locate(l, r, at, width, 2 * width, 3 * width);
            if (at == lastTurn) return Difference.None(length);
            at += 4 * width;
            if (at > lastTurn) at = lastTurn;
        }
    }

    // Where the second window begins: 0 in a block that is shorter than a window. Bit arithmetic, for in a loop the JIT makes a branch of a conditional.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint Second(nint length)
    {
        nint beyond = length - TWidth.Bytes;
        return beyond & ~(beyond >> 63);
    }

    // Not 0 when one of the lowest `length` bits is set, of 1 to 64 bits: all others are shifted out. A shift takes its count modulo 64.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Within(ulong bits, nint length) => bits << -(int)length;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Difference Locate(in FourVectors<TWidth, TVector> left, in FourVectors<TWidth, TVector> right, nint at, nint second, nint third, nint last)
    {
        ulong different = TWidth.DifferentBytes(left.First, right.First);
        if (different != 0) return Difference.At(at, different, TWidth.GreaterBytes(left.First, right.First));
        different = TWidth.DifferentBytes(left.Second, right.Second);
        if (different != 0) return Difference.At(at + second, different, TWidth.GreaterBytes(left.Second, right.Second));
        different = TWidth.DifferentBytes(left.Third, right.Third);
        if (different != 0) return Difference.At(at + third, different, TWidth.GreaterBytes(left.Third, right.Third));
        different = TWidth.DifferentBytes(left.Last, right.Last);
        return Difference.At(at + last, different, TWidth.GreaterBytes(left.Last, right.Last));
    }
}
