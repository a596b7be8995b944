using System.ComponentModel;
using MemPrims.Records.Format;
using MemPrims.Records.Reading;
using MemPrims.Records.Storage;
using MemPrims.Records.Writing;

namespace MemPrims.Records;

/// <summary>
/// The file as of one commit, for as long as this is not disposed. Held by a shared lock on an open file description of its own, which the
/// kernel frees when the process dies. Views and spans from it must not be used after Dispose: they show old bytes, or zeros. Any number
/// of threads may read.
/// </summary>
public sealed class PinnedSnapshot<T> : IDisposable where T : IMappedRecord<T>, allows ref struct
{
    private Pin? _pin;

    private PinnedSnapshot(Pin pin)
    {
        _pin = pin;
        Count = pin.State.Count;
        Transaction = (long)pin.State.Transaction;
    }

    /// <summary>How many records there are.</summary>
    public int Count { get; }

    /// <summary>Whether a record was freed.</summary>
    public bool IsFree(long id) => State.IsFree(id) == true;

    /// <summary>The number of the commit.</summary>
    public long Transaction { get; }

    /// <summary>What the generated <c>Read</c> calls.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public TResult ReadView<TView, TResult>(long id, Func<TView, TResult> read) where TView : IRecordView<TView>, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(read);
        return read(ViewOf<TView>(id));
    }

    /// <summary>What the generated <c>View</c> calls.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public unsafe TView ViewOf<TView>(long id) where TView : IRecordView<TView>, allows ref struct
    {
        FileState state = State;
        return TView.Over(new(state.Locate(id), state));
    }

    /// <summary>What the generated <c>Scan</c> calls.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public RecordScan<TView> ScanOf<TView>() where TView : IRecordView<TView>, allows ref struct
    {
        FileState state = State;
        return new(state, 0, state.Count);
    }

    /// <summary>What the generated <c>Scan</c> of a range calls.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public RecordScan<TView> ScanOf<TView>(Range ids) where TView : IRecordView<TView>, allows ref struct
    {
        FileState state = State;
        int first = ids.Start.GetOffset(Count), last = ids.End.GetOffset(Count);
        if (first < 0 || first > last || last > Count)
            throw new ArgumentOutOfRangeException(nameof(ids), ids, $"{state.Path} has {Count} records in the snapshot: a range of "
                + $"ids lies within 0..{Count}.");
        return new(state, first, last);
    }

    /// <summary>
    /// The ids in ranges of about the same size that begin at pages, for a scan by several threads: each takes one, as in
    /// <c>Parallel.ForEach(snapshot.Split(8), ids => { foreach (var record in snapshot.Scan(ids)) … })</c>.
    /// </summary>
    public IReadOnlyList<Range> Split(int parts)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(parts);
        FileState state = State;
        List<Range> ranges = [];
        parts = Math.Min(parts, Math.Max(state.PageCount, 1));
        for (long part = 0, first = 0; part < parts && first < Count; part++)
        {
            long last = Math.Min(Count, state.PageCount * (part + 1) / parts * state.RecordsPerPage);
            if (last <= first) continue;
            ranges.Add((int)first..(int)last);
            first = last;
        }
        return ranges;
    }

    internal FileState State =>
        (_pin ?? throw new ObjectDisposedException(nameof(PinnedSnapshot<>),
        "The snapshot was disposed, and its pages may be overwritten.")).State;

    /// <summary>Lets the writer have the pages.</summary>
    public void Dispose() => Interlocked.Exchange(ref _pin, null)?.Dispose();

    internal static PinnedSnapshot<T> Of(RecordFile file) => new(Pin.Take(file));
}

/// <summary>The lock behind a pinned snapshot. One that was never disposed ends with the garbage collection that finds it.</summary>
internal sealed class Pin : IDisposable
{
    private readonly IStorage _handle;
    private readonly OwnPins.Entry _entry;

    private Pin(IStorage handle, LockByte parity, FileState state)
    {
        _handle = handle;
        State = state;
        _entry = OwnPins.Add(state.Meta.Header.FileId, parity);
    }

    ~Pin() => OwnPins.Remove(_entry);

    public FileState State { get; }

    /// <summary>
    /// Locks the parity of the newest transaction, reads the meta again, and pins what it then says if that has the same parity: from then
    /// on the writer gets no further than one commit. Otherwise a commit came between, and it is tried again.
    /// </summary>
    public static Pin Take(RecordFile file)
    {
        ulong transaction = file.Latest().Transaction;
        IStorage handle = file.Storage.Reopen();
        try
        {
            for (Deadline deadline = new(file.Options.PinTimeout); ;)
            {
                LockByte parity = (LockByte)(transaction & 1);
                if (handle.TryLock(parity, exclusive: false))
                {
                    Meta meta = file.Newest();
                    transaction = meta.Header.Transaction;
                    if ((LockByte)(transaction & 1) == parity) return new(handle, parity, file.Frozen(meta));
                    handle.Unlock(parity);
                    continue;
                }
                if (deadline.HasPassed)
                    throw new MappedFileException(MappedFileReason.Pinned, file.Path,
                        $"The writer was busy committing for {deadline.Timeout}: try again, or wait longer (PinTimeout).");
                Thread.Sleep(1);
                transaction = file.Latest().Transaction;
            }
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        OwnPins.Remove(_entry);
        _handle.Dispose();
    }
}
