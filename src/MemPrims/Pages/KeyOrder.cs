using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Pages;

/// <summary>
/// Search by whole keys, for keys whose heads are equal. What the first and the last of them share, all share: the query is compared
/// with that once. The 8 bytes behind it, read as a number, then find the place: three keys a step, so that their loads overlap, and
/// without a branch, since which way a step goes is not predictable. Keys that have these 8 bytes too are searched by a plain binary
/// search.
/// </summary>
/// <remarks>
/// Measured with 271 keys of 14 bytes and one stray key (ns a search; the plain binary search by Block.Compare takes 62–80): one key a
/// step with a load that ends with the key 103–137.
/// </remarks>
internal static unsafe class KeyOrder
{
    private const int FewKeys = 3, MostBytesLoaded = PageLayout.EntryHeader + sizeof(ulong);

    public static int Compare(byte* left, int leftLength, byte* right, int rightLength)
    {
        int order = Block.Compare(left, right, Math.Min(leftLength, rightLength));
        return order != 0 ? order : leftLength - rightLength;
    }

    private static int Compare(byte* key, int length, byte* entry) => Compare(key, length, Page.KeyOf(entry), Page.KeyLength(entry));

    public static int CommonPrefix(byte* left, byte* right) =>
        (int)Block.CommonPrefix(Page.KeyOf(left), Page.KeyOf(right), Math.Min(Page.KeyLength(left), Page.KeyLength(right)));

    /// <summary>Finds the key among the positions from <paramref name="first"/> to before <paramref name="behind"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static Place Find(Page page, byte* key, int length, int first, int behind)
    {
        if (behind - first > FewKeys)
        {
            byte* low = page.Entry(first);
            int shared = CommonPrefix(low, page.Entry(behind - 1));
            int common = (int)Block.CommonPrefix(key, Page.KeyOf(low), Math.Min(shared, length));
            if (common < shared) return new(common == length || key[common] < Page.KeyOf(low)[common] ? first : behind, 0);
            ulong word = Word(key + shared, length - shared);
            if (page.Size > shared + MostBytesLoaded && TryLowerBound(page, word, first, behind, shared, out int place))
            {
                // Mostly the key at this place is the query or above it. Where several keys have the word, the query is among them.
                int order = place == behind ? -1 : Compare(key, length, page.Entry(place));
                if (order <= 0) return new(place, order == 0 ? 1 : 0);
                first = place + 1;
            }
        }
        return FindPlainly(page, key, length, first, behind);
    }

    private static Place FindPlainly(Page page, byte* key, int length, int first, int behind)
    {
        while (first < behind)
        {
            int middle = (first + behind) >>> 1;
            byte* entry = page.Entry(middle);
            int order = Compare(key, length, entry);
            if (order == 0) return new(middle, 1);
            if (order > 0) first = middle + 1;
            else behind = middle;
        }
        return new(first, 0);
    }

    /// <summary>
    /// The first position of which the 8 bytes behind <paramref name="skip"/> are not below the word. There is at least one. False where
    /// a key near the end of the page has no 8 bytes to be loaded, or a key is shorter than what they share: then the position means
    /// nothing.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static bool TryLowerBound(Page page, ulong word, int first, int behind, int skip, out int position)
    {
        byte* start = page.Start;
        ushort* slots = page.Slots;
        // Negative as soon as a key is not sound: to note it costs less than a call in the loop, which takes the registers away.
        int limit = page.Size - MostBytesLoaded - skip, wrong = limit, count = behind - first;
        while (count > FewKeys)
        {
            int quarter = count >> 2, second = first + 2 * quarter;
            int below = Below(start, slots[first + quarter], skip, limit, word, ref wrong)
                + Below(start, slots[second], skip, limit, word, ref wrong)
                + Below(start, slots[second + quarter], skip, limit, word, ref wrong);
            first += below * quarter;
            // The last part also has what four quarters leave. Bit arithmetic, for the JIT makes branches of conditionals in loops.
            count = quarter + (count & 3 & -(below & (below >> 1)));
        }
        // Three more keys, whatever the count is: those behind the part are not below, and the last key counts once.
        int last = behind - 1;
        int more = Below(start, slots[Math.Min(first, last)], skip, limit, word, ref wrong)
            + Below(start, slots[Math.Min(first + 1, last)], skip, limit, word, ref wrong)
            + Below(start, slots[Math.Min(first + 2, last)], skip, limit, word, ref wrong);
        position = Math.Min(first + more, behind);
        return wrong >= 0;
    }

    // 1 where the word of the key at an offset is below the other. An entry too near the end of the page is read where 8 bytes are.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Below(byte* start, int offset, int skip, int limit, ulong word, ref int wrong)
    {
        int spare = limit - offset;
        byte* entry = start + (offset + (spare & (spare >> 31)));
        int beyond = Page.KeyLength(entry) - skip - sizeof(ulong), bits = 64 + 8 * (beyond & (beyond >> 31));
        wrong |= spare | bits;
        ulong bytes = Unsafe.ReadUnaligned<ulong>(Page.KeyOf(entry) + skip);
        // A shift by all 64 bits would be one by none, so it is made of two.
        int half = (64 - bits) >> 1;
        ulong other = Bmi2.X64.IsSupported
            ? BinaryPrimitives.ReverseEndianness(Bmi2.X64.ZeroHighBits(bytes, (ulong)bits))
            : BinaryPrimitives.ReverseEndianness(bytes) >> half >> half << half << half;
        return Unsafe.BitCast<bool, byte>(other < word);
    }

    /// <summary>The first 8 bytes as a number ordered as they are; what is lacking counts as zeros.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Word(byte* bytes, int length) =>
        BinaryPrimitives.ReverseEndianness(length >= sizeof(ulong) ? Unsafe.ReadUnaligned<ulong>(bytes) : Short(bytes, length));

    private static ulong Short(byte* bytes, int length)
    {
        if (length >= sizeof(uint))
        {
            int overlapping = length - sizeof(uint);
            return Unsafe.ReadUnaligned<uint>(bytes) | (ulong)Unsafe.ReadUnaligned<uint>(bytes + overlapping) << (8 * overlapping);
        }
        if (length <= 0) return 0;
        int middle = length >> 1, last = length - 1;
        return bytes[0] | (ulong)bytes[middle] << (8 * middle) | (ulong)bytes[last] << (8 * last);
    }
}
