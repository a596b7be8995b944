using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>
/// The first difference in blocks from one vector to four, by four windows (FourWindows), and which of four windows has it.
/// </summary>
internal static unsafe class Windows<TWidth, TVector> where TWidth : struct, IWidth<TVector> where TVector : struct
{
    /// <summary>The position of the first difference, or <paramref name="length"/>, which is from one to four vectors.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static nint FirstDifference(byte* left, byte* right, nint length)
    {
        FourWindows.Offsets(length, TWidth.Bytes, out nint second, out nint third, out nint last);
        TVector any = TWidth.Either(
            TWidth.Either(Difference(left, right, 0), Difference(left, right, second)),
            TWidth.Either(Difference(left, right, third), Difference(left, right, last)));
        return TWidth.IsZero(any) ? length : Locate(left, right, second, third, last);
    }

    /// <summary>
    /// The first of four windows that differs tells the position: one of them does. Where four windows have 64 bytes at the most, the answer for
    /// all of them is one word, and no branch is taken on where the difference is.
    /// </summary>
    public static nint Locate(byte* left, byte* right, nint second, nint third, nint last)
    {
        ulong different = DifferentBytes(left, right, 0);
        if (4 * TWidth.Bytes <= 64)
        {
            different |= DifferentBytes(left, right, second) << (int)second | DifferentBytes(left, right, third) << (int)third | DifferentBytes(left, right, last) << (int)last;
            return BitOperations.TrailingZeroCount(different);
        }
        if (different != 0) return BitOperations.TrailingZeroCount(different);
        different = DifferentBytes(left, right, second);
        if (different != 0) return second + BitOperations.TrailingZeroCount(different);
        different = DifferentBytes(left, right, third);
        if (different != 0) return third + BitOperations.TrailingZeroCount(different);
        return last + BitOperations.TrailingZeroCount(DifferentBytes(left, right, last));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TVector Difference(byte* left, byte* right, nint at) => TWidth.Difference(TWidth.Load(left + at), TWidth.Load(right + at));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(byte* left, byte* right, nint at) => TWidth.DifferentBytes(TWidth.Load(left + at), TWidth.Load(right + at));
}
