namespace MemPrims.Pages;

// A page by its address. Heads and slots grow up after the header, entries grow down from the end. Whoever makes one has checked the
// header's numbers against the size (PageCheck.Header). Another thread may change them afterwards, against the contract: so what reads a
// page reads each number once, and Entry checks where it leads.
internal readonly unsafe struct Page(byte* start, int size)
{
    // What counts as few: keys that are far from each other.
    public const int FewEntries = 64;

    private const int Line = 64;

    public readonly byte* Start = start;
    public readonly int Size = size;

    public PageHeader* Header => (PageHeader*)Start;

    public int Count => Header->Count;

    public int* Heads => (int*)(Start + PageHeader.Bytes);

    public ushort* Slots => (ushort*)(Start + PageHeader.Bytes + Header->Capacity * PageLayout.HeadBytes);

    // The bytes between the slots and the lowest entry.
    public int Gap => (int)Header->HeapStart - PageHeader.Bytes - Header->Capacity * PageLayout.PerSlot;

    public int FreeBytes => Size - PageHeader.Bytes - PageLayout.SlotsFor(Count) - (int)Header->Live;

    // Bytes in use, of Size less the header.
    public int Used => Size - PageHeader.Bytes - FreeBytes;

    // An entry. All of it lies among the entries, or this throws. So no span and no write reaches the header, whose numbers were checked
    // only once, and nothing leads outside of the page: neither damage nor a thread that changes it meanwhile.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PageEntry Entry(int position)
    {
        ushort* slot = Slots + position;
        if (!HasSlot(slot)) PageErrors.ThrowDamagedEntry(position, -1, Size);
        return EntryAt(position, *slot, (int)Header->HeapStart);
    }

    // The same, of a slot that was read before.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PageEntry EntryAt(int position, int offset, int heapStart)
    {
        if (offset < heapStart || offset > Size - PageLayout.EntryHeader) PageErrors.ThrowDamagedEntry(position, offset, Size);
        PageEntry entry = new(Start + offset);
        if (offset + entry.Bytes > Size) PageErrors.ThrowDamagedEntry(position, offset, Size);
        return entry;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool HasSlot(ushort* slot) => (int)((byte*)slot - Start) <= Size - PageLayout.SlotBytes;

    // The slots, of which so many are in the page, or this throws.
    public ushort* SlotsOf(int count)
    {
        ushort* slots = Slots;
        if (!HasSlot(slots + count - 1)) PageErrors.ThrowDamagedEntry(count - 1, -1, Size);
        return slots;
    }

    public ReadOnlySpan<byte> Key(int position) => Entry(position).KeySpan;

    // Asks for all lines of the page, for whoever reads it soon; of a page whose entries are few, and so large, for those before them.
    // .NET has this for x64 and, of arm64, for SVE alone.
    public void Prefetch(bool isOfFew)
    {
        if (!Sse.IsSupported) return;
        int bytes = isOfFew ? PageHeader.Bytes + PageLayout.SlotsFor(FewEntries) : Size;
        for (byte* line = Start, end = Start + Math.Min(bytes, Size); line < end; line += Line) Sse.Prefetch1(line);
    }

    // Asks for the keys of a page whose entries are few. A slot of a damaged page may say any place.
    public void PrefetchKeys(ushort* slots, int first, int limit)
    {
        if (!Sse.IsSupported) return;
        for (int i = first; i < limit; i++) Sse.Prefetch0(Start + slots[i]);
    }

    // Makes an empty page.
    public void Initialize(int level = 0)
    {
        *Header = default;
        Header->Magic = PageHeader.SortedMagic;
        Header->Size = (uint)Size;
        Header->Level = (byte)level;
        Reset();
    }

    // Forgets all entries; level and first child stay.
    public void Reset()
    {
        Header->Count = Header->Capacity = Header->Prefix = 0;
        Header->StepBits = PageHeader.SmallestStepBits;
        Header->HeapStart = (uint)Size;
        Header->Live = 0;
        PageHeads.FillHints(this, 0);
    }
}

// An entry by its address and its two lengths. They are loaded once, by one load: whoever has checked them against the page goes on with
// the numbers that were checked, also where another thread writes others meanwhile.
internal readonly unsafe struct PageEntry(byte* start)
{
    private readonly uint _lengths = *(uint*)start;

    public readonly byte* Start = start;

    public int KeyLength => (ushort)_lengths;

    public int ValueLength => (int)(_lengths >> 16) & ~PageLayout.TagBit;

    public bool IsTagged => (int)_lengths < 0;

    public int Bytes => PageLayout.EntryHeader + KeyLength + ValueLength;

    public byte* Key => Start + PageLayout.EntryHeader;

    public byte* Value => Key + KeyLength;

    public ReadOnlySpan<byte> KeySpan => new(Key, KeyLength);

    public ReadOnlySpan<byte> ValueSpan => new(Value, ValueLength);
}
