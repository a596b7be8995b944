using System.Diagnostics;

namespace MemPrims.Records.Writing;

/// <summary>
/// Group commit: transactions of several threads share one sync. A transaction that has no competition is committed alone, and can be
/// committed again if that fails. If other threads wait, or did so a moment ago, it joins a group and ends, and the next transaction
/// begins on top of it. One thread of the group waits shortly for the others, then writes and syncs for all. Meanwhile the next group
/// gathers.
/// </summary>
internal sealed class CommitQueue(Writer writer, WriterTurn turn, MappedFileOptions options)
{
    // How long a group waits for others at most. With the wait, eight threads with one update each take 59 µs a commit on the disk,
    // without it 74.
    private static readonly TimeSpan s_longestGathering = TimeSpan.FromMilliseconds(1);

    private readonly object _writing = new();
    private readonly Stack<PageSet> _sets = new();
    private CommitGroup? _gathering, _written;
    private Exception? _failure;
    private TimeSpan _lastWrite;
    private int _expected = 1, _generation;
    // No record of a page before this one is free. It is set back to 0 when a commit fails.
    private int _freeFrom;

    private bool Syncs => options.Durability == Durability.PowerLoss;

    /// <summary>Starts a transaction on top of what is to be committed already. The caller has the turn.</summary>
    public WriteBatch Begin(RecordLayout layout, PageArena arena)
    {
        lock (turn.Gate)
        {
            PageSet[] below = (_gathering, _written) switch
            {
                (null, null) => [],
                ({ } group, null) => [group.Set],
                (null, { } group) => [group.Set],
                ({ } upper, { } lower) => [upper.Set, lower.Set],
            };
            foreach (PageSet set in below) set.Use();
            if (!_sets.TryPop(out PageSet? own)) own = new(arena);
            int count = _gathering?.Count ?? _written?.Count ?? writer.State.Count;
            int free = _gathering?.FreeCount ?? _written?.FreeCount ?? writer.State.FreeCount;
            own.Room((count + writer.State.RecordsPerPage - 1) / writer.State.RecordsPerPage);
            return new(writer, this, layout, writer.State, own, below, count, free, _freeFrom, _generation);
        }
    }

    public void Commit(WriteBatch batch)
    {
        CommitGroup? group = null;
        if (!BeginCommit(batch)) return;
        try
        {
            lock (turn.Gate)
            {
                // Alone it would take what is left of the failed one into the file.
                RejectIfFailed(batch);
                if (Syncs && !batch.IsAhead
                    && (turn.Waiting > 0 || _expected > 1 || _gathering is not null || _written is not null))
                    group = Join(batch, goesOn: false);
            }
            if (group is null) CommitAlone(batch);
            else if (group.TryLead()) Lead(group);
            group?.Wait();
        }
        finally
        {
            turn.EndCommit();
        }
    }

    /// <summary>Ends the transaction now; the task ends when it is on the disk.</summary>
    public Task CommitAsync(WriteBatch batch)
    {
        if (!Syncs || batch.IsAhead)
        {
            Commit(batch);
            return Task.CompletedTask;
        }
        if (!BeginCommit(batch)) return Task.CompletedTask;
        bool begins = false;
        try
        {
            lock (turn.Gate)
            {
                CommitGroup? gathers = _gathering, group = Join(batch, goesOn: true);
                begins = gathers is null;
                if (begins)
                {
                    group.CountsAsCommit = true;
                    ThreadPool.UnsafeQueueUserWorkItem(LeadUnlessLed, group, preferLocal: false);
                }
                return group.Task;
            }
        }
        finally
        {
            if (!begins) turn.EndCommit();
        }
    }

    /// <summary>Drops what the transaction did, or has handed on, and lets the next one begin.</summary>
    public void End(WriteBatch batch)
    {
        lock (turn.Gate)
        {
            batch.IsOpen = false;
            foreach (PageSet set in batch.Below) Release(set);
            Release(batch.Set);
            turn.Give();
        }
    }

    /// <summary>
    /// Writes some pages of an open transaction before its commit. The transactions that it is built on are in the file first: it is
    /// committed alone.
    /// </summary>
    public void WriteAhead(WriteBatch batch, int first, int last)
    {
        while (batch.Below.Length > 0 && !Settled(batch))
        {
            LeadGathered();
            // The leader of a group may be about to begin.
            WaitForWrite();
            Thread.Yield();
        }
        lock (turn.Gate)
        {
            batch.ThrowIfEnded();
            turn.BeginCommit();
        }
        try
        {
            lock (_writing) writer.WriteAhead(batch.Set, first, last, batch.Count);
        }
        finally
        {
            turn.EndCommit();
        }
    }

    /// <summary>Returns when the write that is under way, if there is one, has ended.</summary>
    public void WaitForWrite()
    {
        lock (_writing) { }
    }

    private bool Settled(WriteBatch batch)
    {
        lock (turn.Gate)
        {
            batch.ThrowIfEnded();
            if (_gathering is not null || _written is not null) return false;
            RejectIfFailed(batch);
            foreach (PageSet set in batch.Below) Release(set);
            batch.Rebase(writer.State);
            return true;
        }
    }

    /// <summary>Closes the writer. No commit runs, and none will.</summary>
    public void Close()
    {
        lock (_writing) writer.Close();
    }

    // A file that is being closed refuses the transaction here, before any part of it is passed on. False when there is nothing to
    // commit.
    private bool BeginCommit(WriteBatch batch)
    {
        lock (turn.Gate)
        {
            batch.ThrowIfEnded();
            if (batch.Set.Touched.Count > 0)
            {
                turn.BeginCommit();
                return true;
            }
            End(batch);
            return false;
        }
    }

    /// <summary>Writes the group that gathers, unless another thread does.</summary>
    public void LeadGathered()
    {
        CommitGroup? group;
        lock (turn.Gate) group = _gathering;
        if (group is not null) LeadUnlessLed(group);
    }

    private void LeadUnlessLed(CommitGroup group)
    {
        if (group.TryLead()) Lead(group);
    }

    private CommitGroup Join(WriteBatch batch, bool goesOn)
    {
        RejectIfFailed(batch);
        if (_gathering is null)
        {
            if (!_sets.TryPop(out PageSet? set)) set = new(batch.Set.Arena);
            _gathering = new(set, _generation);
        }
        CommitGroup group = _gathering;
        group.Join(batch, goesOn);
        _freeFrom = batch.FreeFrom;
        End(batch);
        return group;
    }

    private void RejectIfFailed(WriteBatch batch)
    {
        if (batch.Generation == _generation) return;
        End(batch);
        throw new MappedFileException(MappedFileReason.Rejected, writer.Path,
            $"The transaction was built on another one whose commit failed, and has ended: do it anew ({_failure?.Message})",
                inner: _failure);
    }

    private void CommitAlone(WriteBatch batch)
    {
        lock (_writing) writer.Write(batch.Set, batch.Count, batch.FreeCount, [Environment.CurrentManagedThreadId]);
        _freeFrom = batch.FreeFrom;
        End(batch);
    }

    private void Lead(CommitGroup group)
    {
        Exception? failure = null;
        lock (_writing)
        {
            Gather(group);
            lock (turn.Gate)
            {
                (_gathering, _written) = (null, group);
                if (group.Generation != _generation) failure = _failure;
            }
            long start = Stopwatch.GetTimestamp();
            try
            {
                if (failure is null) writer.Write(group.Set, group.Count, group.FreeCount, group.Threads);
            }
            catch (Exception e)
            {
                failure = e;
            }
            _lastWrite = Stopwatch.GetElapsedTime(start);
            lock (turn.Gate)
            {
                _written = null;
                if (failure is not null) (_failure, _generation, _freeFrom) = (failure, _generation + 1, 0);
                _expected = group.Members + (_gathering?.Members ?? 0);
                Release(group.Set);
            }
        }
        group.Finish(failure);
        if (group.CountsAsCommit) turn.EndCommit();
    }

    // The threads of the last group are probably on their way back. Waiting for them pays for up to half the time of a write.
    private void Gather(CommitGroup group)
    {
        TimeSpan most = TimeSpan.FromTicks(Math.Min(_lastWrite.Ticks / 2, s_longestGathering.Ticks));
        for (long start = Stopwatch.GetTimestamp(); group.Members < _expected && Stopwatch.GetElapsedTime(start) < most;) Thread.Yield();
    }

    private void Release(PageSet set)
    {
        if (set.Release()) _sets.Push(set);
    }
}
