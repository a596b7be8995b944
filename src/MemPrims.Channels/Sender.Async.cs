namespace MemPrims.Channels;

// The asynchronous send: the same steps as the others make, and waits without a thread.
internal sealed partial class Sender
{
    // An asynchronous send looks this long for room in the ring, while others use its thread, and then every millisecond: no event tells.
    private const int YieldMicroseconds = 100;

    public ValueTask SendAsync(in ReadOnlySequence<byte> payload, SafeHandle[] handles, CancellationToken token)
    {
        if (token.IsCancellationRequested) return ValueTask.FromCanceled(token);
        try
        {
            return Send(payload, handles, mayWait: false) ? default : SendSlowly(payload, handles, token);
        }
        catch (Exception e) when (e is not ArgumentException)
        {
            // Only the caller's mistakes are thrown at once: who sends to many at once meets one that is gone when it awaits that task.
            return ValueTask.FromException(e);
        }
    }

    private async ValueTask SendSlowly(ReadOnlySequence<byte> payload, SafeHandle[] handles, CancellationToken token)
    {
        using HeldFiles files = new(handles);
        using PinnedPieces pinned = new(payload);
        Patience patience = new(Deadline.After(timeout), token);
        await _gate.EnterAsync(life, patience, OthersSend).ConfigureAwait(false);
        Outgoing message = new(pinned.Total);
        try
        {
            Progress progress;
            while ((progress = StepInUse(ref message, pinned, files)) != Progress.Done)
                await WaitAsync(progress, patience).ConfigureAwait(false);
            ChannelEvents.Sent(pinned.Total);
        }
        catch (Exception e) when (Cut(message, e) is { } told)
        {
            throw told;
        }
        finally
        {
            _gate.Exit();
        }
    }

    private unsafe Progress StepInUse(ref Outgoing message, in PinnedPieces pinned, in HeldFiles files)
    {
        using Hold use = life.Begin();
        fixed (Posix.Iovec* pieces = pinned.Pieces) return Step(ref message, pieces, pinned.Count, files.Numbers, wholeOnly: false);
    }

    private async ValueTask WaitAsync(Progress progress, Patience patience)
    {
        ChannelEvents.Blocked();
        if (progress == Progress.NeedsSocket) await life.Wait(Posix.POLLOUT, patience).ConfigureAwait(false);
        else if (progress != Progress.NeedsRoom || !await life.SeesSoon(() => _ring!.Spin(0), YieldMicroseconds).ConfigureAwait(false))
        {
            await Task.Delay(1, patience.Token).ConfigureAwait(false);
            _ring?.PeerMayBeDead = true;
        }
        life.Check(patience, NotTaken);
    }
}
