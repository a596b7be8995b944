using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace MemPrims;

/// <summary>
/// The loops behind FirstDifference, for any width. Every byte is loaded, compared and, where blocks differ, located out of the same register.
/// </summary>
internal static unsafe class Windows<TWidth, TVector> where TWidth : struct, IWidth<TVector> where TVector : struct
{
    // A block of this length has turns enough to hide one misprediction.
    private const int AlignedFrom = 2048;

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
        ulong different = TWidth.DifferentBytes(TWidth.Load(ref *left, 0), TWidth.Load(ref *right, 0), TWidth.Load(ref *left, second), TWidth.Load(ref *right, second));
        return Within(different, length) == 0;
    }

    /// <summary>Whether one such block is all zero.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TwoAreZero(byte* block, nint length)
    {
        Debug.Assert(length > 0 && length <= 2 * TWidth.Bytes && OnePage.Holds(block, TWidth.Bytes), "A short block, and windows that stay on the page.");
        return Within(TWidth.DifferentBytes(TWidth.Load(ref *block, 0), default, TWidth.Load(ref *block, Second(length)), default), length) == 0;
    }

    /// <summary>Blocks of one to four vectors, inside the block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference Four(ref byte left, ref byte right, nint length)
    {
        FourVectors<TWidth, TVector>.Spread(length, out nint second, out nint third, out nint last);
        FourVectors<TWidth, TVector> l = FourVectors<TWidth, TVector>.Load(ref left, second, third, last), r = FourVectors<TWidth, TVector>.Load(ref right, second, third, last);
        return l.Equals(r) ? Difference.None(length) : Locate(l, r, 0, second, third, last);
    }

    /// <summary>Whether two such blocks are equal.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool FourAreEqual(ref byte left, ref byte right, nint length)
    {
        FourVectors<TWidth, TVector>.Spread(length, out nint second, out nint third, out nint last);
        return FourVectors<TWidth, TVector>.Load(ref left, second, third, last).Equals(FourVectors<TWidth, TVector>.Load(ref right, second, third, last));
    }

    /// <summary>Blocks of more than four vectors: four at a time, with one branch for all four, then the four that end where the block ends.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference Stride(ref byte left, ref byte right, nint length)
    {
        int width = TWidth.Bytes;
        Debug.Assert(length > 4 * width, "The block has more than four vectors.");
        nint lastTurn = length - 4 * width, at = 0;
        while (true)
        {
            FourVectors<TWidth, TVector> l = FourVectors<TWidth, TVector>.Load(ref left, at), r = FourVectors<TWidth, TVector>.Load(ref right, at);
            if (!l.Equals(r)) return Locate(l, r, at, width, 2 * width, 3 * width);
            if (at == lastTurn) return Difference.None(length);
            at = NextTurn(ref left, at, lastTurn);
        }
    }

    /// <summary>Whether two such blocks are equal.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool StrideIsEqual(ref byte left, ref byte right, nint length)
    {
        Debug.Assert(length > 4 * TWidth.Bytes, "The block has more than four vectors.");
        nint lastTurn = length - 4 * TWidth.Bytes, at = 0;
        while (true)
        {
            if (!FourVectors<TWidth, TVector>.Load(ref left, at).Equals(FourVectors<TWidth, TVector>.Load(ref right, at))) return false;
            if (at == lastTurn) return true;
            at = NextTurn(ref left, at, lastTurn);
        }
    }

    // Four vectors on, but not beyond the last turn. In a long block the turns are aligned to the left block. In a shorter one their number would then
    // depend on the alignment, and one mispredicted branch costs more than all loads that cross a cache line.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe nint NextTurn(ref byte left, nint at, nint lastTurn)
    {
        int turn = 4 * TWidth.Bytes;
        at += turn;
        if (lastTurn >= AlignedFrom) at -= ((nint)Unsafe.AsPointer(ref left) + at) & (TWidth.Bytes - 1);
        return at < lastTurn ? at : lastTurn;
    }

    // Where the second window begins: 0 in a block that is shorter than a window. Bit arithmetic, for in a loop the JIT makes a branch of a conditional.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint Second(nint length)
    {
        nint beyond = length - TWidth.Bytes;
        return beyond & ~(beyond >> 63);
    }

    // Not 0 when one of the lowest `length` bits is set, of 1 to 64 bits. The shift moves all others out; it takes its count modulo 64.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Within(ulong bits, nint length) => Bmi2.X64.IsSupported ? Bmi2.X64.ZeroHighBits(bits, (ulong)length) : bits << -(int)length;

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
