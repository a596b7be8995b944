using MemPrims.Records.Reading;
using MemPrims.Records.Waiting;

namespace MemPrims.Records.Writing;

/// <summary>Transactions that are committed together, by one write and one sync, and end together.</summary>
internal sealed class CommitGroup(PageSet set, int failures)
{
    // Each thread waits on an object of its own. Threads that wait on one object all fight for its lock when they are woken: eight of
    // them, on the disk, take 69 µs a commit in place of 59 ("one update each by 8 threads").
    [ThreadStatic]
    private static OrderedLock? t_waiter;

    private readonly List<OrderedLock> _waiters = [];
    private TaskCompletionSource? _completion;
    private volatile bool _isDone;
    private Exception? _failure;
    private int _members, _isLed;

    public PageSet Set { get; } = set;

    /// <summary>How many commits had failed when the first transaction joined.</summary>
    public int FailuresBefore { get; } = failures;

    /// <summary>Records in the file, after all of them.</summary>
    public int Count { get; private set; }

    /// <summary>Free ones among them.</summary>
    public int FreeCount { get; private set; }

    public int Members => Volatile.Read(ref _members);

    /// <summary>The code that waits for the group. A pin that it holds would never end meanwhile.</summary>
    public List<object> Waiting { get; } = [];

    /// <summary>Takes over what a transaction did. <paramref name="goesOn"/>: its thread does not wait. Under the lock of turns.</summary>
    public void Join(WriteBatch batch, bool goesOn)
    {
        Set.Take(batch.Set, copies: goesOn);
        (Count, FreeCount) = (batch.Count, batch.FreeCount);
        if (!goesOn)
        {
            _waiters.Add(t_waiter ??= new(LockOrder.Leaf));
            if (Holders.RunningCode is { } code) Waiting.Add(code);
        }
        Volatile.Write(ref _members, _members + 1);
    }

    /// <summary>
    /// Whether the caller is to write the group; true once. A group that asynchronous code began has its write queued to another thread.
    /// A thread that waits for the group before that writes it itself.
    /// </summary>
    public bool TryLead() => Interlocked.Exchange(ref _isLed, 1) == 0;

    /// <summary>Whether the writer is left when the group has ended: its first transaction does not wait inside.</summary>
    public bool LeavesAtEnd { get; set; }

    /// <summary>The group's end as a task. Under the lock of turns, before the end.</summary>
    public Task Task => (_completion ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    public void Finish(Exception? failure)
    {
        _failure = failure;
        _isDone = true;
        foreach (OrderedLock waiter in _waiters)
        {
            if (waiter == t_waiter) continue;
            using (waiter.Enter()) waiter.WakeOne();
        }
        if (failure is null) _completion?.SetResult();
        else _completion?.SetException(Told(failure));
    }

    /// <summary>Returns when the group is committed; throws when it could not be.</summary>
    public void Wait()
    {
        OrderedLock.Uninterrupted(this, static group =>
        {
            OrderedLock own = t_waiter!;
            using (own.Enter())
                while (!group._isDone) own.Wait(Timeout.Infinite);
        });
        if (_failure is not null) throw Told(_failure);
    }

    // An exception of its own for each: one object cannot be thrown by several threads.
    private static Exception Told(Exception failure) => failure switch
    {
        MappedFileException e => new MappedFileException(e.Reason, e.Path,
            $"{e.What} The transaction was committed together with others and has ended: nothing of it is in the file, do it anew.",
            e.Page, e.Expected, e.Actual, e),
        ObjectDisposedException e => new ObjectDisposedException(e.Message, e),
        _ => new InvalidOperationException("The commit failed, and nothing of the transaction is in the file: do it anew.", failure),
    };
}
