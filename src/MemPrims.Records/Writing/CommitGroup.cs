namespace MemPrims.Records.Writing;

/// <summary>Transactions that are committed together, by one write and one sync, and end together.</summary>
internal sealed class CommitGroup(PageSet set, int generation)
{
    // Each thread waits on an object of its own. Threads that wait on one object all fight for its lock when they are woken: eight of
    // them, on the disk, take 69 µs a commit in place of 59 ("one update each by 8 threads").
    [ThreadStatic]
    private static object? t_waiter;

    private readonly List<object> _waiters = [];
    private TaskCompletionSource? _completion;
    private volatile bool _isDone;
    private Exception? _failure;
    private int _members, _isLed;

    public PageSet Set { get; } = set;

    /// <summary>How many failures there had been when the first transaction joined.</summary>
    public int Generation { get; } = generation;

    /// <summary>Records in the file, after all of them.</summary>
    public int Count { get; private set; }

    /// <summary>Free ones among them.</summary>
    public int FreeCount { get; private set; }

    public int Members => Volatile.Read(ref _members);

    /// <summary>The threads that wait for the group. A pin that one of them holds would never end meanwhile.</summary>
    public List<int> Threads { get; } = [];

    /// <summary>Under the gate.</summary>
    public void Join(WriteBatch batch, bool goesOn)
    {
        Set.Take(batch.Set, copies: goesOn);
        (Count, FreeCount) = (batch.Count, batch.FreeCount);
        if (!goesOn)
        {
            _waiters.Add(t_waiter ??= new());
            Threads.Add(Environment.CurrentManagedThreadId);
        }
        Volatile.Write(ref _members, _members + 1);
    }

    /// <summary>
    /// Whether the caller is to write the group; true once. A group that asynchronous code began has its write queued to the thread pool.
    /// A thread that waits for the group writes it itself: all threads of the pool may be waiting for it.
    /// </summary>
    public bool TryLead() => Interlocked.Exchange(ref _isLed, 1) == 0;

    /// <summary>Whether the group counts as a commit that runs until it has ended: its first transaction waits on no thread.</summary>
    public bool CountsAsCommit { get; set; }

    /// <summary>The group's end as a task. Under the gate, before the end.</summary>
    public Task Task => (_completion ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    public void Finish(Exception? failure)
    {
        _failure = failure;
        _isDone = true;
        foreach (object waiter in _waiters)
            if (waiter != t_waiter) lock (waiter) Monitor.Pulse(waiter);
        if (failure is null) _completion?.SetResult();
        else _completion?.SetException(Told(failure));
    }

    /// <summary>Returns when the group is committed; throws when it could not be.</summary>
    public void Wait()
    {
        object own = t_waiter!;
        lock (own)
            while (!_isDone) Monitor.Wait(own);
        if (_failure is not null) throw Told(_failure);
    }

    // An exception of its own for each: one object cannot be thrown by several threads.
    private static Exception Told(Exception failure) =>
        failure is MappedFileException e
            ? new MappedFileException(e.Reason, e.Path,
                $"{e.What} The transaction was committed together with others and has ended: nothing of it is in the file, do it anew.",
                e.Page, e.Expected, e.Actual, e)
            : new InvalidOperationException("The commit failed, and nothing of the transaction is in the file: do it anew.", failure);
}
