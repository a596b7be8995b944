using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace MemPrims;

/// <summary>
/// The loops behind FirstDifference, for any width. Every byte is loaded, compared and, where blocks differ, located out of the same
/// register.
/// </summary>
internal static unsafe class Windows<TWidth, TVector> where TWidth : struct, IWidth<TVector> where TVector : struct
{
    /// <summary>From here on four aligned vectors a turn are faster than two (CompareCases, "compare, sizes").</summary>
    public const int StrideFrom = 2048;

    /// <summary>
    /// Blocks of 1 byte up to two vectors: one vector from the start, one that ends where the block ends. In a shorter block both begin
    /// at the start and end behind it; what lies there does not count. The caller has seen that one vector from either start stays on its
    /// page.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference Two(byte* left, byte* right, nint length)
    {
        Debug.Assert(length > 0 && length <= 2 * TWidth.Bytes
            && OnePage.Holds(left, right, TWidth.Bytes), "A short block, and windows that stay on the page.");
        nint second = Second(length);
        TVector a = TWidth.Load(ref *left, 0), b = TWidth.Load(ref *right, 0), c = TWidth.Load(ref *left, second),
            d = TWidth.Load(ref *right, second);
        ulong different = TWidth.DifferentBytes(a, b) | TWidth.DifferentBytes(c, d) << (int)second;
        return Within(different, length) == 0 ? Difference.None(length)
            : Difference.At(0, different, TWidth.GreaterBytes(a, b) | TWidth.GreaterBytes(c, d) << (int)second);
    }

    /// <summary>Whether two such blocks are equal: both windows are asked at once, and the bits behind the end are dropped.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TwoAreEqual(byte* left, byte* right, nint length)
    {
        Debug.Assert(length > 0 && length <= 2 * TWidth.Bytes
            && OnePage.Holds(left, right, TWidth.Bytes), "A short block, and windows that stay on the page.");
        nint second = Second(length);
        ulong different = TWidth.DifferentBytes(TWidth.Load(ref *left, 0), TWidth.Load(ref *right, 0), TWidth.Load(ref *left, second),
            TWidth.Load(ref *right, second));
        return Within(different, length) == 0;
    }

    /// <summary>Whether one such block is all zero.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TwoAreZero(byte* block, nint length)
    {
        Debug.Assert(length > 0 && length <= 2 * TWidth.Bytes
            && OnePage.Holds(block, TWidth.Bytes), "A short block, and windows that stay on the page.");
        return Within(TWidth.DifferentBytes(TWidth.Load(ref *block, 0), default, TWidth.Load(ref *block, Second(length)), default),
            length) == 0;
    }

    /// <summary>
    /// Blocks of two vectors and more; nothing behind the block is read. Two vectors are compared at a time, with one branch for both.
    /// The last two end where the block ends. Four at a time were slower below 2 KiB: 400 bytes took 8.4 ns, and two at a time 6.9.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static TResult Inside<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult>
    {
        int width = TWidth.Bytes;
        Debug.Assert(length >= 2 * width, "The block has two vectors.");
        if (length <= 4 * width) return Four<TAnswer, TResult>(ref left, ref right, length, same);
        if (length >= StrideFrom) return Stride<TAnswer, TResult>(ref left, ref right, length, same);
        nint lastTurn = length - 2 * width, at = 0;
        while (true)
        {
            TVector a = TWidth.Load(ref left, at), b = TWidth.Load(ref right, at);
            TVector c = TWidth.Load(ref left, at + width), d = TWidth.Load(ref right, at + width);
            if (!TWidth.IsZero(TWidth.Either(TWidth.Difference(a, b), TWidth.Difference(c, d))))
            {
                ulong different = TAnswer.NeedsPlace ? TWidth.DifferentBytes(a, b) : 0;
                return different != 0 ? TAnswer.Different(at, different, TWidth.GreaterBytes(a, b))
                    : TAnswer.Different(at + width, TWidth.DifferentBytes(c, d), TWidth.GreaterBytes(c, d));
            }
            if (at == lastTurn) return same;
            at += 2 * width;
            if (at > lastTurn) at = lastTurn;
        }
    }

    // Two to four vectors: four windows over the block, with one branch.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static TResult Four<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult>
    {
        FourVectors<TWidth, TVector>.Spread(length, out nint second, out nint third, out nint last);
        FourVectors<TWidth, TVector> l = FourVectors<TWidth, TVector>.Load(ref left, second, third, last);
        FourVectors<TWidth, TVector> r = FourVectors<TWidth, TVector>.Load(ref right, second, third, last);
        return l.Equals(r) ? same : Locate<TAnswer, TResult>(l, r, 0, second, third, last);
    }

    /// <summary>Long blocks: four vectors at a time, aligned to the left block from the second turn on. The last four end where the block
    /// ends.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static TResult Stride<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult>
    {
        int width = TWidth.Bytes;
        Debug.Assert(length > 8 * width, "The block has turns enough to align the second one.");
        nint lastTurn = length - 4 * width, at = 0;
        while (true)
        {
            FourVectors<TWidth, TVector> l = FourVectors<TWidth, TVector>.Load(ref left, at);
            FourVectors<TWidth, TVector> r = FourVectors<TWidth, TVector>.Load(ref right, at);
            if (!l.Equals(r)) return Locate<TAnswer, TResult>(l, r, at, at + width, at + 2 * width, at + 3 * width);
            if (at == lastTurn) return same;
            at += 4 * width;
            at -= ((nint)Unsafe.AsPointer(ref left) + at) & (width - 1);
            if (at > lastTurn) at = lastTurn;
        }
    }

    // Where the second window begins: 0 in a block that is shorter than a window. Bit arithmetic, for in a loop the JIT makes a branch of
    // a conditional.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint Second(nint length)
    {
        nint beyond = length - TWidth.Bytes;
        return beyond & ~(beyond >> 63);
    }

    // Not 0 when one of the lowest `length` bits is set, of 1 to 64 bits. The shift moves all others out; it takes its count modulo 64.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Within(ulong bits, nint length) =>
        Bmi2.X64.IsSupported ? Bmi2.X64.ZeroHighBits(bits, (ulong)length) : bits << -(int)length;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static TResult Locate<TAnswer, TResult>(
        in FourVectors<TWidth, TVector> left, in FourVectors<TWidth, TVector> right, nint first, nint second, nint third, nint last)
        where TAnswer : struct, IAnswer<TResult>
    {
        if (!TAnswer.NeedsPlace) return TAnswer.Different(first, 1, 0);
        ulong different = TWidth.DifferentBytes(left.First, right.First);
        if (different != 0) return TAnswer.Different(first, different, TWidth.GreaterBytes(left.First, right.First));
        different = TWidth.DifferentBytes(left.Second, right.Second);
        if (different != 0) return TAnswer.Different(second, different, TWidth.GreaterBytes(left.Second, right.Second));
        different = TWidth.DifferentBytes(left.Third, right.Third);
        if (different != 0) return TAnswer.Different(third, different, TWidth.GreaterBytes(left.Third, right.Third));
        different = TWidth.DifferentBytes(left.Last, right.Last);
        return TAnswer.Different(last, different, TWidth.GreaterBytes(left.Last, right.Last));
    }
}
