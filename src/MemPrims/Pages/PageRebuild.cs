namespace MemPrims.Pages;

// Pages made anew from entries that are in order: compaction, splitting and merging.
internal static unsafe class PageRebuild
{
    // Moves all entries together to the end of the page, in the order of their keys, so that a scan reads forwards. Keys and values that
    // lie in the page move.
    // capacity: how many slots to keep room for; at least as many as there are entries.
    public static void Compact(Page page, int capacity = 0)
    {
        // The number of bytes to copy goes to the stack, where a wrong one would end the process.
        PageCheck.Header(page);
        PageHeader* header = page.Header;
        int count = header->Count, heapStart = (int)header->HeapStart, heap = page.Size - heapStart;
        byte* copy = stackalloc byte[heap];
        Block.Copy(copy, page.Start + heapStart, heap);
        Page old = new(copy - heapStart, page.Size);

        int oldCapacity = header->Capacity;
        capacity = Math.Max(capacity, PageLayout.RoundUp(count));
        ushort* oldSlots = page.Slots;
        header->Capacity = (ushort)capacity;
        ushort* slots = page.Slots;
        if (capacity != oldCapacity) Block.Copy((byte*)slots, (byte*)oldSlots, count * PageLayout.SlotBytes);
        if (!TryLay(page, old, slots, 0, heapStart)) PageErrors.ThrowDamaged("The entries of the page overlap");
    }

    // Copies entries, from the slot `first` on, to the end of a page, which has their number and room for their slots.
    private static bool TryLay(Page to, Page from, ushort* fromSlots, int first, int heapStart)
    {
        PageHeader* header = to.Header;
        ushort* slots = to.Slots;
        int lowest = PageHeader.Bytes + header->Capacity * PageLayout.PerSlot, at = to.Size;
        for (int i = header->Count - 1; i >= 0; i--)
        {
            PageEntry entry = from.EntryAt(first + i, fromSlots[first + i], heapStart);
            at -= entry.Bytes;
            if (at < lowest) return false;
            Block.Copy(to.Start + at, entry.Start, entry.Bytes);
            slots[i] = (ushort)at;
        }
        header->HeapStart = (uint)at;
        header->Live = (uint)(to.Size - at);
        return true;
    }

    // Makes `to`, whose level and first child stay, of some of the entries of another page, in a place that is not its own.
    public static void CopyEntries(Page to, Page from, int first, int behind)
    {
        int count = behind - first;
        to.Reset();
        PageHeader* header = to.Header;
        if (count == 0) return;
        header->Capacity = (ushort)PageLayout.RoundUp(count);
        header->Count = (ushort)count;
        if (!TryLay(to, from, from.SlotsOf(behind), first, (int)from.Header->HeapStart))
        {
            to.Reset();
            PageErrors.ThrowDamaged("The entries of the page overlap");
        }
        PageHeads.Rebuild(to, count == 1 ? to.Entry(0).KeyLength : KeyOrder.CommonPrefix(to.Entry(0), to.Entry(count - 1)));
    }

    // Moves the entries from `at` on to an empty page.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Split(Page left, Page right, int at)
    {
        CopyEntries(right, left, at, left.Count);
        Keep(left, at);
    }

    // Keeps the first entries, and gives them the longest prefix there is.
    public static void Keep(Page page, int count)
    {
        byte* copy = stackalloc byte[page.Size];
        Page other = new(copy, page.Size);
        *other.Header = *page.Header;
        CopyEntries(other, page, 0, count);
        Block.Copy(page.Start, copy, page.Size);
    }

    // Adds all entries of a page whose keys are above this one's. False, and nothing changed, where they do not fit.
    public static bool TryAppendAll(Page page, Page above)
    {
        int all = page.Count + above.Count;
        if (PageHeader.Bytes + PageLayout.SlotsFor(all) + (int)page.Header->Live + (int)above.Header->Live > page.Size) return false;
        for (int i = 0; i < above.Count; i++)
        {
            PageEntry entry = above.Entry(i);
            int tag = entry.IsTagged ? PageLayout.TagBit : 0;
            if (!PageChange.TryInsert(page, page.Count, entry.Key, entry.KeyLength, entry.Value, entry.ValueLength, tag))
                PageErrors.ThrowDamaged("The bytes in use are more than the header says");
        }
        return true;
    }

    // Where to split a page so that about half of the bytes are on each side.
    public static int ChooseSplit(Page page)
    {
        int count = page.Count, half = ((int)page.Header->Live + count * PageLayout.PerSlot) / 2;
        int at = 0;
        for (int bytes = 0; at < count - 1 && bytes < half; at++) bytes += page.Entry(at).Bytes + PageLayout.PerSlot;
        return Math.Max(at, 1);
    }
}
