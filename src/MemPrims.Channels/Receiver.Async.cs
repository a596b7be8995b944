namespace MemPrims.Channels;

// The asynchronous receive: the same looks as the others make, and waits without a thread.
internal sealed partial class Receiver
{
    // An asynchronous receive looks this long for the rest of a message, while others use its thread, before it waits for a wake-up: that
    // would be one packet and 20 µs or more for each step.
    private const int YieldMicroseconds = 50;

    public async ValueTask<IpcMessage?> ReceiveAsync(TimeSpan timeout, CancellationToken token)
    {
        // A call that is cancelled already takes nothing.
        token.ThrowIfCancellationRequested();
        life.ThrowIfUnusable();
        Patience patience = new(Deadline.After(timeout), token);
        await _gate.EnterAsync(life, patience, OthersReceive).ConfigureAwait(false);
        using Turn turn = new(this);
        while (true)
        {
            Outcome outcome = LookInUse(out Arrival arrival);
            if (outcome == Outcome.Message) return arrival.ToMessage();
            if (outcome == Outcome.Ended) return null;
            CheckTime(patience);
            if (outcome == Outcome.Nothing) await WaitForMoreAsync(patience).ConfigureAwait(false);
        }
    }

    private unsafe Outcome LookInUse(out Arrival arrival)
    {
        using Hold use = life.Begin();
        Outcome outcome = _intake.Look(null, 0, socketToo: true, out arrival);
        if (outcome == Outcome.Ended) ThrowIfLeftUnread();
        return outcome;
    }

    private async ValueTask WaitForMoreAsync(Patience patience)
    {
        if (_intake.IsInEntry && await life.SeesSoon(_ring!.Look, YieldMicroseconds).ConfigureAwait(false)) return;
        Patience either = new(Deadline.Earlier(patience.Deadline, _intake.EarliestDeadline()), patience.Token);
        if (!_intake.MayTakePackets)
        {
            await Task.Delay(1, patience.Token).ConfigureAwait(false);
            return;
        }
        using (life.Begin())
            if (_ring is not null && !_ring.TryTellSleep()) return;
        try
        {
            await life.Wait(Posix.POLLIN, either).ConfigureAwait(false);
        }
        finally
        {
            // Disposed or broken meanwhile: nobody rings any more.
            using Hold use = life.TryBegin();
            if (use.IsThere) _ring?.TellAwake();
        }
    }
}
