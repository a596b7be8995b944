namespace MemPrims.Channels.Link;

// Closes what strangers sent, on threads of its own. Such a close may wait for a disk, a network or a program of the stranger's. So it
// runs neither on the thread that receives nor on the thread pool, which is the user's. A pool would not do either: when its threads all
// wait, it starts nothing for half a second or longer. Meanwhile a flood of faults brought 10,000 descriptors.
internal sealed class Closer(int mostThreads, int mostBacklog, TimeSpan patience, TimeSpan idleTime)
{
    // A thread whose close hangs leaves three to the others.
    private const int UsualThreads = 4;

    // Two of the largest messages: one is closed while the next one comes. With a message that is being received this is three quarters
    // of 1,024, a usual limit of open files.
    private const int UsualBacklog = 2 * Rights.Most;

    // Closing takes little stack. The usual 1.5 MiB would count as the process's memory.
    private const int StackBytes = 256 << 10;

    private readonly Queue<SafeHandle> _waiting = new(mostBacklog);
    private int _threads, _idle, _backlog, _waitingForRoom;

    public static Closer Usual { get; } = new(UsualThreads, UsualBacklog, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(5));

    // Descriptors that wait to be closed, and those whose close has begun and not ended.
    public int Backlog => Volatile.Read(ref _backlog);

    // How many threads there are. They are started when there is work, and end when there is none for a while.
    public int Threads => Volatile.Read(ref _threads);

    public int WaitingForRoom => Volatile.Read(ref _waitingForRoom);

    // Disposes the handles, and lets what they stand for go on a thread. When the backlog is full the caller waits for room first: a flood
    // cannot outrun the closing. The wait is short. After it the handles are taken all the same, so nobody waits for ever behind a
    // descriptor that cannot be closed.
    public void Add(ReadOnlySpan<SafeHandle> handles)
    {
        if (handles.IsEmpty) return;
        Uninterrupted.Run(_waiting, Monitor.Enter);
        try
        {
            try
            {
                WaitForRoom(handles.Length);
            }
            finally
            {
                // Also when the caller's thread was interrupted. One by one: if one hangs, other threads close the rest of its message.
                foreach (SafeHandle handle in handles)
                    if (Hold.TryOf(handle).IsThere)
                    {
                        // Not the end of it: the hold is kept until a thread lets it go.
                        handle.Dispose();
                        _waiting.Enqueue(handle);
                        _backlog++;
                    }
            }
            if (_waiting.Count == 0) return;
            CallThread();
            if (_threads > 0) return;
            _threads++;
        }
        finally
        {
            Monitor.Exit(_waiting);
        }
        // The system gives this process no thread. To close here may take long; not to close would be a leak.
        Work(TimeSpan.Zero);
    }

    private void WaitForRoom(int count)
    {
        // The threads of the pool are few, and asynchronous calls of all channels need them.
        Deadline deadline = Deadline.After(Thread.CurrentThread.IsThreadPoolThread ? patience / 10 : patience);
        _waitingForRoom++;
        try
        {
            while (_backlog > 0 && _backlog + count > mostBacklog && !deadline.HasPassed)
                Monitor.Wait(_waiting, deadline.MillisecondsLeft);
        }
        finally
        {
            _waitingForRoom--;
        }
    }

    // Wakes an idle thread or starts another one, if there may be more. The caller holds the lock.
    private void CallThread()
    {
        if (_idle > 0) Wake();
        else if (_threads < mostThreads)
        {
            _threads++;
            if (!BackgroundThread.TryStart("closer", () => Work(idleTime), StackBytes)) _threads--;
        }
    }

    // Callers that wait for room wait on the same lock: one pulse could wake one of them in place of a thread.
    private void Wake()
    {
        if (_waitingForRoom > 0) Monitor.PulseAll(_waiting);
        else Monitor.Pulse(_waiting);
    }

    private void Work(TimeSpan idle)
    {
        while (Take(idle) is { } handle)
        {
            try
            {
                Rights.EndLinger((int)handle.DangerousGetHandle());
                handle.DangerousRelease();
            }
            catch (Exception)
            {
                // Nobody is there to be told. Uncaught it would end the process.
            }
            lock (_waiting)
            {
                _backlog--;
                if (_waitingForRoom > 0) Monitor.PulseAll(_waiting);
            }
        }
    }

    // The next one to close. Null when there was none for the idle time: then the thread no longer counts.
    private SafeHandle? Take(TimeSpan idle)
    {
        lock (_waiting)
        {
            while (_waiting.Count == 0)
            {
                _idle++;
                bool woken = idle > TimeSpan.Zero && Monitor.Wait(_waiting, idle);
                _idle--;
                if (woken || _waiting.Count > 0) continue;
                _threads--;
                return null;
            }
            SafeHandle next = _waiting.Dequeue();
            // This one may hang. The rest must not wait for it.
            if (_waiting.Count > 0) CallThread();
            return next;
        }
    }
}
