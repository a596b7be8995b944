namespace MemPrims.Pages;

// Search by whole keys, where heads and the bytes after them tell nothing: SlotKeys over the slots of a page.
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
    public static Place Find(Page page, byte* key, int length, int first, int behind) =>
        SlotKeys.Find(new Slots(page, page.SlotsOf(behind)), key, length, first, behind - first);

    // The slots of a page, as SlotKeys wants them. An entry is looked at only where it lies in the page.
    private readonly struct Slots(Page page, ushort* slots) : ISlots
    {
        private readonly byte* _start = page.Start;
        private readonly int _lastEntry = page.Size - PageLayout.EntryHeader;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public byte* Node(nint slot) => _start + slots[slot];

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public byte* Key(byte* node, out int length)
        {
            int offset = (int)(node - _start);
            if (offset > _lastEntry) ThrowDamaged(offset);
            length = *(ushort*)node;
            if (offset + length > _lastEntry) ThrowDamaged(offset);
            return node + PageLayout.EntryHeader;
        }

        [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
        private void ThrowDamaged(int offset) =>
            PageErrors.ThrowDamagedEntry(new ReadOnlySpan<ushort>(slots, page.Count).IndexOf((ushort)offset), offset, page.Size);
    }
}
