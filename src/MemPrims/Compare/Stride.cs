using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>
/// Blocks longer than four vectors: up to eight by four from either end; more by one vector at the start, then four at a time with the left operand
/// aligned and one branch for all four, then the last four, ending at the end of the block. Which byte differs is asked only of the four that failed.
/// </summary>
internal static unsafe class Stride<TWidth, TVector> where TWidth : struct, IWidth<TVector> where TVector : struct
{
    /// <summary>The position of the first difference, or <paramref name="length"/>, which is more than four vectors.</summary>
    public static nint FirstDifference(byte* left, byte* right, nint length)
    {
        int width = TWidth.Bytes;
        nint lastTurn = length - 4 * width;
        if (lastTurn <= 4 * width)
        {
            if (!TWidth.IsZero(AnyOfFour(left, right, 0))) return Locate(left, right, 0);
            return TWidth.IsZero(AnyOfFour(left, right, lastTurn)) ? length : Locate(left, right, lastTurn);
        }
        ulong different = Windows<TWidth, TVector>.DifferentBytes(left, right, 0);
        if (different != 0) return BitOperations.TrailingZeroCount(different);
        for (nint i = width - ((nint)left & (width - 1)); ; i += 4 * width)
        {
            if (i > lastTurn) i = lastTurn;
            if (!TWidth.IsZero(AnyOfFour(left, right, i))) return Locate(left, right, i);
            if (i == lastTurn) return length;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static TVector AnyOfFour(byte* left, byte* right, nint at) => TWidth.Either(
        TWidth.Either(Windows<TWidth, TVector>.Difference(left, right, at), Windows<TWidth, TVector>.Difference(left, right, at + TWidth.Bytes)),
        TWidth.Either(Windows<TWidth, TVector>.Difference(left, right, at + 2 * TWidth.Bytes), Windows<TWidth, TVector>.Difference(left, right, at + 3 * TWidth.Bytes)));

    private static nint Locate(byte* left, byte* right, nint at) =>
        at + Windows<TWidth, TVector>.Locate(left + at, right + at, TWidth.Bytes, 2 * TWidth.Bytes, 3 * TWidth.Bytes);
}
