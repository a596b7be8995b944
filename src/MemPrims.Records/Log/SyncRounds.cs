namespace MemPrims.Records.Log;

// Callers that wait together share one sync. The first of them leads: it waits until the disk is free, closes the round, syncs, and wakes
// the others. Who comes meanwhile makes up the next round. `sync` covers all that was appended before it begins, and never runs twice at a
// time. Where a sync takes less time than to put a thread to sleep and wake it, threads wait by giving way to each other: in tmpfs, on a
// disk with a cache of its own, and with Durability.ProcessCrash.
//
// Who has joined a round stays until it is done: others may wait for it to lead. An interrupt comes at the thread's next wait.
internal sealed class SyncRounds(Action sync)
{
    // "8 threads, each append with its own sync, tmpfs": a sync takes 1 µs there, on a disk 100 and more, and a wake-up 10 to 50.
    private const long QuickMicroseconds = 20;
    private const int MostYields = 50;

    private readonly OrderedLock _disk = new(LockOrder.Disk), _gate = new(LockOrder.Turn);
    private readonly OwnThread _ownThread = new("MemPrims.Records: syncs of asynchronous code");
    private volatile Round _next = new();
    private volatile bool _isSyncing, _isQuick;

    public void Join()
    {
        if (_isSyncing && _isQuick && GiveWay(_next)) return;
        Round round;
        bool leads;
        using (_gate.Enter())
        {
            round = _next;
            leads = round.TryLead();
            if (!leads) round.Add();
        }
        if (leads) Lead(round);
        else round.Wait();
        round.ThrowIfFailed();
    }

    // True: the round is done. It gives up where that takes longer than a quick sync does.
    private bool GiveWay(Round round)
    {
        for (int i = 0; i < MostYields && (_isSyncing || _next != round); i++)
        {
            if (round.IsDone)
            {
                round.ThrowIfFailed();
                return true;
            }
            Thread.Yield();
        }
        return false;
    }

    // The pool's threads may all be waiting for this very round. So a thread of its own leads it, unless one that joins comes first.
    public Task JoinAsync()
    {
        Round round;
        bool isNew;
        Task task;
        using (_gate.Enter())
        {
            round = _next;
            isNew = round.IsNew;
            task = round.Task;
        }
        if (isNew && !_ownThread.TryPost(() => LeadIfFirst(round))) LeadIfFirst(round);
        return task;
    }

    // Returns when no sync runs and none will: the caller turns away what comes later.
    public void Close()
    {
        try
        {
            Join();
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException) { }
    }

    private void Lead(Round round)
    {
        Exception? failure = null;
        using (_disk.Enter())
        {
            using (_gate.Enter()) (_isSyncing, _next) = (true, new());
            long start = Stopwatch.GetTimestamp();
            try
            {
                sync();
            }
            catch (Exception e)
            {
                failure = e;
            }
            _isQuick = Stopwatch.GetElapsedTime(start) < TimeSpan.FromMicroseconds(QuickMicroseconds);
            _isSyncing = false;
        }
        // The disk is put to work again before this round's threads are woken.
        round.Finish(failure);
    }

    private void LeadIfFirst(Round round)
    {
        if (round.TryLead()) Lead(round);
    }

    private sealed class Round : SharedOutcome
    {
        protected override Exception Told(Exception failure) => failure switch
        {
            MappedFileException e => new MappedFileException(e.Reason, e.Path, e.What, inner: e),
            ObjectDisposedException e => new ObjectDisposedException(e.ObjectName),
            _ => new IOException(failure.Message, failure),
        };
    }
}
