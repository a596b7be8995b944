using System.Runtime.CompilerServices;
using MemPrims.Records.Format;
using MemPrims.Records.Reading;

namespace MemPrims.Records.Writing;

/// <summary>
/// The pages that a transaction has touched, as copies in memory of the writer's; of each page there are only the lines of the records that were asked
/// for. Nothing reaches the file before the commit.
/// </summary>
internal sealed unsafe class WriteBatch : IDisposable
{
    private readonly Writer _writer;
    private readonly FileState _base;
    private TouchedPage[] _pages;

    public WriteBatch(Writer writer, RecordLayout layout, FileState state, TouchedPage[] pages)
    {
        _writer = writer;
        _base = state;
        _pages = pages;
        Layout = layout;
        FixedBytes = state.FixedBytes;
        RecordBytes = state.RecordBytes;
        Count = state.Count;
        IsOpen = true;
    }

    public bool IsOpen { get; private set; }

    public int Count { get; private set; }

    public List<int> Touched { get; } = [];

    public RecordLayout Layout { get; }

    public string Path => _base.Path;

    public int FixedBytes { get; }

    public int RecordBytes { get; }

    /// <summary>A page that was touched.</summary>
    public TouchedPage this[int page] => _pages[page];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public RecordSlot Slot(long id)
    {
        if (!IsOpen || (ulong)id >= (ulong)Count) ThrowMissing(id);
        int page = _base.PageOf(id), offset = PageHeader.Size + ((int)id - page * _base.RecordsPerPage) * RecordBytes;
        ref TouchedPage touched = ref _pages[page];
        ulong lines = PageLines.Of(offset, RecordBytes);
        if ((lines & ~touched.Lines) != 0) Fetch(page, lines);
        return new(ref *(touched.Bytes + offset), this);
    }

    public RecordSlot Append(out int id)
    {
        ThrowIfEnded();
        id = Count;
        int page = _base.PageOf(id);
        if (id == int.MaxValue || page >= MetaHeader.MaxPages(_base.Meta.Header.SlotBytes))
            throw new MappedFileException(MappedFileReason.Full, Path, $"The file holds {Count} records, all that its meta slots of {_base.Meta.Header.SlotBytes} bytes can keep track of: create one with a larger MetaSlotBytes and copy.");
        _pages = _writer.Room(page + 1);
        if (page >= _base.PageCount && _pages[page].Bytes == null)
        {
            Keep(page);
            ref TouchedPage fresh = ref _pages[page];
            new Span<byte>(fresh.Bytes, PageHeader.PageBytes).Clear();
            fresh.Lines = PageLines.All;
        }
        Count++;
        RecordSlot slot = Slot(id);
        slot.Clear();
        return slot;
    }

    public void Commit()
    {
        ThrowIfEnded();
        if (Touched.Count > 0) _writer.Commit(this);
        Dispose();
    }

    public void Dispose()
    {
        if (!IsOpen) return;
        IsOpen = false;
        _writer.Return(this);
    }

    public void ThrowIfEnded()
    {
        if (!IsOpen) throw new ObjectDisposedException("WriteTransaction", $"The transaction on {Path} has ended: its records must not be used any more.");
    }

    // Fills up the copy of a page. The header comes along: the commit changes it, and its cache line is on the way together with the others.
    private void Fetch(int page, ulong lines)
    {
        ref TouchedPage touched = ref _pages[page];
        if (touched.Bytes == null) lines |= PageLines.Header;
        lines &= ~touched.Lines;
        _writer.Pages.Expect(page, lines, _base);
        byte* from = _base.CheckedPage(page);
        if (from == null) throw new MappedFileException(MappedFileReason.Locked, Path, "Someone wrote to the file past the writer's lock.", page);
        if (touched.Bytes == null) Keep(page);
        PageLines.Copy(from, touched.Bytes, lines);
        touched.Lines |= lines;
    }

    private void Keep(int page)
    {
        Touched.Add(page);
        _pages[page].Bytes = _writer.Arena.Take();
    }

    private void ThrowMissing(long id)
    {
        ThrowIfEnded();
        throw new ArgumentOutOfRangeException(nameof(id), id, $"{Path} has {Count} records, from id 0: Append makes new ones.");
    }
}
