namespace MemPrims.Records;

/// <summary>
/// The file as of one commit, for as long as this is not disposed. Held by a shared lock on an open file description of its own, which the
/// kernel frees when the process dies. Views and spans from it must not be used after Dispose: they show old bytes, or zeros. Any number
/// of threads may read.
/// </summary>
public sealed class PinnedSnapshot<T> : IDisposable where T : IMappedRecord<T>, allows ref struct
{
    private Pin? _pin;

    internal PinnedSnapshot(Pin pin) => (_pin, Count, Transaction) = (pin, pin.State.Count, (long)pin.State.Transaction);

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
        FileState state = State;
        TResult result = read(ViewOf<TView>(id));
        GC.KeepAlive(state);
        return result;
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
    public RecordScan<TView> ScanOf<TView>() where TView : IRecordView<TView>, allows ref struct => new(State, 0, Count);

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
}
