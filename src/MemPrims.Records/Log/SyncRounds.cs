using System.Diagnostics;

namespace MemPrims.Records.Log;

// Callers that wait together share one sync. One of them leads: it closes the round, syncs, and wakes the others. Who comes meanwhile
// makes up the next round. `sync` covers all that was appended before it begins, and never runs twice at a time.
// Where a sync takes less time than to put a thread to sleep and wake it, threads wait by giving way to each other: in tmpfs, on a disk
// with a cache of its own, and with Durability.ProcessCrash.
//
// Who has joined a round stays until it is done: others may wait for it to lead. An interrupt comes at the thread's next wait.
internal sealed class SyncRounds(Action sync)
{
    // "8 threads, each append with its own sync, tmpfs": a sync takes 1 µs there, on a disk 100 and more, and a wake-up 10 to 50.
    private const long QuickMicroseconds = 20;
    private const int MostYields = 50;

    private readonly Lock _gate = new();
    private volatile Round _next = new();
    private readonly OwnThread _ownThread = new("MemPrims.Records: syncs of asynchronous code");

    // A round is led from the moment its leader closes it. In between, whoever comes first may take the lead.
    private volatile bool _isLed;

    private volatile bool _isQuick;

    public void Join()
    {
        // What was appended before is covered by the round that is next now, whoever leads it.
        Round round = _next;
        if (_isLed && _isQuick && GiveWay(round)) return;
        bool leads, isEnding;
        lock (_gate)
        {
            leads = !_isLed && _next == round;
            isEnding = round.IsEnding;
            if (leads) BeginRound();
            else if (!isEnding) round.Add();
        }
        // Nobody wakes who comes when a round ends; it is done at once.
        if (isEnding) SpinWait.SpinUntil(() => round.IsDone);
        else if (leads || WaitFor(round)) Lead(round);
        round.ThrowIfFailed();
    }

    // True: the round is done. It gives up where that takes longer than a quick sync does.
    private bool GiveWay(Round round)
    {
        for (int i = 0; i < MostYields && (_isLed || _next != round); i++)
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

    public Task JoinAsync()
    {
        Round round;
        Task task;
        lock (_gate)
        {
            round = _next;
            bool isFirst = round.IsEmpty;
            task = round.Task;
            if (_isLed || !isFirst) return task;
        }
        if (!TryPost(round) && TryTake(round)) Lead(round);
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

    private void BeginRound()
    {
        _isLed = true;
        _next = new();
    }

    // And the rounds that gather meanwhile, where nobody else can.
    private void Lead(Round round)
    {
        for (Round? next = round; next is not null; ) next = LeadOne(next);
    }

    private Round? LeadOne(Round round)
    {
        Exception? failure = null;
        bool isNextLed = true;
        Round next;
        OrderedLock? successor;
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
        using (_gate.EnterUninterrupted())
        {
            round.IsEnding = true;
            _isLed = false;
            next = _next;
            successor = next.First;
        }
        // The disk is put to work again before this round's threads are woken.
        if (successor is not null) SharedOutcome.Wake(successor);
        else if (!next.IsEmpty) isNextLed = TryPost(next);
        round.Finish(failure);
        return !isNextLed && TryTake(next) ? next : null;
    }

    // True: the caller is to lead, and the round is closed. False: the round is done.
    private bool WaitFor(Round round)
    {
        OrderedLock.Uninterrupted((Rounds: this, Round: round), static wait =>
        {
            OrderedLock own = SharedOutcome.Own;
            using (own.Enter())
                while (!wait.Round.IsDone && !wait.Rounds.TryTake(wait.Round)) own.Wait(Timeout.Infinite);
        });
        // A round that this thread has taken is done when this thread has led it.
        return !round.IsDone;
    }

    private bool TryTake(Round round)
    {
        using (_gate.EnterUninterrupted())
        {
            if (_isLed || _next != round) return false;
            BeginRound();
            return true;
        }
    }

    // The pool's threads may all be waiting for this very round.
    private bool TryPost(Round round) => _ownThread.TryPost(() =>
    {
        if (TryTake(round)) Lead(round);
    });

    private sealed class Round : SharedOutcome
    {
        // Set under the gate. Nobody joins any more.
        public bool IsEnding { get; set; }

        protected override Exception Told(Exception failure) => failure switch
        {
            MappedFileException e => new MappedFileException(e.Reason, e.Path, e.What, inner: e),
            ObjectDisposedException e => new ObjectDisposedException(e.ObjectName),
            _ => new IOException(failure.Message, failure),
        };
    }
}
