namespace MemPrims.Records.Writing;

// The pages that a transaction has touched, as copies in the writer's memory, of which only the lines of the records that were asked for
// are there. Nothing reaches the file before the commit. Lines come from transactions below, on their way to the disk, or from the file.
//
// One thread at a time uses it, and callers see to that. Where they do not, the file must not suffer: see Enter.
internal sealed unsafe class WriteBatch
{
    // Each group below may commit once while a page is looked at.
    private const int MostTries = 8;

    private readonly RecordFile _file;
    private readonly Committer _committer;
    private readonly int _pagesBefore;
    private FileState _base;
    private TouchedPage[] _pages;
    private List<int>? _freed;
    // The thread that used it last, and whether that one is inside.
    private int _owner = Environment.CurrentManagedThreadId;
    private bool _inside;

    public WriteBatch(RecordFile file, Committer committer, PageSet own, PageSet[] below, int count, int free, int freeFrom, int failures)
    {
        (_file, _committer, _base, Set, Below, FailuresBefore) = (file, committer, file.Current, own, below, failures);
        (FixedBytes, RecordBytes, Count, FreeCount, FreeFrom) = (_base.FixedBytes, _base.RecordBytes, count, free, freeFrom);
        _pagesBefore = (count + _base.RecordsPerPage - 1) / _base.RecordsPerPage;
        _pages = own.Room(_pagesBefore);
        IsOpen = true;
    }

    public bool IsOpen { get; set; }

    // Whether several threads used it at once. It has ended then, and its pages are used by nobody again.
    public bool IsTorn { get; private set; }

    public int Count { get; private set; }

    public int FreeCount { get; private set; }

    // No record of a page before this one is free.
    public int FreeFrom { get; private set; }

    public PageSet Set { get; }

    // The changes that it is built on and that are not in the file yet, newest first.
    public PageSet[] Below { get; }

    // How many commits had failed when it began: it may be built on none that failed later.
    public int FailuresBefore { get; }

    public RecordLayout Layout => _file.Layout;

    // The file's, as far as it is known here: how large its records are never changes.
    public FileState State => _base;

    public string Path => _base.Path;

    public int FixedBytes { get; }

    public int RecordBytes { get; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public RecordSlot Slot(long id)
    {
        // No look at the thread: it would take 3 ns of 44 ("read-modify-write of three fields"). Lines that are there stay where they are.
        if (!IsOpen || (ulong)id >= (ulong)Count) ThrowMissing(id);
        int page = _base.PageOf(id), offset = OffsetInPage(id, page);
        ref TouchedPage touched = ref _pages[page];
        ulong lines = PageLines.Of(offset, RecordBytes);
        // In this order: a thread that commits meanwhile takes both away.
        byte* bytes = touched.Bytes;
        if (bytes == null || (lines & ~touched.Lines) != 0) bytes = Fetch(page, lines);
        if (FreeCount != 0) RefuseFree(id, page);
        return new(ref *(bytes + offset), this);
    }

    // A record to be read only: its page is no part of the commit unless it was changed.
    public RecordBytes View(long id)
    {
        if (_owner != Environment.CurrentManagedThreadId) TakeOver();
        if (!IsOpen || (ulong)id >= (ulong)Count) ThrowMissing(id);
        int page = _base.PageOf(id), offset = OffsetInPage(id, page);
        ulong lines = PageLines.Of(offset, RecordBytes);
        ulong changed = _pages[page].Lines;
        foreach (PageSet set in Below) changed |= set[page].Lines;
        if ((changed & lines) == 0) return new(CheckedPage(page) + offset, _base);
        return new(Fetch(page, lines) + offset, _base);
    }

    // A free record, or a new one at the end.
    public RecordSlot Append(out int id)
    {
        using Use use = Enter();
        ThrowIfEnded();
        return FreeCount > 0 ? Reuse(out id) : AppendAtEnd(out id);
    }

    public bool IsFree(long id)
    {
        if (_owner != Environment.CurrentManagedThreadId) TakeOver();
        if (!IsOpen || (ulong)id >= (ulong)Count) ThrowMissing(id);
        bool isFree = FreeCount > 0 && IsFreeIn(_base.PageOf(id), id);
        ThrowIfEndedMeanwhile();
        return isFree;
    }

    public void Free(long id)
    {
        using Use use = Enter();
        ThrowIfEnded();
        Slot(id).Clear();
        int page = _base.PageOf(id);
        Mark(page, (int)id - page * _base.RecordsPerPage, free: true);
        FreeCount++;
        FreeFrom = Math.Min(FreeFrom, page);
        (_freed ??= []).Add((int)id);
    }

    public RecordSlot AppendAtEnd(out int id)
    {
        using Use use = Enter();
        ThrowIfEnded();
        id = Count;
        int page = _base.PageOf(id);
        if (id == int.MaxValue || page >= MetaHeader.MaxPages(_base.Meta.Header.SlotBytes))
            throw new MappedFileException(MappedFileReason.Full, Path,
                $"The file holds {Count} records, all that its meta slots of {_base.Meta.Header.SlotBytes} bytes can keep track of: "
                    + "create one with a larger MetaSlotBytes and copy.");
        _pages = Set.Room(page + 1);
        if (page >= _pagesBefore && _pages[page].Bytes == null)
        {
            Keep(page);
            ref TouchedPage fresh = ref _pages[page];
            new Span<byte>(fresh.Bytes, PageHeader.PageBytes).Clear();
            ((PageHeader*)fresh.Bytes)->Page = (uint)page;
            fresh.Lines = PageLines.All;
        }
        Count++;
        RecordSlot slot = Slot(id);
        slot.Clear();
        return slot;
    }

    // A span over these bytes of a page is handed out.
    public void GiveOut(ref byte start)
    {
        using Use use = Enter();
        ThrowIfEnded();
        // Pages lie at multiples of their size, and each knows its number.
        PageHeader* page = (PageHeader*)((nint)Unsafe.AsPointer(ref start) & ~(nint)(PageHeader.PageBytes - 1));
        _pages[page->Page].GivenOut = true;
    }

    public void ThrowIfEnded()
    {
        if (!IsOpen) ThrowEnded();
    }

    // After a look at the map: a file that is closed beside it has its map taken away, and zeros are read then.
    public void ThrowIfEndedMeanwhile()
    {
        Volatile.ReadBarrier();
        ThrowIfEnded();
    }

    // For getters and setters, which look at IsOpen themselves. It never returns, so that around it they keep all in registers: a record
    // of which three fields are changed takes 35 ns in place of 42 ("read-modify-write of three fields").
    [DoesNotReturn]
    public void ThrowEnded() => throw (IsTorn ? Shared() : new ObjectDisposedException("WriteTransaction",
        $"The transaction on {Path} has ended: its records can be neither read nor changed any more."));

    // Begins what changes more than the bytes of a record. A transaction that a second thread comes into meanwhile ends there, and is
    // never committed: whatever two threads made of it together, the file does not get it.
    public Use Enter()
    {
        int thread = Environment.CurrentManagedThreadId;
        if (_owner != thread) TakeOver();
        bool wasInside = _inside;
        Volatile.Write(ref _inside, true);
        // The processor may load before it has stored. A thread that takes over makes all processors wait for their stores.
        if (Volatile.Read(ref _owner) != thread || IsTorn) throw Tear();
        return new(this, wasInside);
    }

    public readonly ref struct Use(WriteBatch batch, bool wasInside)
    {
        public void Dispose() => Volatile.Write(ref batch._inside, wasInside);
    }

    // A transaction may go from thread to thread, with an await or a task, when the thread before is outside. The barrier takes a
    // microsecond or two, and saves each call an interlocked instruction.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void TakeOver()
    {
        lock (Set.Touched)
        {
            ThrowIfEnded();
            Volatile.Write(ref _owner, Environment.CurrentManagedThreadId);
            Interlocked.MemoryBarrierProcessWide();
            if (Volatile.Read(ref _inside)) throw Tear();
        }
    }

    private InvalidOperationException Tear()
    {
        ThrowIfEnded();
        (IsTorn, IsOpen) = (true, false);
        return Shared();
    }

    private InvalidOperationException Shared() => new($"Several threads used a transaction on {Path} at once, and it has ended: give "
        + "each thread one of its own, or let them use one by turns.");

    // Before a commit: after a record was freed, the caller may have stored into it through what tx[id] had returned before.
    public void ClearFreed()
    {
        if (_freed is null || !IsOpen) return;
        foreach (int id in _freed)
        {
            int page = _base.PageOf(id);
            if (_pages[page].Bytes != null && IsFreeIn(page, id))
                new Span<byte>(_pages[page].Bytes + OffsetInPage(id, page), RecordBytes).Clear();
        }
    }

    private int OffsetInPage(long id, int page) => PageHeader.Size + ((int)id - page * _base.RecordsPerPage) * RecordBytes;

    // Adds lines to the copy of a page. The header is fetched along with the first ones: the commit changes it anyway, and its cache line
    // comes together with theirs. Returns the copy, which another thread may take away when this one is no longer inside.
    private byte* Fetch(int page, ulong lines)
    {
        using Use use = Enter();
        ref TouchedPage touched = ref _pages[page];
        if (touched.Bytes == null) lines |= PageLines.Header;
        lines &= ~touched.Lines;
        ulong fromFile = lines;
        foreach (PageSet set in Below) fromFile &= ~set[page].Lines;
        // This comes before the page is kept, so that a page that is found damaged is no part of the commit.
        byte* file = null;
        if (fromFile != 0)
        {
            if (Below.Length == 0) _committer.Expect(page, lines, _base);
            file = CheckedPage(page);
        }
        if (touched.Bytes == null) Keep(page);
        ulong missing = lines;
        foreach (PageSet set in Below)
        {
            ulong here = missing & set[page].Lines;
            PageLines.Copy(set[page].Bytes, touched.Bytes, here);
            missing &= ~here;
        }
        PageLines.Copy(file, touched.Bytes, missing);
        Volatile.Write(ref touched.Lines, touched.Lines | lines);
        GC.KeepAlive(_base);
        return touched.Bytes;
    }

    private byte* CheckedPage(int page)
    {
        // Of what a failed commit had added there is nothing to read, here or in the sets below.
        if (page >= _base.PageCount) ThrowUnbuilt(page);
        byte* from = _base.CheckedPage(page);
        for (int attempt = 0; from == null && Below.Length > 0 && attempt < MostTries; attempt++)
        {
            // A group below is in the file by now. What it changed is still in its set.
            _base = _file.Latest();
            from = _base.CheckedPage(page);
        }
        ThrowIfEnded();
        return from != null ? from : throw new MappedFileException(MappedFileReason.Locked, Path,
            "Another program wrote to the file in spite of the writer's lock: end that one, open the file again, and Verify it.", page);
    }

    [DoesNotReturn]
    private void ThrowUnbuilt(int page)
    {
        ThrowIfEnded();
        throw new MappedFileException(MappedFileReason.Rejected, Path,
            "The transaction was built on another one whose commit failed: dispose it, and do it anew.", page);
    }

    private RecordSlot Reuse(out int id)
    {
        int perPage = _base.RecordsPerPage;
        for (int page = FreeFrom; page * (long)perPage < Count; page++)
        {
            int record = FirstFreeIn(page);
            if (record == perPage) continue;
            FreeFrom = page;
            id = page * perPage + record;
            Mark(page, record, free: false);
            FreeCount--;
            RecordSlot slot = Slot(id);
            slot.Clear();
            return slot;
        }
        ThrowIfEndedMeanwhile();
        throw new MappedFileException(MappedFileReason.DamagedMeta, Path,
            $"The meta counts {FreeCount} free records, and no page has one: Salvage copies out what is whole");
    }

    private bool IsFreeIn(int page, long id)
    {
        int record = (int)id - page * _base.RecordsPerPage;
        return PageHeader.IsFree(PageWithBitOf(page, record), record, _base.RecordsPerPage);
    }

    private int FirstFreeIn(int page)
    {
        int perPage = _base.RecordsPerPage, inHeader = Math.Min(PageHeader.BitsInHeader, perPage);
        int found = PageHeader.FirstFree(PageWithBitOf(page, 0), 0, inHeader, perPage);
        return found < inHeader || inHeader == perPage ? found
            : PageHeader.FirstFree(PageWithBitOf(page, inHeader), inHeader, perPage, perPage);
    }

    // Only the line with the record's bit is sure to be right in what this returns. The page does not become part of the commit.
    private ReadOnlySpan<byte> PageWithBitOf(int page, int record)
    {
        ulong line = PageLines.Of(PageHeader.FreeByteOf(record, _base.RecordsPerPage), 1);
        byte* bytes = (_pages[page].Lines & line) != 0 ? _pages[page].Bytes : null;
        foreach (PageSet set in Below)
            if (bytes == null && (set[page].Lines & line) != 0) bytes = set[page].Bytes;
        if (bytes == null) bytes = CheckedPage(page);
        return new(bytes, PageHeader.PageBytes);
    }

    private void Mark(int page, int record, bool free)
    {
        int at = PageHeader.FreeByteOf(record, _base.RecordsPerPage);
        ulong line = PageLines.Of(at, 1);
        if ((line & ~_pages[page].Lines) != 0) Fetch(page, line);
        byte bit = (byte)(1 << (record & 7));
        if (free) _pages[page].Bytes[at] |= bit;
        else _pages[page].Bytes[at] &= (byte)~bit;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RefuseFree(long id, int page)
    {
        if (IsFreeIn(page, id)) throw new InvalidOperationException($"Record {id} of {Path} was freed: Append gives its id out again.");
    }

    private void Keep(int page)
    {
        if ((long)Set.Touched.Count * PageHeader.PageBytes >= _file.Options.MaxTransactionBytes)
            throw new MappedFileException(MappedFileReason.Full, Path,
                $"The transaction changes more than {Set.Touched.Count} pages, all that MaxTransactionBytes allows: commit in parts, or "
                    + "allow more.");
        Set.Touched.Add(page);
        _pages[page] = Set.Arena.Take();
    }

    private void ThrowMissing(long id)
    {
        ThrowIfEnded();
        throw new ArgumentOutOfRangeException(nameof(id), id, $"{Path} has {Count} records, from id 0: Append makes new ones.");
    }
}
