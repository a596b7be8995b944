using System.Diagnostics;
using MemPrims.Records.Waiting;

namespace MemPrims.Records.Log;

/// <summary>
/// Callers that wait together share one sync. One of them leads: it closes the round, syncs, and wakes the others. Who comes meanwhile
/// makes up the next round. <paramref name="sync"/> covers all that was appended before it begins, and never runs twice at a time.
/// </summary>
/// <remarks>
/// Where a sync takes less time than to put a thread to sleep and wake it, threads wait by giving way to each other: in tmpfs, on a
/// disk with a cache of its own, and with <see cref="Durability.ProcessCrash"/>.
///
/// Who has joined a round stays until it is done: others may wait for it to lead. An interrupt comes at the thread's next wait.
/// </remarks>
internal sealed class SyncRounds(Action sync)
{
    // "8 threads, each append with its own sync, tmpfs": there a sync takes 1 µs, and a wait for a wake-up 10 to 50. On a disk it takes
    // 100 µs and more.
    private const long QuickMicroseconds = 20;
    private const int MostYields = 50;

    // Each thread waits on an object of its own: threads that wait on one object fight for its lock when they are woken.
    [ThreadStatic]
    private static object? t_waiter;

    private readonly Lock _gate = new();
    private volatile Round _next = new();

    // A round is led from the moment its leader closes it. In between, whoever comes first may take the lead.
    private volatile bool _isLed;

    // Whether the last sync was quick.
    private volatile bool _isQuick;

    public void Join()
    {
        object own = t_waiter ??= new();
        // What was appended before is covered by the round that is next now, whoever leads it.
        Round round = _next;
        if (_isLed && _isQuick && GiveWay(round)) return;
        bool leads, isEnding;
        lock (_gate)
        {
            leads = !_isLed && _next == round;
            isEnding = round.IsEnding;
            if (leads) BeginRound();
            else if (!isEnding) round.Waiters.Add(own);
        }
        // Nobody wakes who comes when a round ends; it is done at once.
        if (isEnding) SpinWait.SpinUntil(() => round.IsDone);
        else if (leads || WaitFor(round, own)) Lead(round);
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
        lock (_gate)
        {
            Round round = _next;
            bool isFirst = round.IsEmpty;
            Task task = (round.Completion ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
            if (!_isLed && isFirst) LeadOnPool(round);
            return task;
        }
    }

    /// <summary>Returns when no sync runs and none will: the caller turns away what comes later.</summary>
    public void Close()
    {
        try
        {
            Join();
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
        }
    }

    private void BeginRound()
    {
        _isLed = true;
        _next = new();
    }

    private void Lead(Round round)
    {
        Exception? failure = null;
        Round next;
        object? successor;
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
            successor = next.Waiters.Count > 0 ? next.Waiters[0] : null;
        }
        // The disk is put to work again before this round's threads are woken.
        if (successor is not null) Wake(successor);
        else if (!next.IsEmpty) LeadOnPool(next);
        round.Finish(failure);
    }

    // True: the caller is to lead, and the round is closed. False: the round is done.
    private bool WaitFor(Round round, object own)
    {
        bool interrupted = false;
        OrderedLock.Uninterrupted(own, Monitor.Enter);
        try
        {
            while (!round.IsDone)
            {
                if (TryTake(round)) return true;
                try
                {
                    Monitor.Wait(own);
                }
                catch (ThreadInterruptedException)
                {
                    interrupted = true;
                }
            }
        }
        finally
        {
            Monitor.Exit(own);
            if (interrupted) Thread.CurrentThread.Interrupt();
        }
        return false;
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

    private void LeadOnPool(Round round) => ThreadPool.UnsafeQueueUserWorkItem(static state =>
    {
        if (state.Rounds.TryTake(state.Round)) state.Rounds.Lead(state.Round);
    }, (Rounds: this, Round: round), preferLocal: false);

    private static void Wake(object waiter)
    {
        OrderedLock.Uninterrupted(waiter, Monitor.Enter);
        Monitor.Pulse(waiter);
        Monitor.Exit(waiter);
    }

    private sealed class Round
    {
        private Exception? _failure;
        private volatile bool _isDone;

        /// <summary>Changed under the gate, and no more once it is ending.</summary>
        public List<object> Waiters { get; } = [];

        public bool IsEnding { get; set; }

        public TaskCompletionSource? Completion { get; set; }

        public bool IsEmpty => Waiters.Count == 0 && Completion is null;

        public bool IsDone => _isDone;

        public void Finish(Exception? failure)
        {
            _failure = failure;
            _isDone = true;
            foreach (object waiter in Waiters) Wake(waiter);
            if (failure is null) Completion?.SetResult();
            else Completion?.SetException(Told(failure));
        }

        public void ThrowIfFailed()
        {
            if (_failure is not null) throw Told(_failure);
        }

        // An exception of its own for each: one object cannot be thrown by several threads.
        private static Exception Told(Exception failure) => failure switch
        {
            MappedFileException e => new MappedFileException(e.Reason, e.Path, e.What, inner: e),
            ObjectDisposedException e => new ObjectDisposedException(e.ObjectName),
            _ => new IOException(failure.Message, failure),
        };
    }
}
