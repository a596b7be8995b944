using System.Runtime.CompilerServices;
using MemPrims.Records.Format;
using MemPrims.Records.Reading;

namespace MemPrims.Records.Writing;

/// <summary>
/// The pages that a transaction has touched, as copies in memory of the writer's; of each page there are only the lines of the records that were asked
/// for. Nothing reaches the file before the commit. Lines come from the transactions below, which are on their way to the disk, or from the file.
/// </summary>
internal sealed unsafe class WriteBatch : IDisposable
{
    // The file may be committed to while a page is looked at, by the groups below; each of them once.
    private const int MostTries = 8;

    private readonly Writer _writer;
    private readonly CommitQueue _queue;
    private readonly int _pagesBefore;
    private FileState _base;
    private TouchedPage[] _pages;

    public WriteBatch(Writer writer, CommitQueue queue, RecordLayout layout, FileState state, PageSet own, PageSet[] below, int count, int generation)
    {
        _writer = writer;
        _queue = queue;
        _base = state;
        Set = own;
        _pages = own.Pages;
        Below = below;
        Generation = generation;
        Layout = layout;
        FixedBytes = state.FixedBytes;
        RecordBytes = state.RecordBytes;
        Count = count;
        _pagesBefore = (count + state.RecordsPerPage - 1) / state.RecordsPerPage;
        IsOpen = true;
    }

    /// <summary>Whether it can be changed and committed still.</summary>
    public bool IsOpen { get; set; }

    public int Count { get; private set; }

    /// <summary>What it has changed.</summary>
    public PageSet Set { get; }

    /// <summary>The changes that it is built on and that are not in the file yet, newest first.</summary>
    public PageSet[] Below { get; }

    /// <summary>How many commits had failed when it began: it may be built on none that failed later.</summary>
    public int Generation { get; }

    public RecordLayout Layout { get; }

    public string Path => _base.Path;

    public int FixedBytes { get; }

    public int RecordBytes { get; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public RecordSlot Slot(long id)
    {
        if (!IsOpen || (ulong)id >= (ulong)Count) ThrowMissing(id);
        int page = _base.PageOf(id), offset = OffsetInPage(id, page);
        ref TouchedPage touched = ref _pages[page];
        ulong lines = PageLines.Of(offset, RecordBytes);
        if ((lines & ~touched.Lines) != 0) Fetch(page, lines);
        return new(ref *(touched.Bytes + offset), this);
    }

    /// <summary>A record to be read only: its page is no part of the commit unless it was changed.</summary>
    public RecordBytes View(long id)
    {
        if (!IsOpen || (ulong)id >= (ulong)Count) ThrowMissing(id);
        int page = _base.PageOf(id), offset = OffsetInPage(id, page);
        ulong lines = PageLines.Of(offset, RecordBytes);
        ulong changed = _pages[page].Lines;
        foreach (PageSet set in Below) changed |= set[page].Lines;
        if ((changed & lines) == 0) return new(CheckedPage(page) + offset, _base);
        if ((lines & ~_pages[page].Lines) != 0) Fetch(page, lines);
        return new(_pages[page].Bytes + offset, _base);
    }

    public RecordSlot Append(out int id)
    {
        ThrowIfEnded();
        id = Count;
        int page = _base.PageOf(id);
        if (id == int.MaxValue || page >= MetaHeader.MaxPages(_base.Meta.Header.SlotBytes))
            throw new MappedFileException(MappedFileReason.Full, Path, $"The file holds {Count} records, all that its meta slots of {_base.Meta.Header.SlotBytes} bytes can keep track of: create one with a larger MetaSlotBytes and copy.");
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

    public void Commit() => _queue.Commit(this);

    public Task CommitAsync() => _queue.CommitAsync(this);

    public void Dispose()
    {
        if (IsOpen) _queue.End(this);
    }

    /// <summary>A span over these bytes of a page is handed out.</summary>
    public void GiveOut(ref byte start)
    {
        ThrowIfEnded();
        // Pages lie at multiples of their size, and each knows its number.
        PageHeader* page = (PageHeader*)((nint)Unsafe.AsPointer(ref start) & ~(nint)(PageHeader.PageBytes - 1));
        _pages[page->Page].GivenOut = true;
    }

    public void ThrowIfEnded()
    {
        if (!IsOpen) throw new ObjectDisposedException("WriteTransaction", $"The transaction on {Path} has ended: its records can be neither read nor changed any more.");
    }

    private int OffsetInPage(long id, int page) => PageHeader.Size + ((int)id - page * _base.RecordsPerPage) * RecordBytes;

    // Fills up the copy of a page. The header comes along: the commit changes it, and its cache line is on the way together with the others.
    private void Fetch(int page, ulong lines)
    {
        ref TouchedPage touched = ref _pages[page];
        if (touched.Bytes == null) lines |= PageLines.Header;
        lines &= ~touched.Lines;
        ulong fromFile = lines;
        foreach (PageSet set in Below) fromFile &= ~set[page].Lines;
        // Before the page is kept: one that is found damaged is no part of the commit.
        byte* file = null;
        if (fromFile != 0)
        {
            if (Below.Length == 0) _writer.Pages.Expect(page, lines, _base);
            file = CheckedPage(page);
        }
        if (touched.Bytes == null) Keep(page);
        touched.Lines |= lines;
        foreach (PageSet set in Below)
        {
            ulong here = lines & set[page].Lines;
            PageLines.Copy(set[page].Bytes, touched.Bytes, here);
            lines &= ~here;
        }
        PageLines.Copy(file, touched.Bytes, lines);
        GC.KeepAlive(_base);
    }

    private byte* CheckedPage(int page)
    {
        byte* from = _base.CheckedPage(page);
        for (int attempt = 0; from == null && Below.Length > 0 && attempt < MostTries; attempt++)
        {
            // One of the groups below has been committed meanwhile. What it changed is in the file now, and in its set still.
            _base = _writer.State;
            from = _base.CheckedPage(page);
        }
        return from != null ? from : throw new MappedFileException(MappedFileReason.Locked, Path, "Another program wrote to the file in spite of the writer's lock.", page);
    }

    private void Keep(int page)
    {
        Set.Touched.Add(page);
        _pages[page] = _writer.TakePage();
    }

    private void ThrowMissing(long id)
    {
        ThrowIfEnded();
        throw new ArgumentOutOfRangeException(nameof(id), id, $"{Path} has {Count} records, from id 0: Append makes new ones.");
    }
}
