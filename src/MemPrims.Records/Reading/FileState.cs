namespace MemPrims.Records.Reading;

// The file as of one transaction N, and how a reader without a lock finds out whether it may believe what it read.
//
// The copies that are active at N stay untouched until N+1 is published in slot (N+1) & 1. So what was read stands if, after an acquire
// fence, slot N & 1 still says N, and the other slot holds no valid meta that is newer. Usually that is two loads: the other slot still
// holds the number that it held when this state was made, which was not newer. A newer number under a wrong checksum is a meta half
// written, or torn for good by a crash: then the checksum is computed at every call.
internal sealed unsafe class FileState
{
    private const ulong NeverSeen = ulong.MaxValue;

    // The words of a pinned state, which always stands. No transaction is 0, so Stands looks further, and finds that there are no slots.
    private static readonly ulong* s_nothing = (ulong*)NativeMemory.AllocZeroed(sizeof(ulong));

    private MetaSlots? _slots;
    private ulong* _ownWord, _otherWord;
    private readonly ulong _otherSeen;
    // Kept for its memory alone, or for its lock.
    private object? _keeps;
    private readonly ulong[] _chunks;
    // For each 64 pages two words next to each other: which copies are active, and which pages were found right. Without the second, each
    // read would load the page's header, a cache line that it needs for nothing else.
    private readonly ulong[] _marks;
    private readonly ulong[] _verified;
    private readonly ulong _pageReciprocal;
    private readonly int _pageShift;

    public FileState(string path, Meta meta, PageMap map, MetaSlots slots, Overlay? overlay)
    {
        (Path, Meta, Map, _slots, _keeps) = (path, meta, map, slots, overlay);
        _chunks = overlay?.Chunks ?? map.Chunks;
        // What is found right in the copies in memory says nothing about the file.
        _verified = overlay is null ? map.Verified : [.. map.Verified];
        _marks = new ulong[2 * meta.Active.Length];
        for (int word = 0; word < meta.Active.Length; word++) _marks[2 * word] = meta.Active[word];
        Transaction = meta.Header.Transaction;
        (PageCount, Count, FreeCount) = ((int)meta.Header.PageCount, (int)meta.Header.RecordCount, (int)meta.Header.FreeCount);
        (RecordBytes, FixedBytes, RecordsPerPage) = (meta.Header.RecordBytes, meta.Header.FixedBytes, meta.Header.RecordsPerPage);
        _pageShift = 32 + BitOperations.Log2((uint)RecordsPerPage);
        _pageReciprocal = ((1UL << _pageShift) + (uint)RecordsPerPage - 1) / (uint)RecordsPerPage;
        int own = (int)(Transaction & 1);
        _ownWord = (ulong*)(slots.Slot(own) + MetaHeader.TransactionOffset);
        _otherWord = (ulong*)(slots.Slot(own ^ 1) + MetaHeader.TransactionOffset);
        ulong other = Volatile.Read(ref *_otherWord);
        _otherSeen = other < Transaction ? other : NeverSeen;
    }

    // The same state while a pin holds it. Marks are shared: what was found right of this transaction is right.
    public FileState HeldBy(Pin pin)
    {
        FileState held = (FileState)MemberwiseClone();
        (held._slots, held._keeps) = (null, (pin, _keeps));
        held._ownWord = held._otherWord = s_nothing;
        return held;
    }

    public readonly string Path;
    public readonly Meta Meta;
    public readonly PageMap Map;
    public readonly ulong Transaction;

    // The records, free ones among them, and how many of them are free.
    public readonly int Count, FreeCount;
    public readonly int PageCount, RecordBytes, FixedBytes, RecordsPerPage;

    // Whether all that was read since this state was made is what was committed.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Stands()
    {
        // An acquire orders nothing before itself, so what was read needs the barrier. Volatile reads stay after it: .NET's arm64 compiler
        // pairs plain ones of one base across a barrier.
        Volatile.ReadBarrier();
        return (Volatile.Read(ref *_ownWord) == Transaction && Volatile.Read(ref *_otherWord) == _otherSeen) || StandsOnInspection();
    }

    // The address of a record, its page checked; null when the file has moved on.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Locate(long id)
    {
        if ((ulong)id < (ulong)Count)
        {
            int page = PageOf(id);
            if (IsGood(page)) return RecordIn(ActiveCopy(page, out _), page, id);
        }
        return LocateUnchecked(id);
    }

    // The page's active copy, checked; null when the file has moved on.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* CheckedPage(int page)
    {
        byte* start = ActiveCopy(page, out int index);
        return IsGood(page) || LookAt(page, index, start) ? start : null;
    }

    // Has the fixed parts of a page's records come into the cache, if there is such a page.
    public void Prefetch(int page)
    {
        const int lineBytes = 64;
        if (!Sse.IsSupported || page >= PageCount) return;
        byte* start = ActiveCopy(page, out _);
        int step = Math.Max(RecordBytes, lineBytes);
        for (byte* record = start + PageHeader.Size, end = start + PageHeader.PageBytes; record < end; record += step)
        {
            Sse.Prefetch0(record);
            Sse.Prefetch0(record + FixedBytes - 1);
        }
    }

    // Reads a page of a pinned state and checks it, whether or not it was found right before. It is read by a call of the system: a page
    // that the disk cannot read is an exception, where the map would end the process.
    public void ReadPage(int page, IStorage file, Span<byte> to)
    {
        byte* start = ActiveCopy(page, out int index);
        int chunk = page >> PageMap.ChunkShift, read = PageHeader.PageBytes;
        // A copy in memory has what the file lacks.
        if (_chunks[chunk] != Map.Chunks[chunk]) new ReadOnlySpan<byte>(start, PageHeader.PageBytes).CopyTo(to);
        else
        {
            try
            {
                read = file.Read(PageHeader.OffsetOf(Map.SlotBytes, page, index & 1), to);
            }
            catch (IOException e)
            {
                throw new MappedFileException(MappedFileReason.DamagedPage, Path,
                    $"A page cannot be read ({e.Message}): Salvage copies out what is whole", page, inner: e);
            }
        }
        if (read < PageHeader.PageBytes)
            throw new MappedFileException(MappedFileReason.Truncated, Path,
                "The file ends within a page: it was cut off. Salvage copies out what is left", page, PageHeader.PageBytes, (ulong)read);
        fixed (byte* copy = to) Check(page, index, copy);
    }

    // The writer has made this state of `before` by writing some pages, whose checksums it computed itself: whatever was found right
    // before still is, for nobody else has written.
    public void Follow(FileState before, List<int> written)
    {
        for (int word = 1; word < before._marks.Length; word += 2) _marks[word] |= before._marks[word];
        foreach (int page in written)
        {
            MarkGood(page);
            _verified[(page << 1) | ActiveCopyOf(page)] = Transaction;
        }
    }

    // Whether a record that there is was freed. Null when the file has moved on.
    public bool? IsFree(long id)
    {
        if (Locate(id) == null) return null;
        int page = PageOf(id);
        return FreeCount > 0
            && PageHeader.IsFree(new(ActiveCopy(page, out _), PageHeader.PageBytes), (int)id - page * RecordsPerPage, RecordsPerPage);
    }

    public int RecordsIn(int page) => Math.Min(RecordsPerPage, Count - page * RecordsPerPage);

    // id / RecordsPerPage as a product and a shift: the reciprocal, of 32 bits at most and rounded up, is right for every id below 2^31.
    public int PageOf(long id) => (int)((ulong)id * _pageReciprocal >> _pageShift);

    public int ActiveCopyOf(int page) => (int)(At(_marks, page >> 6 << 1) >> page) & 1;

    private bool IsGood(int page) => (At(_marks, (page >> 6 << 1) | 1) >> page & 1) != 0;

    // Marks may be lost when two threads set bits of one word: the page is then looked at once more.
    private void MarkGood(int page) => _marks[(page >> 6 << 1) | 1] |= 1UL << page;

    private byte* RecordIn(byte* start, int page, long id) =>
        start + PageHeader.Size + (nint)((int)id - page * RecordsPerPage) * RecordBytes;

    // Without the bounds check: every page that comes here is below the page count, for which the arrays were made.
    private static T At<T>(T[] array, int index) => Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(array), index);

    private byte* ActiveCopy(int page, out int index)
    {
        int copy = ActiveCopyOf(page);
        index = (page << 1) | copy;
        return (byte*)At(_chunks, page >> PageMap.ChunkShift) + (nint)(index & (2 * PageMap.PagesPerChunk - 1)) * PageHeader.PageBytes;
    }

    private bool StandsOnInspection()
    {
        if (_slots is null) return true;
        int own = (int)(Transaction & 1);
        if (_slots.TransactionIn(own) != Transaction) return false;
        Meta? other = _slots.Read(own ^ 1);
        return other is null || other.Header.Transaction < Transaction;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* LocateUnchecked(long id)
    {
        if ((ulong)id < (ulong)Count)
        {
            int page = PageOf(id);
            byte* start = CheckedPage(page);
            return start == null ? null : RecordIn(start, page, id);
        }
        if (id >= 0 && !Stands()) return null;
        throw new ArgumentOutOfRangeException(nameof(id), id, $"{Path} has {Count} records, from id 0.");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool LookAt(int page, int index, byte* start)
    {
        ulong transaction = ((PageHeader*)start)->Transaction;
        // 0 is no transaction, and it is the mark of a copy that nobody checked: a page of zeros must not pass for a checked one.
        if ((transaction == 0 || transaction != _verified[index] || transaction > Transaction) && !Check(page, index, start)) return false;
        MarkGood(page);
        return true;
    }

    private bool Check(int page, int index, byte* start)
    {
        PageHeader header = *(PageHeader*)start;
        uint checksum = PageHeader.ChecksumOf(new(start, PageHeader.PageBytes), (uint)page);
        bool right = checksum == header.Checksum && header.Page == page && header.Transaction <= Transaction && header.Transaction != 0
            && header.RecordId == Meta.Header.RecordId && header.RecordVersion == Meta.Header.RecordVersion
            && header.RecordBytes == RecordBytes && header.FixedBytes == FixedBytes && header.Records == RecordsIn(page);
        // Whatever was found means something only if no writer had come back to this copy meanwhile.
        if (!Stands()) return false;
        if (!right) throw Damaged(page, header, checksum);
        _verified[index] = header.Transaction;
        return true;
    }

    private MappedFileException Damaged(int page, PageHeader header, uint checksum)
    {
        (string what, ulong expected, ulong actual) =
            checksum != header.Checksum ? ("A page's checksum is wrong", header.Checksum, checksum)
            : header.Page != page ? ("Another page was written in a page's place", (ulong)page, (ulong)header.Page)
            : header.Transaction > Transaction ? ("A page is newer than the meta that points to it", Transaction, header.Transaction)
            : ("A page's header contradicts the meta", (ulong)RecordsIn(page), (ulong)header.Records);
        return new(MappedFileReason.DamagedPage, Path, $"{what}: Salvage copies out what is whole", page, expected, actual);
    }
}
