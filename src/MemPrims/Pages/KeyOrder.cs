using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace MemPrims.Pages;

/// <summary>
/// Binary search by whole keys, for keys whose heads are equal. What the first and the last of them share, all share: the query is compared with that
/// once. Each step then compares one word of 8 bytes behind it and moves without a branch, for which way it goes is not predictable.
/// </summary>
internal static unsafe class KeyOrder
{
    private const int FewKeys = 4;

    public static int Compare(byte* left, int leftLength, byte* right, int rightLength)
    {
        int order = Block.Compare(left, right, Math.Min(leftLength, rightLength));
        return order != 0 ? order : leftLength - rightLength;
    }

    public static int CommonPrefix(byte* left, byte* right) =>
        (int)Block.CommonPrefix(Page.KeyOf(left), Page.KeyOf(right), Math.Min(Page.KeyLength(left), Page.KeyLength(right)));

    /// <summary>
    /// Finds the key among the positions from <paramref name="first"/> to before <paramref name="behind"/>, whose keys share <paramref name="skip"/> bytes
    /// with it.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static Place Find(Page page, byte* key, int length, int first, int behind, int skip)
    {
        int count = behind - first;
        if (count > FewKeys)
        {
            byte* low = page.Entry(first);
            int shared = CommonPrefix(low, page.Entry(behind - 1));
            int common = (int)Block.CommonPrefix(key, Page.KeyOf(low), Math.Min(shared, length));
            if (common < shared) return new(common == length || key[common] < Page.KeyOf(low)[common] ? first : behind, 0);
            skip = Math.Max(skip, shared);
        }
        int rest = length - skip;
        ulong word = Word(key + skip, rest);
        while (count > 0)
        {
            int half = count >> 1;
            byte* entry = page.Entry(first + half);
            int otherRest = Page.KeyLength(entry) - skip;
            if (otherRest < 0) PageErrors.Damaged($"The key at position {first + half} is shorter than what the keys around it share");
            ulong other = WordInPage(Page.KeyOf(entry) + skip, otherRest);
            // Whether the word is above the other: the borrow of a subtraction, for the JIT makes branches of conditions in loops.
            int above = (int)(((~other & word) | ((~other | word) & (other - word))) >> 63);
            if (word == other)
            {
                int order = Compare(key + skip, rest, Page.KeyOf(entry) + skip, otherRest);
                if (order == 0) return new(first + half, 1);
                above = order > 0 ? 1 : 0;
            }
            first += (half + 1) & -above;
            count = half + ((count - half - 1 - half) & -above);
        }
        return new(first, 0);
    }

    /// <summary>The first 8 bytes as a number ordered as they are; what is lacking counts as zeros.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Word(byte* bytes, int length) =>
        BinaryPrimitives.ReverseEndianness(length >= sizeof(ulong) ? Unsafe.ReadUnaligned<ulong>(bytes) : Short(bytes, length));

    /// <summary>
    /// The same without a branch on the length: where there are fewer than 8 bytes, the 8 that end with them are loaded, and those before them shifted out.
    /// Before a key in a page there are always as many.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong WordInPage(byte* bytes, int length)
    {
        int beyond = length - sizeof(ulong), here = sizeof(ulong) + (beyond & (beyond >> 31)), shift = 4 * (sizeof(ulong) - here);
        return BinaryPrimitives.ReverseEndianness(Unsafe.ReadUnaligned<ulong>(bytes + here - sizeof(ulong))) << shift << shift;
    }

    private static ulong Short(byte* bytes, int length)
    {
        if (length >= sizeof(uint))
            return Unsafe.ReadUnaligned<uint>(bytes) | (ulong)Unsafe.ReadUnaligned<uint>(bytes + length - sizeof(uint)) << (8 * (length - sizeof(uint)));
        if (length <= 0) return 0;
        int middle = length >> 1, last = length - 1;
        return bytes[0] | (ulong)bytes[middle] << (8 * middle) | (ulong)bytes[last] << (8 * last);
    }
}
