namespace MemPrims.Records.Writing;

// Who may write, when, and together with whom. Any number of threads may call anything.
//
// Transactions take turns: the next begins when the one before has ended, or waits for that up to MappedFileOptions.WriterTimeout. Begin
// and End are the only ways in and out.
//
// Commits share syncs. A transaction that has no competition is committed alone, and can be committed again if that fails. If other
// threads wait, or did so a moment ago, it joins a group and ends, and the next transaction begins on top of it. One thread of the group
// waits shortly for the others, then writes and syncs for all. Meanwhile the next group gathers.
//
// Close waits for what is between Enter and Leave, which is bounded, and turns away the rest.
internal sealed class RecordWriter(RecordFile file)
{
    // A transaction that changes a few records is over sooner than a thread that sleeps is woken.
    private const int MostYields = 20;

    // How long a group waits for others at most: eight threads with one update each take 59 µs a commit on the disk, without it 74.
    private static readonly TimeSpan s_longestGathering = TimeSpan.FromMilliseconds(1);

    // The transaction that the code running on this thread has begun. It is forgotten when other code comes to run here: an await, a task.
    // Without that, a task started inside a transaction would be told that it waits for itself.
    [ThreadStatic]
    private static Holder? t_begun;
    private static readonly AsyncLocal<Holder?> s_begun = new(static change =>
    {
        if (change.ThreadContextChanged) t_begun = null;
    });

    private readonly OrderedLock _disk = new(LockOrder.Disk), _turn = new(LockOrder.Turn);
    private readonly Committer _committer = new(file);
    private readonly PageArena _arena = new();
    private readonly Stack<PageSet> _sets = new();
    private readonly OwnThread _ownThread = new("MemPrims.Records: commits of asynchronous code");

    // All under the lock of turns. Whose turn it is, and its transaction once that has begun.
    private Holder? _holder;
    private WriteBatch? _open;
    private TaskCompletionSource? _given;
    private int _waiting, _inside;
    private bool _closed;
    // The groups that are not in the file yet, and what is known of the last ones.
    private CommitGroup? _gathering, _written;
    private Exception? _failure;
    private TimeSpan _lastWrite;
    private int _expected = 1, _failures;
    // No record of a page before this one is free. It is set back to 0 when a commit fails.
    private int _freeFrom;

    private MappedFileOptions Options => file.Options;

    // Starts a transaction; the first call makes this the file's one writer.
    public WriteBatch Begin()
    {
        Deadline deadline = RequireWritable();
        TakeTurn(deadline);
        try
        {
            while (!TryOpen(deadline)) Thread.Sleep(1);
            WriteBatch batch = Start();
            s_begun.Value = t_begun = _holder;
            return batch;
        }
        catch
        {
            GiveTurn();
            throw;
        }
    }

    // The same without a thread that waits.
    public async ValueTask<WriteBatch> BeginAsync(CancellationToken cancellationToken)
    {
        Deadline deadline = RequireWritable();
        cancellationToken.ThrowIfCancellationRequested();
        await TakeTurnAsync(deadline, cancellationToken).ConfigureAwait(false);
        try
        {
            while (!TryOpen(deadline)) await Task.Delay(1, cancellationToken).ConfigureAwait(false);
            return Start();
        }
        catch
        {
            GiveTurn();
            throw;
        }
    }

    // Ends a transaction: drops what it did, or has handed on, and gives the turn back.
    public void End(WriteBatch batch)
    {
        if (!batch.IsOpen && !batch.IsTorn) return;
        try
        {
            using WriteBatch.Use use = batch.Enter();
            using (_turn.Enter()) EndTurn(batch);
        }
        catch (InvalidOperationException)
        {
            // Another thread is inside, and may be committing. Whoever comes next must see what that commit did.
            using (_disk.Enter())
            using (_turn.Enter()) EndTurn(batch);
        }
    }

    // Makes the changes durable and visible. Ends the transaction if that succeeds, or if it was committed with others.
    public void Commit(WriteBatch batch)
    {
        using WriteBatch.Use use = batch.Enter();
        batch.ClearFreed();
        CommitGroup? group = null;
        using (_turn.Enter())
        {
            if (!EntersToCommit(batch)) return;
            if (file.Syncs && (_waiting > 0 || _expected > 1 || _gathering is not null || _written is not null))
                (group = Gathering()).Join(batch, goesOn: false);
            if (group is not null) HandOn(batch);
        }
        try
        {
            if (group is null) CommitAlone(batch);
            else Lead(group);
            group?.Wait();
        }
        finally
        {
            Leave();
        }
    }

    // Ends the transaction now, the task when it is on the disk. The writer's own thread commits: all of the pool may wait for the task.
    public Task CommitAsync(WriteBatch batch, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested) return Task.FromCanceled(cancellationToken);
        if (!file.Syncs)
        {
            try
            {
                Commit(batch);
                return Task.CompletedTask;
            }
            catch (MappedFileException e)
            {
                // As where it syncs: the transaction has ended, and the task tells why.
                End(batch);
                return Task.FromException(e);
            }
        }
        using WriteBatch.Use use = batch.Enter();
        batch.ClearFreed();
        CommitGroup group;
        Task task;
        bool begins;
        using (_turn.Enter())
        {
            if (!EntersToCommit(batch)) return Task.CompletedTask;
            begins = _gathering is null;
            group = Gathering();
            group.Join(batch, goesOn: true);
            // A group that was there has somebody inside.
            if (begins) group.LeavesAtEnd = true;
            task = group.Task;
            HandOn(batch);
        }
        if (!begins) Leave();
        else if (!_ownThread.TryPost(() => Lead(group))) Lead(group);
        return task;
    }

    // Ends the commits that have begun. Whatever else there is is turned away: transactions that are open, calls that wait and those that
    // come, and soon a commit that waits for a pin, before it has written anything. At last the file is closed as one that was written.
    public void Close()
    {
        using (_turn.Enter())
        {
            _closed = true;
            Wake();
        }
        _committer.BeginClose();
        Uninterrupted.Run(this, static writer =>
        {
            using (writer._turn.Enter())
            {
                while (writer._inside > 0) writer._turn.Wait(Timeout.Infinite);
                if (writer._open is { } open) open.IsOpen = false;
                writer._open = null;
            }
        });
        using (_disk.Enter()) _committer.Close();
    }

    private Deadline RequireWritable()
    {
        _ = file.Current;
        return file.Storage.CanWrite ? Deadline.After(Options.WriterTimeout)
            : throw new MappedFileException(MappedFileReason.ReadOnly, file.Path,
                "The file was opened by OpenRead: open it by Open to write.");
    }

    // From here to Leave the file stays open. Under the lock of turns.
    private void Enter()
    {
        if (_closed) throw file.Closed();
        _inside++;
    }

    private void Leave()
    {
        using (_turn.Enter())
            if (--_inside == 0 && _closed) _turn.WakeAll();
    }

    private void TakeTurn(in Deadline deadline)
    {
        for (int yields = 0; yields < MostYields && Volatile.Read(ref _holder) is not null; yields++) Thread.Yield();
        using (_turn.Enter())
        {
            if (!_closed && _holder is not null && _holder == t_begun)
                throw new MappedFileException(MappedFileReason.Locked, file.Path,
                    "The caller began a transaction of this MappedFile that is still open, and would wait for itself: dispose that one "
                        + "first.");
            _waiting++;
            try
            {
                while (_holder is not null && !_closed)
                {
                    int left = deadline.MillisecondsLeft;
                    if (left == 0) throw Late();
                    _turn.Wait(left);
                }
                Hold();
            }
            finally
            {
                _waiting--;
                // Whoever was woken and did not take the turn wakes another.
                if (_holder is null && _waiting > 0) Wake();
            }
        }
    }

    private async ValueTask TakeTurnAsync(Deadline deadline, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task given;
            using (_turn.Enter())
            {
                if (_holder is null || _closed)
                {
                    Hold();
                    return;
                }
                if (deadline.MillisecondsLeft == 0) throw Late();
                given = (_given ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
                _waiting++;
            }
            try
            {
                await given.WaitAsync(TimeSpan.FromMilliseconds(deadline.MillisecondsLeft), cancellationToken).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                // Another look at the turn and at the clock.
            }
            finally
            {
                using (_turn.Enter()) _waiting--;
            }
        }
    }

    private void Hold()
    {
        if (_closed) throw file.Closed();
        Volatile.Write(ref _holder, new());
    }

    private void GiveTurn()
    {
        using (_turn.Enter()) LetNextIn();
    }

    // Under the lock of turns.
    private void LetNextIn()
    {
        _open = null;
        Volatile.Write(ref _holder, null);
        if (_waiting > 0) Wake();
    }

    private void Wake()
    {
        if (_closed) _turn.WakeAll();
        else _turn.WakeOne();
        Completion.End(_given);
        _given = null;
    }

    private MappedFileException Late() => new(MappedFileReason.Locked, file.Path, _holder!.Age >= Options.WriterTimeout
        ? $"Another transaction of this MappedFile, begun by {_holder}, did not end within {Options.WriterTimeout}: dispose it, or wait "
            + "longer (WriterTimeout)."
        : $"Other transactions of this MappedFile came first for {Options.WriterTimeout}; the last of them was begun by {_holder}. There "
            + "are too many writers for the time allowed: wait longer (WriterTimeout), or have fewer.");

    // False while another MappedFile is the file's writer. The caller has the turn.
    private bool TryOpen(in Deadline deadline)
    {
        if (_committer.IsOpen) return true;
        using (_turn.Enter()) Enter();
        try
        {
            using (_disk.Enter())
                if (_committer.TryOpen()) return true;
        }
        finally
        {
            Leave();
        }
        return deadline.HasPassed ? throw _committer.Taken(Options.WriterTimeout) : false;
    }

    // On top of what is to be committed already. The caller has the turn.
    private WriteBatch Start()
    {
        _committer.ThrowIfPoisoned();
        using (_turn.Enter())
        {
            if (_closed) throw file.Closed();
            FileState state = file.Current;
            PageSet[] below = (_gathering, _written) switch
            {
                (null, null) => [],
                ({ } group, null) => [group.Set],
                (null, { } group) => [group.Set],
                ({ } upper, { } lower) => [upper.Set, lower.Set],
            };
            foreach (PageSet set in below) set.Use();
            CommitGroup? newest = _gathering ?? _written;
            return _open = new(file, _committer, TakeSet(), below, newest?.Count ?? state.Count,
                newest?.FreeCount ?? state.FreeCount, _freeFrom, _failures);
        }
    }

    // False when there is nothing to commit: the transaction has ended then.
    private bool EntersToCommit(WriteBatch batch)
    {
        batch.ThrowIfEnded();
        if (batch.Set.Touched.Count > 0)
        {
            if (batch.FailuresBefore == _failures || _closed)
            {
                Enter();
                return true;
            }
            EndTurn(batch);
            throw new MappedFileException(MappedFileReason.Rejected, file.Path,
                $"The transaction was built on another one whose commit failed, and has ended: do it anew ({_failure?.Message})",
                    inner: _failure);
        }
        EndTurn(batch);
        return false;
    }

    private void EndTurn(WriteBatch batch)
    {
        if (_open != batch) return;
        batch.IsOpen = false;
        // Of a torn one another thread may still have the pages in its hands: nobody uses them again.
        if (!batch.IsTorn)
        {
            foreach (PageSet set in batch.Below) Release(set);
            Release(batch.Set);
        }
        LetNextIn();
    }

    private CommitGroup Gathering() => _gathering ??= new(TakeSet(), _failures);

    private void HandOn(WriteBatch batch)
    {
        _freeFrom = batch.FreeFrom;
        EndTurn(batch);
    }

    private void CommitAlone(WriteBatch batch)
    {
        using OrderedLock.Scope disk = _disk.Enter();
        batch.ThrowIfEnded();
        _committer.Commit(batch.Set, batch.Count, batch.FreeCount, HeldLocks.RunningCode is { } code ? [code] : []);
        using (_turn.Enter()) HandOn(batch);
    }

    // A thread of the group's, or the one of the writer's own; the first who comes leads.
    private void Lead(CommitGroup group)
    {
        if (!group.TryLead()) return;
        Exception? failure = null;
        using (_disk.Enter())
        {
            Gather(group);
            using (_turn.Enter())
            {
                if (group.FailuresBefore != _failures) failure = _failure;
                else (_gathering, _written) = (null, group);
            }
            if (failure is null) failure = Write(group);
            using (_turn.Enter())
            {
                _expected = group.Members + (_gathering?.Members ?? 0);
                Release(group.Set);
            }
        }
        group.Finish(failure);
        if (group.LeavesAtEnd) Leave();
    }

    // A group that fails takes the one with it that gathers on top of it: that one is not written, and nothing more is built on it.
    private Exception? Write(CommitGroup group)
    {
        Exception? failure = null;
        long start = Stopwatch.GetTimestamp();
        try
        {
            _committer.Commit(group.Set, group.Count, group.FreeCount, group.Waiting);
        }
        catch (Exception e)
        {
            failure = e;
        }
        _lastWrite = Stopwatch.GetElapsedTime(start);
        using (_turn.Enter())
        {
            _written = null;
            if (failure is not null) (_failure, _failures, _freeFrom, _gathering) = (failure, _failures + 1, 0, null);
        }
        return failure;
    }

    // The threads of the last group are probably on their way back. Waiting for them pays for up to half the time of a write.
    private void Gather(CommitGroup group)
    {
        TimeSpan most = TimeSpan.FromTicks(Math.Min(_lastWrite.Ticks / 2, s_longestGathering.Ticks));
        for (long start = Stopwatch.GetTimestamp(); group.Members < _expected && Stopwatch.GetElapsedTime(start) < most;) Thread.Yield();
    }

    private PageSet TakeSet() => _sets.TryPop(out PageSet? set) ? set : new(_arena);

    private void Release(PageSet set)
    {
        if (set.Release()) _sets.Push(set);
    }
}
