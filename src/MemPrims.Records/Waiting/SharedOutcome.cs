namespace MemPrims.Records.Waiting;

// What several callers wait for together: one of them does it, and all of them learn how it ended.
internal abstract class SharedOutcome
{
    // Each thread waits on an object of its own. Threads that wait on one object all fight for its lock when they are woken: eight of
    // them, on the disk, take 69 µs a commit in place of 59 ("one update each by 8 threads").
    [ThreadStatic]
    private static OrderedLock? t_waiter;

    private readonly List<OrderedLock> _waiters = [];
    private TaskCompletionSource? _completion;
    private Exception? _failure;
    private volatile bool _isDone;
    private int _isLed;

    private static OrderedLock Own => t_waiter ??= new(LockOrder.Leaf);

    public bool IsDone => _isDone;

    // Whether nobody waits for it or does it. Under the owner's lock.
    public bool IsNew => _waiters.Count == 0 && _completion is null && _isLed == 0;

    // Whether the caller is to do it; true once.
    public bool TryLead() => Interlocked.Exchange(ref _isLed, 1) == 0;

    // The end as a task. Asked for under the owner's lock, before the end.
    public Task Task => (_completion ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    // The running thread will wait. Under the owner's lock, before the end.
    public void Add() => _waiters.Add(Own);

    public void Finish(Exception? failure)
    {
        _failure = failure;
        _isDone = true;
        foreach (OrderedLock waiter in _waiters)
        {
            if (waiter == t_waiter) continue;
            using (waiter.Enter()) waiter.WakeOne();
        }
        Completion.End(_completion, failure is null ? null : Told(failure));
    }

    // Returns when it is done; throws when it failed.
    public void Wait()
    {
        Uninterrupted.Run(this, static outcome =>
        {
            OrderedLock own = Own;
            using (own.Enter())
                while (!outcome._isDone) own.Wait(Timeout.Infinite);
        });
        ThrowIfFailed();
    }

    public void ThrowIfFailed()
    {
        if (_failure is not null) throw Told(_failure);
    }

    // An exception of its own for each: one object cannot be thrown by several threads.
    protected abstract Exception Told(Exception failure);
}
