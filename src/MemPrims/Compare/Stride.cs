using System.Numerics;

namespace MemPrims;

/// <summary>
/// Blocks longer than four vectors: one vector at the start, then four at a time with the left operand aligned and one branch for all four,
/// then the last four, ending at the end of the block. Which byte differs is asked only of the four that failed.
/// </summary>
internal static unsafe class Stride<TWidth, TVector> where TWidth : struct, IWidth<TVector> where TVector : struct
{
    /// <summary>The position of the first difference, or <paramref name="length"/>, which is more than four vectors.</summary>
    public static nint FirstDifference(byte* left, byte* right, nint length)
    {
        int width = TWidth.Bytes;
        ulong different = Windows<TWidth, TVector>.DifferentBytes(left, right, 0);
        if (different != 0) return BitOperations.TrailingZeroCount(different);

        nint lastTurn = length - 4 * width;
        for (nint i = width - ((nint)left & (width - 1)); ; i += 4 * width)
        {
            if (i > lastTurn) i = lastTurn;
            TVector any = TWidth.Either(
                TWidth.Either(Windows<TWidth, TVector>.Difference(left, right, i), Windows<TWidth, TVector>.Difference(left, right, i + width)),
                TWidth.Either(Windows<TWidth, TVector>.Difference(left, right, i + 2 * width), Windows<TWidth, TVector>.Difference(left, right, i + 3 * width)));
            if (!TWidth.IsZero(any)) return i + Windows<TWidth, TVector>.Locate(left + i, right + i, width, 2 * width, 3 * width);
            if (i == lastTurn) return length;
        }
    }
}
