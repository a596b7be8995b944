namespace MemPrims.Records.Log;

/// <summary>
/// Callers that wait together share one sync. One of them leads: it closes the round, syncs, and wakes the others. Who comes meanwhile
/// makes up the next round. <paramref name="sync"/> covers all that was appended before it begins, and never runs twice at a time.
/// </summary>
internal sealed class SyncRounds(Action sync)
{
    // Each thread waits on an object of its own: threads that wait on one object fight for its lock when they are woken.
    [ThreadStatic]
    private static object? t_waiter;

    private readonly Lock _gate = new();
    private Round _next = new();

    // A round is led from the moment its leader closes it. In between, whoever comes first may take the lead.
    private bool _isLed;

    public void Join()
    {
        object own = t_waiter ??= new();
        Round round;
        bool leads;
        lock (_gate)
        {
            round = _next;
            leads = !_isLed;
            if (leads) BeginRound();
            else round.Waiters.Add(own);
        }
        if (leads || WaitFor(round, own)) Lead(round);
        round.ThrowIfFailed();
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
        try
        {
            sync();
        }
        catch (Exception e)
        {
            failure = e;
        }
        lock (_gate)
        {
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
        lock (own)
        {
            while (!round.IsDone)
            {
                if (TryTake(round)) return true;
                Monitor.Wait(own);
            }
        }
        return false;
    }

    private bool TryTake(Round round)
    {
        lock (_gate)
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
        lock (waiter) Monitor.Pulse(waiter);
    }

    private sealed class Round
    {
        private Exception? _failure;
        private volatile bool _isDone;

        public List<object> Waiters { get; } = [];

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
