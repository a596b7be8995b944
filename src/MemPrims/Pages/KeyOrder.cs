namespace MemPrims.Pages;

// Search by whole keys, where heads and the bytes after them tell nothing: a plain binary search by Block.Compare.
internal static unsafe class KeyOrder
{
    public static int Compare(byte* left, int leftLength, byte* right, int rightLength)
    {
        int order = Block.Compare(left, right, Math.Min(leftLength, rightLength));
        return order != 0 ? order : leftLength - rightLength;
    }

    public static int CommonPrefix(PageEntry left, PageEntry right) =>
        (int)Block.CommonPrefix(left.Key, right.Key, Math.Min(left.KeyLength, right.KeyLength));

    // Finds the key among the positions from `first` to before `behind`.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Place Find(Page page, byte* key, int length, int first, int behind)
    {
        ushort* slots = page.SlotsOf(behind);
        int lastEntry = page.Size - PageLayout.EntryHeader;
        while (first < behind)
        {
            int middle = (first + behind) >>> 1, offset = slots[middle];
            byte* entry = page.Start + offset;
            if (offset > lastEntry) PageErrors.ThrowDamagedEntry(middle, offset, page.Size);
            int keyLength = *(ushort*)entry;
            if (offset + keyLength > lastEntry) PageErrors.ThrowDamagedEntry(middle, offset, page.Size);
            int order = Compare(key, length, entry + PageLayout.EntryHeader, keyLength);
            if (order == 0) return new(middle, 1);
            if (order > 0) first = middle + 1;
            else behind = middle;
        }
        return new(first, 0);
    }
}
