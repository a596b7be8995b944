namespace MemPrims.Records;

/// <summary>
/// Changes to a file that happen together or not at all. Dispose without <see cref="Commit"/> drops them. The records that it hands out
/// end with it. One thread after another may use it. Calls that meet in it end it: they throw an <see cref="InvalidOperationException"/>,
/// and it is never committed. What two threads set in records that both had touched before is not looked at: one of them wins.
/// </summary>
public sealed class WriteTransaction<T> : IDisposable where T : IMappedRecord<T>, allows ref struct
{
    private readonly RecordWriter _writer;
    private readonly WriteBatch _batch;

    internal WriteTransaction(RecordWriter writer, WriteBatch batch) => (_writer, _batch) = (writer, batch);

    /// <summary>How many records there are, with those appended here and with free ones: ids are below it.</summary>
    public int Count => _batch.Count;

    /// <summary>How many of them are free.</summary>
    public int FreeCount => _batch.FreeCount;

    /// <summary>Whether a record was freed, here or earlier.</summary>
    public bool IsFree(long id) => _batch.IsFree(id);

    /// <summary>
    /// Frees a record. Its id is given out again by one of the next calls of <c>Append</c>; until then it cannot be changed, reads as
    /// defaults, and scans pass over it. Do not use what <c>tx[id]</c> returned before.
    /// </summary>
    public void Free(long id) => _batch.Free(id);

    /// <summary>A record, to be read and changed. Its page is part of the commit from then on.</summary>
    public T this[long id]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => T.Over(_batch.Slot(id));
    }

    /// <summary>What the generated <c>Read</c> calls.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public TResult ReadView<TView, TResult>(long id, Func<TView, TResult> read) where TView : IRecordView<TView>, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(read);
        TResult result = read(TView.Over(_batch.View(id)));
        _batch.ThrowIfEndedMeanwhile();
        return result;
    }

    /// <summary>
    /// A new record with the defaults. Its id is that of a freed record or, when there is none, the <see cref="Count"/> before.
    /// </summary>
    public T Append() => Append(out _);

    /// <summary>A new record with the defaults, and its id.</summary>
    public T Append(out int id) => T.Over(_batch.Append(out id));

    /// <summary>Adds to one field of one record and returns the new value. Throws, the field unchanged, when that overflows.</summary>
    public TValue Increment<TValue>(long id, RecordField<T, TValue> field, TValue by) where TValue : unmanaged, IBinaryInteger<TValue>
    {
        RecordSlot slot = _batch.Slot(id);
        TValue value = checked(slot.Get<TValue>(field.Offset) + by);
        slot.Set(field.Offset, value);
        return value;
    }

    /// <summary>Adds 1 to one field of one record and returns the new value.</summary>
    public TValue Increment<TValue>(long id, RecordField<T, TValue> field) where TValue : unmanaged, IBinaryInteger<TValue> =>
        Increment(id, field, TValue.One);

    /// <summary>Whether it can be changed and committed still.</summary>
    public bool IsOpen => _batch.IsOpen;

    /// <summary>
    /// Makes the changes permanent and visible, and ends the transaction. Where other threads commit at the same time, they share one
    /// sync. When it throws with <see cref="MappedFileReason.Pinned"/> or <see cref="MappedFileReason.Full"/> nothing has happened. It may
    /// be called again if the transaction <see cref="IsOpen">is open</see> still; one that was committed together with others has ended,
    /// and its work is to be done anew.
    /// </summary>
    public void Commit() => _writer.Commit(_batch);

    /// <summary>
    /// Ends the transaction, so that the next one can begin on top of it, and makes the changes permanent and visible on another thread.
    /// The task ends when they are. A failure ends the task, and the work is to be done anew. A token that is cancelled already leaves the
    /// transaction open; a commit that has begun ends.
    /// </summary>
    public Task CommitAsync(CancellationToken cancellationToken = default) => _writer.CommitAsync(_batch, cancellationToken);

    /// <summary>Drops what was not committed.</summary>
    public void Dispose() => _writer.End(_batch);

    // The bytes of a new record, all zero: for copying records whole.
    internal Span<byte> AppendRaw() => _batch.AppendAtEnd(out _).Bytes;
}
