using System.Runtime.Intrinsics.Arm;

namespace MemPrims.Pages;

// Where a key is in a page, or would be inserted. The two numbers come back in two registers. So a caller that goes on with the
// position does not wait for the compare of the keys.
internal readonly struct Place(nint position, nint found)
{
    private readonly nint _position = position, _found = found;

    public int Position => (int)_position;

    public bool Found => _found != 0;

    // In a branch: which child has the key. -1 is the first.
    public int Child => (int)(_position + _found) - 1;
}

// Finds a key in a page. The query's head finds a slot (PageHeads). One compare of 32 bytes with the key of that slot
// then decides: it is a hit, or the query has the page's prefix, and the head has already told its place. Both outcomes leave by the
// same branch, so the processor predicts it although it cannot predict hits. Everything else is a call at the end of the method: longer
// keys, queries without the prefix, and heads that several keys have (PageTies). So the common path saves no registers.
internal static unsafe class PageSearch
{
    // Of the query, four bytes more than the window may be loaded: the head after a prefix as long as the window.
    private const int Window = 32, Reach = Window + sizeof(int), SystemPageBit = 4096;

    // Where the key is or would be inserted, and whether it is there.
    // Not inlined: in a caller's loop the JIT would make branches of what is arithmetic here, 17 in place of 12 ns.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Place Find(Page page, byte* key, int length) =>
        page.Header->StepBits == PageHeader.SmallestStepBits ? FindIn(page, key, length, isOneVector: true)
            : FindInLarge(page, key, length);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Place FindInLarge(Page page, byte* key, int length) => FindIn(page, key, length, isOneVector: false);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Place FindIn(Page page, byte* key, int length, bool isOneVector)
    {
        PageHeader* header = page.Header;
        int prefix = header->Prefix, count = header->Count, rest = length - prefix;
        // An empty query may have no address at all.
        if (!Vector128.IsHardwareAccelerated || (uint)(length - 1) >= Window || rest < 0 || count == 0 || !StaysOnItsPage(key))
            return FindAny(page, key, length);
        if (PageHeads.AreMostlyEqual(header)) return KeyOrder.Find(page, key, length, 0, count);
        int head = PageHeads.OfWindow(key + prefix, rest);
        int position = PageHeads.LowerBound(page, count, head, isOneVector);
        int candidate = Math.Min(position, count - 1);
        ushort* slot = page.Slots + candidate;
        // Only where the page is changed meanwhile: the other search tells.
        if (position < 0 || !page.HasSlot(slot)) return FindAny(page, key, length);
        int offset = *slot;
        if (offset > page.Size - PageLayout.EntryHeader - Window) return FindAny(page, key, length);
        byte* entry = page.Start + offset;
        // What lies after the end of either key may be equal too. That does no harm: lengths are compared as well.
        int common = CommonOfWindow(key, entry + PageLayout.EntryHeader);
        // In a damaged page the heads may say that the query is above all keys, and the last key be the query.
        int found = common >= length & *(ushort*)entry == length & position < count ? 1 : 0;
        int told = common >= prefix & page.Heads[candidate] != head ? 1 : 0;
        if ((found | told) != 0) return new(Math.Min(position, count), found);
        return common >= prefix ? PageTies.Find(page, key, length, head, Math.Min(position, count)) : FindOutside(page, key, length);
    }

    // As Find, for any query, any page and any machine.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Place FindAny(Page page, byte* key, int length)
    {
        int prefix = page.Header->Prefix, count = page.Count;
        if (length < prefix || count == 0) return FindOutside(page, key, length);
        int head = PageHeads.Of(key + prefix, length - prefix);
        int position = Math.Min(PageHeads.LowerBound(page, count, head, isOneVector: false), count);
        if (position < 0) PageErrors.ThrowDamagedHints();
        int candidate = Math.Min(position, count - 1);
        PageEntry entry = page.Entry(candidate);
        int common = (int)Block.CommonPrefix(key, entry.Key, Math.Min(length, entry.KeyLength));
        if (common == length && entry.KeyLength == length) return new(candidate, 1);
        if (common >= prefix && page.Heads[candidate] != head) return new(position, 0);
        // The head has not told: the query lacks the prefix, or keys from the position on have its head.
        return common < Math.Min(prefix, entry.KeyLength) ? FindOutside(page, key, length)
            : PageTies.Find(page, key, length, head, position);
    }

    // A query that lacks the prefix is before or after all keys; an empty page has no keys.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Place FindOutside(Page page, byte* key, int length)
    {
        if (page.Count == 0) return new(0, 0);
        PageEntry some = page.Entry(0);
        int order = Block.Compare(key, some.Key, Math.Min(Math.Min(length, page.Header->Prefix), some.KeyLength));
        return new(order <= 0 ? 0 : page.Count, 0);
    }

    // How many bytes are equal before one that is not, of 32.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int CommonOfWindow(byte* key, byte* other)
    {
        if (Vector256.IsHardwareAccelerated)
        {
            uint same = Vector256.Equals(Vector256.Load(key), Vector256.Load(other)).ExtractMostSignificantBits();
            return BitOperations.TrailingZeroCount(~same);
        }
        const int half = Window / 2;
        Vector128<byte> low = Vector128.Equals(Vector128.Load(key), Vector128.Load(other));
        Vector128<byte> high = Vector128.Equals(Vector128.Load(key + half), Vector128.Load(other + half));
        if (!AdvSimd.IsSupported)
            return BitOperations.TrailingZeroCount(~(low.ExtractMostSignificantBits() | high.ExtractMostSignificantBits() << half));
        // arm64 has no mask of a vector's bytes: it takes nine instructions for each. A narrowing shift leaves half a byte of each byte.
        int first = BitOperations.TrailingZeroCount(~Halves(low)) >> 2, second = BitOperations.TrailingZeroCount(~Halves(high)) >> 2;
        return first + (first == half ? second : 0);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static ulong Halves(Vector128<byte> bytes) => AdvSimd.ShiftRightLogicalNarrowingLower(bytes.AsUInt16(), 4).AsUInt64().ToScalar();
    }

    // Bytes after the query are read only on a page of the system on which the query has a byte.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool StaysOnItsPage(byte* key) => ((((nint)key + Reach - 1) ^ (nint)key) & SystemPageBit) == 0;
}
