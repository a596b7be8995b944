namespace MemPrims.Records.Waiting;

// Entering a lock so that an interrupt comes at the thread's next wait.
internal static class UninterruptedLock
{
    // Not by the lock's own scope: the first call would wait for the load of what an interrupt takes.
    public static Held EnterUninterrupted(this Lock gate)
    {
        if (!gate.TryEnter()) Uninterrupted.Run(gate, static gate => gate.Enter());
        return new(gate);
    }

    internal readonly ref struct Held(Lock gate)
    {
        private readonly Lock _gate = gate;

        public void Dispose() => _gate.Exit();
    }
}
