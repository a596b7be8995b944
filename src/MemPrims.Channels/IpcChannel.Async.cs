using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Channels.Native;

namespace MemPrims.Channels;

// The asynchronous forms. What can be done at once is done on the caller's thread; the socket is waited for by the poller. A message
// that is partly sent or partly received goes to its end on a thread of the pool. They do not spin.
public sealed partial class IpcChannel
{
    private readonly List<Poller.Wait> _waits = [];
    private EndWatch? _watch;

    /// <summary>Sends a message, and waits without a thread while the peer does not keep up.</summary>
    /// <exception cref="OperationCanceledException">Cancelled. If a part was sent, the channel is broken; otherwise nothing was
    /// sent.</exception>
    public ValueTask SendAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return IsOneStep(payload.Length) && TrySend(payload.Span) ? default : SendSlowly(new(payload), [], cancellationToken);
    }

    /// <summary>Sends a message with descriptors. The handles stay the caller's and are kept open until the task is done.</summary>
    /// <inheritdoc cref="SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>
    public ValueTask SendAsync(ReadOnlyMemory<byte> payload, IReadOnlyList<SafeHandle> handles,
        CancellationToken cancellationToken = default) => SendAsync(new ReadOnlySequence<byte>(payload), handles, cancellationToken);

    /// <summary>
    /// Hands a segment to the peer, and waits without a thread while the peer does not keep up. Until the task is done the segment is
    /// neither to be written nor disposed. If it fails, the segment stays the caller's.
    /// </summary>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was sent.</exception>
    public ValueTask SendAsync(SharedSegment segment, int offset, int length, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return TrySend(segment, offset, length) ? default : SendSlowly(segment, offset, length, cancellationToken);
    }

    /// <inheritdoc cref="SendAsync(SharedSegment, int, int, CancellationToken)"/>
    public ValueTask SendAsync(SharedSegment segment, int length, CancellationToken cancellationToken = default) =>
        SendAsync(segment, 0, length, cancellationToken);

    // The others go on a thread of the pool: what has begun is sent to its end. Half a ring is not waited for long.
    private bool IsOneStep(long length) => length <= (WouldGoByRing ? _mine.RingBytes / 2 : _packetRoom);

    /// <summary>
    /// Sends a message from the pieces it lies in, with descriptors. The handles stay the caller's and are kept open until the task is
    /// done.
    /// </summary>
    /// <exception cref="OperationCanceledException">Cancelled. If a part was sent, the channel is broken; otherwise nothing was
    /// sent.</exception>
    // Preferred where both fit, so that SendAsync(new(bytes), handles) means a sequence, as in Send.
    [OverloadResolutionPriority(1)]
    public ValueTask SendAsync(ReadOnlySequence<byte> payload, IReadOnlyList<SafeHandle>? handles = null,
        CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        SafeHandle[] array = handles is null or { Count: 0 } ? [] : [.. handles];
        return IsOneStep(payload.Length) && TrySend(payload, array) ? default : SendSlowly(payload, array, cancellationToken);
    }

    private async ValueTask SendSlowly(ReadOnlySequence<byte> payload, SafeHandle[] handles, CancellationToken token)
    {
        Deadline deadline = Deadline.After(_options.Timeout);
        while (IsOneStep(payload.Length))
        {
            if (TrySend(payload, handles)) return;
            await WaitToSend(deadline, token).ConfigureAwait(false);
        }
        // The task gets no token: one that was cancelled before it ran could not be told from one that has sent.
        await Task.Run(() => Send(payload, handles, new Patience(deadline, token)), CancellationToken.None).ConfigureAwait(false);
    }

    private async ValueTask SendSlowly(SharedSegment segment, int offset, int length, CancellationToken token)
    {
        Deadline deadline = Deadline.After(_options.Timeout);
        while (WouldGoByRing || IsOneStep(length))
        {
            await WaitToSend(deadline, token).ConfigureAwait(false);
            if (TrySend(segment, offset, length)) return;
        }
        await Task.Run(() => Send(segment, offset, length, new Patience(deadline, token)), CancellationToken.None).ConfigureAwait(false);
    }

    private async ValueTask WaitToSend(Deadline deadline, CancellationToken token)
    {
        // Neither the end of another thread's send nor room in the ring is an event of the socket's.
        if (_sending.IsTaken || WouldGoByRing) await Task.Delay(1, token).ConfigureAwait(false);
        else await Wait(Posix.PollOut, deadline, token).ConfigureAwait(false);
        new Patience(deadline, token).Check("the peer did not take what was sent");
    }

    /// <summary>Waits for a message without a thread. Null when the peer has closed and everything it sent was received.</summary>
    /// <exception cref="OperationCanceledException">Cancelled. If a part of a message was received, the channel is broken.</exception>
    public ValueTask<IpcMessage?> ReceiveAsync(CancellationToken cancellationToken = default) =>
        ReceiveAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <inheritdoc cref="ReceiveAsync(CancellationToken)"/>
    /// <exception cref="TimeoutException">No message came. If a part did, the channel is broken.</exception>
    /// <param name="timeout">As for <see cref="Receive(TimeSpan)"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async ValueTask<IpcMessage?> ReceiveAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ThrowIfUnusable();
        Deadline first = Deadline.After(timeout);
        if (!await _receiving.WaitAsync(first.IsNever ? -1 : first.Milliseconds(int.MaxValue), cancellationToken).ConfigureAwait(false))
            throw new TimeoutException("Timed out: another thread was receiving.");
        try
        {
            if (TakeKept() is { } kept) return kept;
            int taken = 0;
            while (true)
            {
                Outcome outcome = LookNow(cancellationToken, out Arrival arrival, out Deadline deadline);
                if (outcome == Outcome.Message) return arrival.ToMessage();
                if (outcome == Outcome.Closed) return null;
                if (outcome == Outcome.RestInRing)
                    return await Task.Run(() => FinishInUse(cancellationToken), CancellationToken.None).ConfigureAwait(false);
                if (outcome == Outcome.Taken)
                {
                    if (++taken % TakenBetweenChecks == 0 && !IsInMiddle) new Patience(first, cancellationToken).Check("no message came");
                    continue;
                }
                if (!IsInMiddle) deadline = first;
                if (!await WaitToReceive(deadline, cancellationToken).ConfigureAwait(false)) continue;
                if (IsInMiddle) BreakIfOver(new Patience(deadline, cancellationToken));
                else if (!HasPacket()) new Patience(first, cancellationToken).Check("no message came");
            }
        }
        finally
        {
            LeaveReceiving();
        }
    }

    private unsafe Outcome LookNow(CancellationToken token, out Arrival arrival, out Deadline deadline)
    {
        using Use use = new(this);
        Outcome outcome = Look(null, 0, new Patience(Deadline.Never, token), mayWait: false, out arrival);
        deadline = IsInMiddle ? EarliestDeadline() : Deadline.Never;
        return outcome;
    }

    /// <summary>Waits for a packet; false where something has come by the ring before the wait began.</summary>
    private async ValueTask<bool> WaitToReceive(Deadline deadline, CancellationToken token)
    {
        if (!BeginSleep()) return false;
        try
        {
            await Wait(Posix.PollIn, deadline, token).ConfigureAwait(false);
            return true;
        }
        finally
        {
            EndSleep();
        }
    }

    private unsafe bool BeginSleep()
    {
        using Use use = new(this);
        return TryTellSleep();
    }

    private unsafe void EndSleep()
    {
        if (_isDisposed) return;
        try
        {
            using Use use = new(this, evenIfBroken: true);
            TellAwake();
        }
        catch (ObjectDisposedException)
        {
            // Disposed in this moment: nobody sleeps here any more.
        }
    }

    private unsafe bool HasPacket()
    {
        using Use use = new(this);
        return RingHasNews || _socket.Poll(Posix.PollIn, 0);
    }

    private unsafe IpcMessage FinishInUse(CancellationToken token)
    {
        using Use use = new(this);
        return FinishRing(token).ToMessage();
    }

    private void BreakIfOver(in Patience patience)
    {
        try
        {
            patience.Check("the peer stopped in the middle of a message");
        }
        catch (Exception e)
        {
            Break(e);
            if (e is TimeoutException) throw CutByTime(e);
            throw;
        }
    }

    private async ValueTask Wait(short events, Deadline deadline, CancellationToken token)
    {
        Poller.Wait wait = BeginWait(events);
        try
        {
            await WaitFor(wait, deadline, token).ConfigureAwait(false);
        }
        finally
        {
            lock (_waits) _waits.Remove(wait);
        }
        ThrowIfUnusable();
    }

    private static async ValueTask WaitFor(Poller.Wait wait, Deadline deadline, CancellationToken token)
    {
        using CancellationTokenRegistration ends = token.UnsafeRegister(static ended => ((Poller.Wait)ended!).End(), wait);
        if (deadline.IsNever) await wait.Task.ConfigureAwait(false);
        else
        {
            try
            {
                await wait.Task.WaitAsync(TimeSpan.FromMilliseconds(deadline.Milliseconds(int.MaxValue)),
                    CancellationToken.None).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                wait.End();
            }
        }
    }

    private Poller.Wait BeginWait(short events)
    {
        using Use use = new(this);
        Poller.Wait wait = Poller.Begin(_socket.Duplicate(), events);
        lock (_waits) _waits.Add(wait);
        // Disposed meanwhile: nobody ended this one.
        if (_isDisposed || _broken is not null) wait.End();
        return wait;
    }

    private void EndWaits()
    {
        Poller.Wait[] waits;
        lock (_waits) waits = [.. _waits];
        foreach (Poller.Wait wait in waits) wait.End();
        _watch?.End();
    }

    /// <summary>Waits for the peer's end in the background, once, for <see cref="Completion"/>.</summary>
    private void WatchForEnd()
    {
        lock (_completion)
        {
            if (_isDisposed || _watch is not null) return;
            using Use use = new(this, evenIfBroken: true);
            _watch = new(this);
        }
    }

    /// <summary>
    /// The wait for the peer's end. The poller does not keep the channel alive by it: a channel that nobody knows any more is collected,
    /// and then the finalizer here ends the wait and closes its duplicate of the socket. Whoever awaits <see cref="Completion"/> goes on
    /// then.
    /// </summary>
    private sealed class EndWatch
    {
        private readonly Poller.Wait? _wait;

        public EndWatch(IpcChannel channel)
        {
            _wait = Poller.Begin(channel._socket.Duplicate(), Posix.PollReadHangUp);
            WhenEnded(_wait, new(channel), channel._completion);
        }

        ~EndWatch() => _wait?.End();

        public void End()
        {
            GC.SuppressFinalize(this);
            _wait?.End();
        }

        private static void WhenEnded(Poller.Wait wait, WeakReference<IpcChannel> weak, TaskCompletionSource completion) =>
            wait.Task.ContinueWith(_ =>
            {
                if (weak.TryGetTarget(out IpcChannel? channel)) channel.CompleteIfDrained();
                else completion.TrySetResult();
            }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
    }

    private void CompleteIfDrained()
    {
        if (_isDisposed || _broken is not null) return;
        try
        {
            using Use use = new(this);
            // With messages unread, the receive that finds the end completes it.
            if (SocketIsDrained() && _kept is null && !IsInMiddle && !RingHasNews && _heldBack is not { Count: > 0 })
                _completion.TrySetResult();
        }
        catch (Exception e) when (e is ObjectDisposedException or IpcProtocolException)
        {
            // Disposed or broken in this moment: then it is completed by that.
        }
    }

    /// <summary>Whether nothing is left in the socket but its end. Wake-ups that nobody needed are taken out.</summary>
    private unsafe bool SocketIsDrained()
    {
        PacketHeader header;
        while (true)
        {
            nint length = LookAt(&header, Posix.Peek);
            if (length <= 0) return length == 0;
            if (length < PacketHeader.Size || !header.IsOurs || header.Kind != PacketKind.Bell) return false;
            // Beside a receive the packet would be another one by now: that receive finds the end.
            if (!_receiving.TryEnter()) return false;
            if (LookAt(&header, Posix.Peek) >= PacketHeader.Size && header.Kind == PacketKind.Bell) _ = LookAt(&header, 0);
            LeaveReceiving();
        }
    }

    private unsafe nint LookAt(PacketHeader* header, int flags)
    {
        Posix.Piece piece = new() { Start = (byte*)header, Length = PacketHeader.Size };
        Posix.Message message = new() { Pieces = &piece, PieceCount = 1 };
        nint length;
        // A reset is told once: this look must not take it from the receive that reports it.
        while ((length = Posix.Receive(_socket.File, &message, flags | Posix.DontWait)) < 0
            && Errno.Last is Errno.Reset or Errno.Interrupted)
            _wasReset |= Errno.Last == Errno.Reset;
        return length;
    }
}
