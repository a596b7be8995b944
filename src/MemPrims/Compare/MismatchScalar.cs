using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>
/// The first difference without vectors, by length:
///
///    0–3   bytes, by a branch table over the length
///    4–15  four overlapping words of 4 bytes, two from either end, joined to two of 8: one class instead of two
///   16–32  four words of 8 bytes, two from either end
///    more  words of 8 bytes, four a turn
/// </summary>
/// <remarks>
/// The library that this one grew from took length &amp; 3 bytes by a branch table first and then words of 8. On random lengths the
/// overlapping words beat it (CompareCases, group "plain variants"), so the table is left for the blocks that have nothing but a prefix.
/// </remarks>
internal static unsafe class MismatchScalar
{
    public static nint Find(byte* left, byte* right, nint length)
    {
        if (length < 2 * WidthWord.Bytes) return FindShort(left, right, length);
        if (length <= 4 * WidthWord.Bytes) return Windows<WidthWord, ulong>.FirstDifference(left, right, length);
        return Stride<WidthWord, ulong>.FirstDifference(left, right, length);
    }

    /// <summary>Lengths below 16, and the error for a negative one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static nint FindShort(byte* left, byte* right, nint length)
    {
        if (length >= 4)
        {
            nint second = (length >> 1) & 4, last = length - 4, third = last - second;
            ulong nearer = (Half(left) ^ Half(right)) | (Half(left + second) ^ Half(right + second)) << (int)(second * 8);
            if (nearer != 0) return FirstByte(nearer);
            ulong farther = (Half(left + third) ^ Half(right + third)) | (Half(left + last) ^ Half(right + last)) << (int)(second * 8);
            return farther != 0 ? third + FirstByte(farther) : length;
        }
        switch (length)
        {
            case 0: return 0;
            case 1: return *left == *right ? 1 : 0;
            case 2: return *left != *right ? 0 : left[1] == right[1] ? 2 : 1;
            case 3: return *left != *right ? 0 : left[1] != right[1] ? 1 : left[2] == right[2] ? 3 : 2;
            default: Throw.NegativeLength(length); return 0;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint FirstByte(ulong difference) => BitOperations.TrailingZeroCount(difference) >> 3;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Half(byte* source) => Unsafe.ReadUnaligned<uint>(source);
}
