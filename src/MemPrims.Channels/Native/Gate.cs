namespace MemPrims.Channels.Native;

// Lets one caller in at a time, senders and receivers each. A free gate costs one exchange. SemaphoreSlim alone takes and leaves a lock
// for every entry and for every exit, four times in a round trip.
internal sealed class Gate
{
    private readonly SemaphoreSlim _freed = new(0);
    private int _isTaken, _waiting;

    public bool TryEnter() => Volatile.Read(ref _isTaken) == 0 && Interlocked.Exchange(ref _isTaken, 1) == 0;

    // Waits until the gate is free, in one row of time however often somebody else is faster.
    public void Enter(Life life, in Patience patience, string doing)
    {
        if (!TryEnter()) Wait(life, patience, doing);
    }

    private void Wait(Life life, in Patience patience, string doing)
    {
        // Counted before the look: whoever leaves either sees the count, or was gone before the look.
        Interlocked.Increment(ref _waiting);
        try
        {
            // Who was woken looks before its clock: nobody else is woken for this exit.
            while (!TryEnter() && !(_freed.Wait(patience.Slice(nothingWakes: true)) && TryEnter()))
                life.Check(patience, doing);
        }
        catch
        {
            // The wake-up that was meant for this thread is the next one's. It would lie there, and no exit make another.
            bool wasWoken = false;
            Uninterrupted.Run(_freed, freed => wasWoken = freed.Wait(0));
            if (wasWoken) WakeOne();
            throw;
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }

    public async ValueTask EnterAsync(Life life, Patience patience, string doing)
    {
        if (TryEnter()) return;
        Interlocked.Increment(ref _waiting);
        try
        {
            while (!TryEnter()
                && !(await _freed.WaitAsync(patience.Milliseconds, patience.Token).ConfigureAwait(false) && TryEnter()))
                life.Check(patience, doing);
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }

    public void Exit()
    {
        // A full fence: the count is read after the gate is free.
        Interlocked.Exchange(ref _isTaken, 0);
        // One wake-up at a time is enough: who finds the gate taken is woken by the next exit.
        if (Volatile.Read(ref _waiting) != 0 && _freed.CurrentCount == 0) WakeOne();
    }

    private void WakeOne() => Uninterrupted.Run(_freed, static freed => _ = freed.Release());
}
