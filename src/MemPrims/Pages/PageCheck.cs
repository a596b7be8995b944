namespace MemPrims.Pages;

// What a page is held to. Header takes a constant time and keeps every later access inside the page; All proves the rest: entries inside
// the heap and disjoint, keys in strict order, prefix, heads and hints those of the keys.
internal static unsafe class PageCheck
{
    public static void Header(Page page)
    {
        // A copy: another thread may change the page, and what was checked has to be what is used.
        PageHeader header = *page.Header;
        Numbers(page, &header);
    }

    private static void Numbers(Page page, PageHeader* header)
    {
        if (header->Magic != PageHeader.SortedMagic)
        {
            string start = Convert.ToHexString(new ReadOnlySpan<byte>(page.Start, sizeof(uint)));
            PageErrors.ThrowDamaged($"The page starts with the bytes {start}, not with 4D506731, the text MPg1", 0);
        }
        if (header->Size != page.Size)
            PageErrors.ThrowDamaged($"The page has {page.Size} bytes, and says {header->Size}", OffsetOf(header, &header->Size));
        int count = header->Count, slotsEnd = PageHeader.Bytes + header->Capacity * PageLayout.PerSlot;
        if (header->Capacity < count || header->Capacity % PageLayout.CapacityStep != 0)
            PageErrors.ThrowDamaged($"There is room for {header->Capacity} slots, and there are {count}",
                OffsetOf(header, &header->Capacity));
        if (header->HeapStart < slotsEnd || header->HeapStart > page.Size)
            PageErrors.ThrowDamaged($"The entries start at byte {header->HeapStart}; that should be from {slotsEnd} to {page.Size}",
                OffsetOf(header, &header->HeapStart));
        // Each entry has at least its lengths, so after the last block of heads there is a whole vector of bytes in the page.
        if (header->Live < count * PageLayout.EntryHeader || header->Live > page.Size - header->HeapStart)
        {
            PageErrors.ThrowDamaged(
                $"{count} entries have {count * PageLayout.EntryHeader} to {page.Size - header->HeapStart} bytes, not {header->Live}",
                OffsetOf(header, &header->Live));
        }
        if (header->StepBits != PageHeader.StepBitsFor(count))
            PageErrors.ThrowDamaged($"The hints of {count} heads are 2^{PageHeader.StepBitsFor(count)} apart, not 2^{header->StepBits}",
                OffsetOf(header, &header->StepBits));
        if (!PageHeads.HintsEnd(header)) PageErrors.ThrowDamaged($"There are more hints than {count} heads have", PageHeader.HintsOffset);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void All(Page page)
    {
        PageHeader copy = *page.Header;
        PageHeader* header = &copy;
        Numbers(page, header);
        for (int i = 0; i < PageHeader.ReservedBytes; i++)
            if (header->Reserved[i] != 0)
                PageErrors.ThrowDamaged("A byte of the header that should be 0 is not", OffsetOf(header, &header->Reserved[i]));
        if (header->Count == 0 && header->Prefix != 0)
            PageErrors.ThrowDamaged("An empty page has a prefix", OffsetOf(header, &header->Prefix));
        ushort* slots = (ushort*)(page.Heads + header->Capacity);
        Entries(page, header, slots);
        Keys(page, header, slots);
        Hints(page, header);
    }

    private static void Entries(Page page, PageHeader* header, ushort* slots)
    {
        int count = header->Count, heapStart = (int)header->HeapStart, most = PageLayout.MaxEntry(page.Size);
        Span<byte> taken = stackalloc byte[page.Size];
        taken.Clear();
        long live = 0;
        for (int i = 0; i < count; i++)
        {
            // Slot and lengths are read once: a writer beside this may change them.
            int offset = slots[i], slot = (int)((byte*)(slots + i) - page.Start);
            int bytes = offset <= page.Size - PageLayout.EntryHeader ? new PageEntry(page.Start + offset).Bytes : PageLayout.EntryHeader;
            if (offset < heapStart)
                PageErrors.ThrowDamaged($"The entry of slot {i} starts at byte {offset}, below the first of the entries at {heapStart}",
                    offset);
            if (bytes > most + PageLayout.EntryHeader)
                PageErrors.ThrowDamaged($"The entry of slot {i} has {bytes - PageLayout.EntryHeader} bytes, and {most} are the most",
                    offset);
            if (bytes > page.Size - offset)
                PageErrors.ThrowDamaged($"The entry of slot {i} starts at byte {offset} and ends after the page", slot);
            Span<byte> here = taken.Slice(offset, bytes);
            if (here.Contains((byte)1)) PageErrors.ThrowDamaged($"The entry of slot {i} overlaps another", offset);
            here.Fill(1);
            live += bytes;
        }
        if (live != header->Live)
            PageErrors.ThrowDamaged($"The entries have {live} bytes, and the header says {header->Live}", OffsetOf(header, &header->Live));
    }

    private static void Keys(Page page, PageHeader* header, ushort* slots)
    {
        int count = header->Count, prefix = header->Prefix;
        PageEntry before = default;
        for (int i = 0; i < count; i++)
        {
            PageEntry entry = page.EntryAt(i, slots[i], (int)header->HeapStart);
            int length = entry.KeyLength, slot = (int)((byte*)(slots + i) - page.Start);
            if (length < prefix || (i > 0 && !Block.Equal(entry.Key, before.Key, prefix)))
                PageErrors.ThrowDamaged($"The key of slot {i} does not have the {prefix} bytes that the header says all keys share", slot);
            if (i > 0 && KeyOrder.Compare(before.Key, before.KeyLength, entry.Key, length) >= 0)
                PageErrors.ThrowDamaged($"The key of slot {i} is not above the one before it", slot);
            if (page.Heads[i] != PageHeads.Of(entry.Key + prefix, length - prefix))
                PageErrors.ThrowDamaged($"Head {i} is not that of its key", PageHeader.Bytes + i * PageLayout.HeadBytes);
            before = entry;
        }
    }

    private static void Hints(Page page, PageHeader* header)
    {
        for (int i = 0; i < PageHeader.HintCount; i++)
        {
            int head = (i + 1) << header->StepBits;
            if (header->Hints[i] != (head < header->Count ? page.Heads[head] : int.MaxValue))
                PageErrors.ThrowDamaged($"Hint {i} is not that of its head", PageHeader.HintsOffset + i * sizeof(int));
        }
    }

    private static int OffsetOf(PageHeader* header, void* field) => (int)((byte*)field - (byte*)header);
}
