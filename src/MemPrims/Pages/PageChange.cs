namespace MemPrims.Pages;

// Changes of one page: an entry is written below the lowest one, then heads and slots after its position move up by one. Bytes of removed
// entries stay in the heap until the gap is too small; then the page is compacted. The page's prefix only shrinks here. All heads are made
// anew when it does. That is rare: ten thousand ascending numbers shorten it four times.
internal static unsafe class PageChange
{
    // Slots move when the room for heads grows. So it grows by a larger step while the page is mostly empty.
    private const int PlentyOfRoom = 1024, RoomyStep = 32;

    // Adds an entry at its place in the order, which the caller has found. False, and nothing changed, where it does not fit.
    // Key and value may lie in the page itself.
    public static bool TryInsert(Page page, int position, byte* key, int keyLength, byte* value, int valueLength, int tag = 0)
    {
        Bound(page, position, page.Count);
        PageHeader* header = page.Header;
        int count = header->Count, bytes = PageLayout.EntryHeader + keyLength + valueLength;
        int grown = header->Capacity - count > 0 ? 0 : PageLayout.CapacityStep;
        if (page.Gap < bytes + grown * PageLayout.PerSlot)
            return Fits(page, bytes) && InsertCompacted(page, position, key, keyLength, value, valueLength, tag);
        if (grown != 0) Grow(page, page.Gap - bytes);

        byte* entry = page.Start + (header->HeapStart -= (uint)bytes);
        header->Live += (uint)bytes;
        Write(entry, key, keyLength, value, valueLength, tag);
        KeepPrefix(page, position, new(entry));

        int behind = count - position;
        int* head = page.Heads + position;
        ushort* slot = page.Slots + position;
        if (behind > 0)
        {
            Block.Copy((byte*)(head + 1), (byte*)head, behind * PageLayout.HeadBytes);
            Block.Copy((byte*)(slot + 1), (byte*)slot, behind * PageLayout.SlotBytes);
        }
        *head = PageHeads.Of(entry + PageLayout.EntryHeader + header->Prefix, keyLength - header->Prefix);
        *slot = (ushort)header->HeapStart;
        header->Count = (ushort)(count + 1);
        PageHeads.Moved(page, position);
        return true;
    }

    // What keeps a change inside the page. Its header was checked when the page was first used, and somebody may have written to it since:
    // a stray pointer, or another process that has the file mapped.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Bound(Page page, int position, int last)
    {
        PageHeader* header = page.Header;
        uint capacity = header->Capacity, heapStart = header->HeapStart;
        if ((uint)position > (uint)last | last < 0 | header->Count > capacity | heapStart > (uint)page.Size
            | PageHeader.Bytes + capacity * PageLayout.PerSlot > heapStart | header->StepBits > PageHeader.MostStepBits)
            OutOfBounds(page, position);
    }

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    private static void OutOfBounds(Page page, int position)
    {
        PageCheck.Header(page);
        PageErrors.ThrowDamaged($"An entry has to be changed at {position}, of {page.Count}");
    }

    // Whether an entry of so many bytes, lengths included, fits beside those that are there.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Fits(Page page, int bytes) =>
        PageHeader.Bytes + PageLayout.SlotsFor(page.Count + 1) + (int)page.Header->Live + bytes <= page.Size;

    // Gives an entry another value. False, and nothing changed, where that does not fit.
    public static bool TryUpdate(Page page, int position, byte* key, int keyLength, byte* value, int valueLength, int tag = 0)
    {
        Bound(page, position, page.Count - 1);
        PageHeader* header = page.Header;
        PageEntry entry = page.Entry(position);
        int old = entry.ValueLength;
        if (valueLength <= old)
        {
            Block.Copy(entry.Value, value, valueLength);
            *(ushort*)(entry.Start + 2) = (ushort)(valueLength | tag);
            header->Live -= (uint)(old - valueLength);
            return true;
        }
        int bytes = PageLayout.EntryHeader + keyLength + valueLength;
        if (page.Gap >= bytes)
        {
            byte* moved = page.Start + (header->HeapStart -= (uint)bytes);
            header->Live += (uint)(valueLength - old);
            Write(moved, key, keyLength, value, valueLength, tag);
            page.Slots[position] = (ushort)header->HeapStart;
            return true;
        }
        if ((int)header->Live + valueLength - old > page.Size - PageHeader.Bytes - PageLayout.SlotsFor(page.Count)) return false;
        // What is removed stays where it is until the page is compacted: key and value may lie in it.
        RemoveAt(page, position);
        if (!InsertCompacted(page, position, key, keyLength, value, valueLength, tag)) PageErrors.ThrowDamagedLive();
        return true;
    }

    public static void RemoveAt(Page page, int position)
    {
        Bound(page, position, page.Count - 1);
        PageHeader* header = page.Header;
        PageEntry entry = page.Entry(position);
        int bytes = entry.Bytes, behind = header->Count - position - 1;
        if (behind + position == 0)
        {
            page.Reset();
            return;
        }
        header->Live -= (uint)bytes;
        if (entry.Start == page.Start + header->HeapStart) header->HeapStart += (uint)bytes;
        int* head = page.Heads + position;
        ushort* slot = page.Slots + position;
        Block.Copy((byte*)head, (byte*)(head + 1), behind * PageLayout.HeadBytes);
        Block.Copy((byte*)slot, (byte*)(slot + 1), behind * PageLayout.SlotBytes);
        header->Count--;
        PageHeads.Moved(page, position);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool InsertCompacted(Page page, int position, byte* key, int keyLength, byte* value, int valueLength, int tag)
    {
        // Key and value may lie in the page, whose entries move.
        int bytes = keyLength + valueLength;
        byte* copy = stackalloc byte[bytes];
        Block.Copy(copy, key, keyLength);
        Block.Copy(copy + keyLength, value, valueLength);
        PageRebuild.Compact(page, capacity: PageLayout.RoundUp(page.Count + 1));
        return TryInsert(page, position, copy, keyLength, copy + keyLength, valueLength, tag);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Grow(Page page, int spare)
    {
        int step = spare >= PlentyOfRoom ? RoomyStep : PageLayout.CapacityStep;
        byte* slots = (byte*)page.Slots;
        Block.Copy(slots + step * PageLayout.HeadBytes, slots, page.Count * PageLayout.SlotBytes);
        page.Header->Capacity += (ushort)step;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Write(byte* entry, byte* key, int keyLength, byte* value, int valueLength, int tag)
    {
        *(uint*)entry = (uint)keyLength | (uint)(valueLength | tag) << 16;
        Block.Copy(entry + PageLayout.EntryHeader, key, keyLength);
        Block.Copy(entry + PageLayout.EntryHeader + keyLength, value, valueLength);
    }

    // Shortens the page's prefix to what the new key has of it. The neighbour's key has all of it, and the search has just read it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void KeepPrefix(Page page, int position, PageEntry entry)
    {
        PageHeader* header = page.Header;
        if (header->Count == 0)
        {
            header->Prefix = (ushort)entry.KeyLength;
            return;
        }
        PageEntry neighbour = page.Entry(Math.Min(position, header->Count - 1));
        int prefix = header->Prefix, least = Math.Min(entry.KeyLength, neighbour.KeyLength);
        if (least < prefix || Block.Compare(entry.Key, neighbour.Key, prefix) != 0)
            PageHeads.Rebuild(page, Math.Min(prefix, KeyOrder.CommonPrefix(entry, neighbour)));
    }
}
