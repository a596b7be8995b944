namespace MemPrims.Channels;

// Whether a channel can be used: open, ended by its peer, broken or disposed; and who waits for it meanwhile. ARCHITECTURE.md has the
// table of states. Any number of threads may use it at once.
internal sealed class Life(ChannelSocket socket, int peer, bool isHeldElsewhere)
{
    private readonly int _number = ChannelEvents.NextChannel();
    private readonly CancellationTokenSource _end = new();
    private Exception? _broken;
    private volatile bool _hasEnded, _isDisposed, _isHeldElsewhere = isHeldElsewhere;

    public bool IsBroken => Volatile.Read(ref _broken) is not null;

    public bool IsDisposed => _isDisposed;

    // Whether this end may have other holders: then nothing here may shut the connection down for them.
    public bool IsHeldElsewhere => _isHeldElsewhere;

    // Whether nothing more can come.
    public bool HasEnded => _hasEnded || _isDisposed || IsBroken;

    public int Peer => peer;

    public void TellOpened(string? noSharedMemory)
    {
        ChannelEvents.Log.Opened(peer, _number);
        if (noSharedMemory is not null) ChannelEvents.Log.NoSharedMemory(noSharedMemory, peer, _number);
    }

    public void NoteOtherHolder() => _isHeldElsewhere = true;

    // Open → Ended: the peer has ended and everything it sent was received.
    public void End()
    {
        if (_hasEnded) return;
        _hasEnded = true;
        ChannelEvents.Log.PeerEnded(peer, _number);
    }

    // Open or Ended → Broken. Every call fails then, on both sides: what comes next could not be told from the rest of a cut message.
    public void Break(Exception cause)
    {
        if (Interlocked.CompareExchange(ref _broken, cause, null) is not null) return;
        // Not every caller uses the socket at this moment: without the hold its memory could be unmapped meanwhile. Where it is disposed
        // in this moment, the peer sees the end.
        using (Hold hold = Hold.TryOf(socket))
            if (hold.IsThere) ShutDown();
        ChannelEvents.Log.Broke(cause.Message, peer, _number);
    }

    // Any state → Disposed; false where it is that already. Wakes calls that sleep; with other holders, those on the socket a moment
    // later.
    public bool TryDispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, true)) return false;
        using (Hold.Of(socket))
        {
            if (!_isHeldElsewhere)
            {
                // This end's own sleep on the peer's counters.
                socket.Theirs?.WakeSleepers();
                ShutDown();
            }
            _end.Cancel();
        }
        socket.Dispose();
        ChannelEvents.Log.Closed(peer, _number);
        return true;
    }

    private void ShutDown()
    {
        socket.Mine?.TellEnd();
        _ = Posix.Shutdown(socket.File, Posix.SHUT_RDWR);
    }

    public void ThrowIfUnusable()
    {
        if (_broken is not null || _isDisposed) Throw();
    }

    // Throws where the channel cannot be used, and where the call's time is over.
    public void Check(in Patience patience, string doing)
    {
        ThrowIfUnusable();
        patience.Check(doing);
    }

    private void Throw()
    {
        // Disposed is the last state, whatever came before it.
        if (_isDisposed) throw Disposed();
        throw new IpcProtocolException(IpcFault.Broken,
            "The channel was broken by an earlier error; close it and connect anew", _broken);
    }

    private static ObjectDisposedException Disposed() => new(typeof(IpcChannel).FullName);

    // Waits for the socket without a thread. Dispose ends the wait; the caller looks at everything again.
    public async ValueTask Wait(short events, Patience patience)
    {
        Poller.Wait wait;
        using (Begin()) wait = Poller.Begin(socket, events);
        Action<object?> end = static wait => ((Poller.Wait)wait!).End();
        using (patience.Token.UnsafeRegister(end, wait))
        using (_end.Token.UnsafeRegister(end, wait))
            // However it ends, the caller looks at its clock and its token.
            await wait.Task.WaitAsync(TimeSpan.FromMilliseconds(patience.Milliseconds), CancellationToken.None)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        wait.End();
        ThrowIfUnusable();
    }

    // Looks again and again for so long, while others use the thread.
    public async ValueTask<bool> SeesSoon(Func<bool> look, int microseconds)
    {
        Deadline soon = Deadline.After(TimeSpan.FromMicroseconds(microseconds));
        do
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            using Hold use = Begin();
            if (look()) return true;
        }
        while (!soon.HasPassed);
        return false;
    }

    // A call that uses the socket and the memory: they stay until it ends.
    public Hold Begin()
    {
        ThrowIfUnusable();
        Hold hold = Hold.TryOf(socket);
        // Disposed since the look above. The caller knows the channel and not its socket.
        return hold.IsThere ? hold : throw Disposed();
    }

    // The same, and nothing where the channel cannot be used.
    public Hold TryBegin() => IsBroken || _isDisposed ? default : Hold.TryOf(socket);
}
