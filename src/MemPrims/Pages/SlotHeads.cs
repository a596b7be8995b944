namespace MemPrims.Pages;

// The heads of a page of the caller's: of each key the bytes after what all keys share, as a number, filled up with zeros. A query's head
// finds the first that is not less. If that one is greater, the query is not there, and its place is found. If it is the same, the keys
// that have it are searched.
internal static unsafe class SlotHeads<TLayout, THead>
    where TLayout : ISlotHeads<THead>
    where THead : unmanaged, IBinaryInteger<THead>, IUnsignedNumber<THead>
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Place Find<TSlots>(TSlots slots, byte* page, byte* key, int length) where TSlots : struct, ISlots
    {
        int count = TLayout.Count(page), shared = TLayout.Shared(page);
        if (count == 0) return new(0, 0);
        if (length < shared) return Outside(slots, key, length, count);
        ReadOnlySpan<THead> heads = new(TLayout.Heads(page), count);
        THead head = Of(key, length, shared);
        int first = SlotNumbers.CountLess<THead, LittleEndianOrder>(heads, head), candidate = Math.Min(first, count - 1);
        byte* other = slots.Key(slots.Node(candidate), out int otherLength);
        if (otherLength == length && Block.Equal(other, key, length)) return new(candidate, 1);
        // The key before all others, or after them, need not have what those share.
        if (Block.CommonPrefix(other, key, Math.Min(shared, otherLength)) < shared) return Outside(slots, key, length, count);
        if (heads[candidate] != head) return new(first, 0);
        int same = heads[first..].IndexOfAnyExcept(head);
        return SlotKeys.Find(slots, key, length, first, same < 0 ? count - first : same);
    }

    // A key that lacks what all others share.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Place Outside<TSlots>(TSlots slots, byte* key, int length, int count) where TSlots : struct, ISlots
    {
        byte* other = slots.Key(slots.Node(0), out int otherLength);
        int order = Block.Compare(key, other, Math.Min(length, otherLength));
        return new((order != 0 ? order : length - otherLength) > 0 ? count : 0, 0);
    }

    public static void Inserted(byte* page, int slot)
    {
        int count = TLayout.Count(page), shared = SharedByAll(page, count);
        if (shared != TLayout.Shared(page))
        {
            Rebuild(page);
            return;
        }
        THead* heads = TLayout.Heads(page);
        byte* key = TLayout.Key(TLayout.Node(page, slot), out int length);
        Block.Copy((byte*)(heads + slot + 1), (byte*)(heads + slot), (nint)(count - 1 - slot) * sizeof(THead));
        Unsafe.WriteUnaligned(heads + slot, Of(key, length, shared));
    }

    public static void Removed(byte* page, int slot)
    {
        THead* heads = TLayout.Heads(page);
        int count = TLayout.Count(page);
        Block.Copy((byte*)(heads + slot), (byte*)(heads + slot + 1), (nint)(count - slot) * sizeof(THead));
        if (count == 0) TLayout.Shared(page) = 0;
    }

    public static void Rebuild(byte* page)
    {
        int count = TLayout.Count(page), shared = SharedByAll(page, count);
        TLayout.Shared(page) = (ushort)shared;
        THead* heads = TLayout.Heads(page);
        for (int slot = 0; slot < count; slot++)
        {
            byte* key = TLayout.Key(TLayout.Node(page, slot), out int length);
            Unsafe.WriteUnaligned(heads + slot, Of(key, length, shared));
        }
    }

    // What the first key and the last one share, all do. A key alone shares nothing: the next one would take it all back.
    private static int SharedByAll(byte* page, int count)
    {
        if (count < 2) return 0;
        byte* first = TLayout.Key(TLayout.Node(page, 0), out int length);
        byte* last = TLayout.Key(TLayout.Node(page, count - 1), out int lastLength);
        return (int)Math.Min(Block.CommonPrefix(first, last, Math.Min(length, lastLength)), ushort.MaxValue);
    }

    // The head of a key that has what all share. Eight bytes are loaded at once where the key has them.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static THead Of(byte* key, int length, int shared)
    {
        int rest = length - shared;
        if (rest >= sizeof(THead)) return SlotNumbers.Reverse(Unsafe.ReadUnaligned<THead>(key + shared));
        // The last bytes of the key: what lies before those that count is shifted out.
        if (length >= sizeof(THead) && rest > 0)
            return SlotNumbers.Reverse(Unsafe.ReadUnaligned<THead>(key + length - sizeof(THead))) << 8 * (sizeof(THead) - rest);
        THead head = THead.Zero;
        for (int i = 0; i < rest; i++) head |= THead.CreateTruncating(key[shared + i]) << 8 * (sizeof(THead) - 1 - i);
        return head;
    }
}
