namespace MemPrims.Records.Waiting;

// A lock with its place in an order, which a Debug build asserts. Entering it cannot be interrupted: a commit that has begun ends, and the
// interrupt comes at the thread's next wait.
internal sealed class OrderedLock(LockOrder place)
{
#if DEBUG
    [ThreadStatic]
    private static LockOrder t_held;
#endif
    private readonly object _monitor = new();
    private readonly LockOrder _place = place;

    public Scope Enter()
    {
        if (!Monitor.TryEnter(_monitor)) Uninterrupted.Run(_monitor, static monitor => Monitor.Enter(monitor));
        return new(this);
    }

    // Lets others in until one of them wakes this thread; false when the time is up before. Can be interrupted.
    public bool Wait(int milliseconds) => Monitor.Wait(_monitor, milliseconds);

    public void WakeOne() => Monitor.Pulse(_monitor);

    public void WakeAll() => Monitor.PulseAll(_monitor);

    public readonly ref struct Scope
    {
        private readonly OrderedLock _held;
#if DEBUG
        private readonly LockOrder _before;
#endif

        public Scope(OrderedLock held)
        {
            _held = held;
#if DEBUG
            _before = t_held;
            Debug.Assert(held._place > _before, $"{held._place} is entered by a thread that holds {_before}.");
            t_held = held._place;
#endif
        }

        public void Dispose()
        {
#if DEBUG
            t_held = _before;
#endif
            Monitor.Exit(_held._monitor);
        }
    }
}
