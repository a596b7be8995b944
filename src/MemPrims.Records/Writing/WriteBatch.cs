using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Records.Format;
using MemPrims.Records.Reading;

namespace MemPrims.Records.Writing;

/// <summary>The pages that a transaction has touched, as copies in buffers of the writer's. Nothing reaches the file before the commit.</summary>
internal sealed class WriteBatch : IDisposable
{
    private readonly Writer _writer;
    private readonly FileState _base;
    private byte[]?[] _pages;

    public WriteBatch(Writer writer, RecordLayout layout, FileState state, byte[]?[] pages)
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

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public RecordSlot Slot(long id)
    {
        if (!IsOpen || (ulong)id >= (ulong)Count) ThrowMissing(id);
        int page = _base.PageOf(id);
        byte[] buffer = _pages[page] ?? Touch(page);
        return new(ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(buffer), PageHeader.Size + ((int)id - page * _base.RecordsPerPage) * RecordBytes), this);
    }

    public RecordSlot Append(out int id)
    {
        ThrowIfEnded();
        id = Count;
        int page = _base.PageOf(id);
        if (id == int.MaxValue || page >= MetaHeader.MaxPages(_base.Meta.Header.SlotBytes))
            throw new MappedFileException(MappedFileReason.Full, Path, $"The file holds {Count} records, all that its meta slots of {_base.Meta.Header.SlotBytes} bytes can keep track of: create one with a larger MetaSlotBytes and copy.");
        _pages = _writer.Room(page + 1);
        if (_pages[page] is null)
        {
            if (page < _base.PageCount) Touch(page);
            else
            {
                byte[] fresh = _writer.Rent();
                fresh.AsSpan().Clear();
                Keep(page, fresh);
            }
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

    private unsafe byte[] Touch(int page)
    {
        byte* from = _base.CheckedPage(page);
        if (from == null) throw new MappedFileException(MappedFileReason.Locked, Path, "Someone wrote to the file past the writer's lock.", page);
        byte[] buffer = _writer.Rent();
        new ReadOnlySpan<byte>(from, PageHeader.PageBytes).CopyTo(buffer);
        Keep(page, buffer);
        return buffer;
    }

    private void Keep(int page, byte[] buffer)
    {
        Touched.Add(page);
        _pages[page] = buffer;
    }

    private void ThrowMissing(long id)
    {
        ThrowIfEnded();
        throw new ArgumentOutOfRangeException(nameof(id), id, $"{Path} has {Count} records, from id 0: Append makes new ones.");
    }
}
