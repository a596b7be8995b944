namespace MemPrims.Channels;

// The receiving half of a channel: its calls, and how each of them waits. What there is to take, and what has come of a message, is the
// matter of Intake: messages that were not handed out are there and nowhere else, so a call that is given up loses nothing. One thread at
// a time receives; the gate sees to it.
internal sealed unsafe partial class Receiver(Life life, PacketLink link, RingReader? ring, Spinner spinner, ChannelOptions options,
    Sender sender)
{
    private const string NoMessage = "no message came", OthersReceive = "another thread was receiving",
        Unfinished = "the message has not come whole. What has come of it is kept for the next receive",
        Stopped = "the peer stopped in the middle of a message";

    // Sleeping on the peer's count wakes sooner than the socket does. But nothing that comes by the socket ends that sleep, not even the
    // peer's death. So it is short, and there is none once another holder of the peer's end has sent a packet. Not shorter: in a virtual
    // machine a timer before the scheduler's next tick costs a trip to the host (one processor: 16.9 µs a round trip with 1 ms, 6.8 with
    // 20).
    private const int FirstSleepMilliseconds = 20;

    private readonly RingReader? _ring = ring;
    private readonly Intake _intake = new(life, link, ring, spinner, options);
    private readonly Gate _gate = new();
    private bool _toldUnread;

    // For tests that look where no call does.
    internal RingReader? Ring => _ring;

    // Calls

    public IpcMessage? Receive(TimeSpan timeout)
    {
        Patience patience = new(Deadline.After(timeout));
        using Hold use = life.Begin();
        _gate.Enter(life, patience, OthersReceive);
        using Turn turn = new(this);
        return WaitFor(null, 0, patience, out Arrival arrival) ? arrival.ToMessage() : null;
    }

    public int Receive(Span<byte> destination, TimeSpan timeout)
    {
        Patience patience = new(Deadline.After(timeout));
        using Hold use = life.Begin();
        _gate.Enter(life, patience, OthersReceive);
        using Turn turn = new(this);
        Arrival arrival;
        fixed (byte* start = destination)
            try
            {
                byte nothing;
                if (!WaitFor(start == null ? &nothing : start, destination.Length, patience, out arrival)) return -1;
            }
            finally
            {
                _intake.LeaveSpan();
            }
        int length = arrival.Length;
        if (length > destination.Length)
        {
            _intake.Keep(arrival);
            throw new ArgumentException($"The message has {length} bytes and the destination {destination.Length}. It is " +
                "kept for the next receive.", nameof(destination));
        }
        if (arrival.Array is { } array) array.AsSpan(0, length).CopyTo(destination);
        arrival.Drop();
        return length;
    }

    // A message if one is there whole. What is there of another one is taken and kept.
    public IpcMessage? TryReceive()
    {
        using Hold use = life.Begin();
        if (!_gate.TryEnter()) return null;
        using Turn turn = new(this);
        Outcome outcome = _intake.Look(null, 0, socketToo: true, out Arrival arrival);
        if (outcome == Outcome.Message) return arrival.ToMessage();
        if (outcome != Outcome.Ended && _intake.EarliestDeadline().HasPassed) throw BreakLate();
        return null;
    }

    // Hands out a duplicate of a fresh end, see IpcChannel.DuplicateHandle.
    public int Duplicate(ChannelSocket socket) => _intake.Duplicate(socket);

    // Gives up what was received in part and what nobody has taken, unless a receive is under way: then that one does.
    public void Drop()
    {
        if (!_gate.TryEnter()) return;
        _intake.Drop();
        _gate.Exit();
    }

    // The turn of a call that has entered the gate: the next one may enter at its end.
    private readonly struct Turn(Receiver receiver) : IDisposable
    {
        public void Dispose() => receiver.Leave();
    }

    private void Leave()
    {
        _gate.Exit();
        if (life.IsDisposed) Drop();
    }

    // Waiting

    // Waits until a message is whole. `user` is null where an array is wanted. False at the end.
    private bool WaitFor(byte* user, int room, in Patience patience, out Arrival arrival)
    {
        life.ThrowIfUnusable();
        bool socketToo = _intake.Way != Way.Ring;
        while (true)
        {
            Outcome outcome = _intake.Look(user, room, socketToo, out arrival);
            if (outcome == Outcome.Message) return true;
            if (outcome == Outcome.Ended)
            {
                ThrowIfLeftUnread();
                return false;
            }
            if (outcome == Outcome.Busy) CheckTime(patience);
            else socketToo = socketToo ? SleepOnSocket(patience) : WaitOnRing(patience);
            life.ThrowIfUnusable();
        }
    }

    // After the ring was found empty: spins, then sleeps for a moment. Whether the socket is to be looked at too.
    private bool WaitOnRing(in Patience patience)
    {
        long until = _intake.IsInMiddle ? spinner.LookUntilRest() : spinner.LookUntil();
        if (_intake.IsInMiddle && (_intake.EarliestDeadline().HasPassed || patience.Deadline.HasPassed)) return true;
        if (until != 0 && HasSpun(_ring!.Spin(until))) return false;
        if (_intake.HasOtherSenders) return true;
        int milliseconds = Deadline.Earlier(patience.Deadline, _intake.EarliestDeadline()).Milliseconds(FirstSleepMilliseconds);
        return milliseconds == 0 || !_ring!.Sleep(milliseconds);
    }

    private bool HasSpun(bool found)
    {
        if (found)
        {
            spinner.Succeeded();
            ChannelEvents.SpinHit();
        }
        else
        {
            spinner.Failed();
            ChannelEvents.Blocked();
        }
        return found;
    }

    // After ring and socket were found empty: throws when the time is over, or sleeps until a packet comes. Whether the socket is to be
    // looked at: not where the ring has something.
    private bool SleepOnSocket(in Patience patience)
    {
        CheckTime(patience);
        if (_intake.Way == Way.Packets && spinner.LookUntil() is var until and not 0 && HasSpun(SpinOnSocket(until)))
            return true;
        if (!_intake.MayTakePackets)
        {
            // The socket is left alone meanwhile.
            _ = _ring!.Sleep(FirstSleepMilliseconds);
            return false;
        }
        if (_ring is not null && !_ring.TryTellSleep()) return _intake.Way != Way.Ring;
        Patience either = new(Deadline.Earlier(patience.Deadline, _intake.EarliestDeadline()));
        link.Poll(Posix.POLLIN, either.Slice(life.IsHeldElsewhere));
        _ring?.TellAwake();
        return true;
    }

    private bool SpinOnSocket(long until)
    {
        do
        {
            if (link.Poll(Posix.POLLIN, 0)) return true;
        }
        while (Stopwatch.GetTimestamp() < until);
        return false;
    }

    // Throws when the call's time is over, which leaves all as it is; and when that of a message is, which breaks the channel.
    private void CheckTime(in Patience patience)
    {
        if (_intake.EarliestDeadline().HasPassed) throw BreakLate();
        patience.Check(_intake.IsInMiddle ? Unfinished : NoMessage);
    }

    private TimeoutException BreakLate()
    {
        TimeoutException late = new($"Timed out: {Stopped}, for longer than Timeout, {options.Timeout}. The channel is broken.");
        life.Break(late);
        return late;
    }

    // Tells once that the peer left messages unread.
    private void ThrowIfLeftUnread()
    {
        if (_toldUnread || !sender.PeerLeftMessages) return;
        _toldUnread = true;
        throw new IpcPeerGoneException(IpcFault.PeerLeftMessagesUnread,
            "The peer closed its end without having received all that was sent to it. All that it sent was received");
    }
}
