namespace MemPrims.Channels.Native;

// Lets one caller in at a time, senders and receivers each. A free gate costs one exchange. SemaphoreSlim alone takes and leaves a lock
// for every entry and for every exit, four times in a round trip.
internal sealed class Gate
{
    private readonly SemaphoreSlim _freed = new(0);
    private int _isTaken, _waiting;

    private bool IsTaken => Volatile.Read(ref _isTaken) != 0;

    public bool TryEnter() => !IsTaken && Interlocked.Exchange(ref _isTaken, 1) == 0;

    // Waits for the gate. False when the time is over, or when somebody else was faster: the caller looks and comes again.
    public bool Wait(int milliseconds, CancellationToken token)
    {
        // Counted before the look: whoever leaves either sees the count, or was gone before the look.
        Interlocked.Increment(ref _waiting);
        try
        {
            return TryEnter() || (_freed.Wait(milliseconds, token) && TryEnter());
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }

    public async ValueTask<bool> WaitAsync(int milliseconds, CancellationToken token)
    {
        Interlocked.Increment(ref _waiting);
        try
        {
            return TryEnter() || (await _freed.WaitAsync(milliseconds, token).ConfigureAwait(false) && TryEnter());
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }

    // Waits until the gate is free, in one row of time however often somebody else is faster.
    public async ValueTask EnterAsync(Life life, Patience patience, string doing)
    {
        while (!TryEnter() && !await WaitAsync(patience.Milliseconds, patience.Token).ConfigureAwait(false))
        {
            life.ThrowIfUnusable();
            patience.Check(doing);
        }
    }

    public void Enter(Life life, in Patience patience, string doing)
    {
        while (!TryEnter() && !Wait(patience.Slice(nothingWakes: true), patience.Token))
        {
            life.ThrowIfUnusable();
            patience.Check(doing);
        }
    }

    public void Exit()
    {
        // A full fence: the count is read after the gate is free.
        Interlocked.Exchange(ref _isTaken, 0);
        // One wake-up at a time is enough: who finds the gate taken is woken by the next exit.
        if (Volatile.Read(ref _waiting) != 0 && _freed.CurrentCount == 0) _freed.Release();
    }
}
