using System.Buffers;
using System.Diagnostics;
using MemPrims.Channels.Native;
using MemPrims.Channels.Segments;

namespace MemPrims.Channels;

// The lower half of receiving: waiting for a packet, the end of the connection, and messages that are more than one packet.
public sealed unsafe partial class IpcChannel
{
    private const nint NothingThere = -1;

    /// <summary>
    /// Spins, where that is likely to help, then sleeps in recvmsg itself: one call, as a plain blocking program makes. Where the socket
    /// has other holders the sleep is a poll instead, since nobody may shut the connection down to wake it. NothingThere: nothing came
    /// and this may not wait.
    /// </summary>
    private nint ReceivePacket(Posix.Message* message, byte* control, in Patience patience, Waiting waiting)
    {
        long until = waiting == Waiting.Spinning ? _spinner.LookUntil() : 0;
        bool spins = until != 0, cannotSleepInReceive = _isHeldElsewhere || patience.Token.CanBeCanceled;
        bool mustLook = spins || waiting == Waiting.None || cannotSleepInReceive;
        while (true)
        {
            message->Control = control;
            message->ControlLength = Rights.ControlRoom;
            message->Flags = 0;
            // Zero milliseconds left: one look, and then it is over.
            bool sleeps = !mustLook && LimitSleep(patience.Deadline);
            if (sleeps && !TryTellSleep()) return NothingThere;
            nint received = Posix.Receive(_socket.File, message, Posix.CloseOnExecRights | (sleeps ? 0 : Posix.DontWait));
            if (sleeps) TellAwake();
            if (received >= 0)
            {
                if (!spins) return received;
                _spinner.Succeeded();
                ChannelEvents.SpinHit();
                return received;
            }
            int error = Errno.Last;
            if (error == Errno.Reset)
            {
                // The kernel tells of a reset once, and before the packets that came earlier. They are received first.
                _wasReset = true;
                continue;
            }
            if (error == Errno.TryAgain && (waiting == Waiting.None || RingHasNews)) return NothingThere;
            if (error is not (Errno.TryAgain or Errno.Interrupted)) throw Errno.Failure("Receiving failed", error);
            if (spins && Stopwatch.GetTimestamp() < until) continue;
            if (spins)
            {
                _spinner.Failed();
                spins = false;
                mustLook = cannotSleepInReceive;
                ChannelEvents.Blocked();
                continue;
            }
            ThrowIfUnusable();
            patience.Check(IsInMiddle ? Stopped : "no message came");
            if (!(mustLook |= _isHeldElsewhere)) continue;
            if (!TryTellSleep()) return NothingThere;
            _socket.Poll(Posix.PollIn, patience.Slice(_isHeldElsewhere));
            TellAwake();
        }
    }

    /// <summary>
    /// Tells the peer that the receiver sleeps on the socket. A peer that sends by the ring then wakes it with a packet, and a peer looks
    /// longer for the answer, see <see cref="Spinner"/>. False, and awake again, where something has come by the ring meanwhile.
    /// </summary>
    private bool TryTellSleep()
    {
        if (_socket.Theirs is null) return true;
        // A full fence: either the peer sees that this end sleeps, or this end sees what the peer has written.
        Interlocked.Increment(ref _socket.Mine!.Header->SleepsOnSocket);
        if (!RingHasNews) return true;
        TellAwake();
        return false;
    }

    private void TellAwake()
    {
        if (_socket.Theirs is not null) Interlocked.Increment(ref _socket.Mine!.Header->SleepsOnSocket);
    }

    /// <summary>Sets how long a blocking receive sleeps at most. The setting is kept: most calls need no other one.</summary>
    private bool LimitSleep(Deadline deadline)
    {
        int milliseconds = deadline.Milliseconds(1000);
        if (milliseconds == 0) return false;
        if (milliseconds == _sleepLimit) return true;
        _sleepLimit = milliseconds;
        long* time = stackalloc long[2] { milliseconds / 1000, milliseconds % 1000 * 1000 };
        return Posix.SetOption(_socket.File, Posix.SocketLevel, Posix.OptionReceiveTimeout, time, 2 * sizeof(long)) == 0;
    }

    private Outcome End()
    {
        ThrowIfUnusable();
        if (!_socket.PeerHasEnded)
            throw new IpcProtocolException(IpcFault.BadHeader, "The peer sent an empty packet: every message has a header");
        // What it sent before comes first. Bytes in a ring that the peer has not said to use are nothing.
        if (((_receivesByRing || _isHeldElsewhere) && HasRingBytes) || _heldBack is { Count: > 0 }) return Outcome.Nothing;
        if (IsInMiddle) throw new IpcProtocolException(IpcFault.EndedInMessage, "The peer ended in the middle of a message");
        if (_completion.TrySetResult()) ChannelEvents.Log.PeerEnded(PeerCredentials.ProcessId, _number);
        if (!TakeLeftUnread()) return Outcome.Closed;
        throw new IpcProtocolException(IpcFault.PeerLeftMessagesUnread,
            "The peer closed its end without having received all that was sent to it. All that it sent was received");
    }

    /// <summary>Whether the peer left messages unread; true once.</summary>
    private bool TakeLeftUnread()
    {
        // For the ring the counters tell. The kernel's reset counts for packets only: what was left in the socket may be a wake-up.
        bool left = _sendsByRing ? Volatile.Read(ref _socket.Theirs!.Header->Consumed) != Volatile.Read(ref _produced) : _wasReset;
        if (!left || _toldUnread) return false;
        return _toldUnread = true;
    }

    private Deadline EarliestDeadline()
    {
        Deadline earliest = _handlesAhead?.Deadline ?? Deadline.Never;
        foreach (Partial partial in _partials?.Values ?? Enumerable.Empty<Partial>())
            earliest = Deadline.Earlier(earliest, partial.Deadline);
        return earliest;
    }

    /// <summary>A packet that belongs to the ring.</summary>
    private void TakeRingsPacket(in PacketHeader header, bool lost, ref Arrival arrival)
    {
        // The receiver is awake, which is all that a wake-up is for. One that was meant for another holder of this end does no harm.
        if (header.Kind == PacketKind.Bell) return;
        if (_socket.Theirs is null)
        {
            // The ring's messages are for the holder that has its memory. That holder finds them by their bytes.
            if (header.Kind == PacketKind.Switch) return;
            throw new IpcProtocolException(IpcFault.NotGivenSharedMemory, "The descriptors of a message came to a holder of the channel " +
                "that has not the message itself: it was under way when the channel was duplicated. The channel goes on");
        }
        if (header.Kind == PacketKind.Switch)
        {
            // This end has noticed the ring already, by its bytes: see LookOnce.
            if (_isHeldElsewhere && _receivesByRing) return;
            if (_receivesByRing || header.Id != (ulong)_consumed) throw Lie(header, 0);
            _receivesByRing = true;
            return;
        }
        // Descriptors come before their message is counted.
        if (!_receivesByRing || _handlesAhead is not null || header.Id < (ulong)_consumed) throw Lie(header, 0);
        _handlesAhead = new(header.Id, arrival.Handles, lost, Deadline.After(_options.Timeout));
        arrival.Handles = null;
    }

    private Outcome TakeFragment(in PacketHeader header, in Scattered block, bool lost, ref Arrival arrival)
    {
        Partial? partial;
        if (header.Offset == 0)
        {
            if (_partials?.ContainsKey(header.Id) == true || block.Length == 0 || block.Length >= header.Total)
                throw Lie(header, block.Length);
            if (_partials?.Count >= MostPartials)
                throw new IpcProtocolException(IpcFault.TooManyMessages, $"More than {MostPartials} large messages are under way at once");
            partial = new(header.Id, (int)header.Total, Deadline.After(_options.Timeout)) {
                Handles = arrival.Handles, LostHandles = lost };
            arrival.Handles = null;
            (_partials ??= []).Add(partial.Id, partial);
        }
        else if (_partials is null || !_partials.TryGetValue(header.Id, out partial) || header.Handles != 0 || block.Length == 0
            || header.Total != partial.Total || header.Offset != partial.Filled || block.Length > partial.Total - partial.Filled)
            throw Lie(header, block.Length);
        fixed (byte* to = partial.Array) block.CopyTo(to + partial.Filled);
        partial.Filled += block.Length;
        if (partial.Filled < partial.Total)
        {
            partial.MakeRoom();
            _expected = partial;
            return Outcome.Taken;
        }
        _partials.Remove(partial.Id);
        _expected = null;
        arrival = new() { Array = partial.Array, Length = partial.Total, Handles = partial.Handles };
        if (partial.LostHandles) throw Lost(ref arrival);
        return Outcome.Message;
    }

    private void TakeSegment(in PacketHeader header, byte* user, int room, ref Arrival arrival)
    {
        SegmentToken token = new(header.Id, header.Offset, header.Total);
        if (!token.IsIn(_theirs)) throw Lie(header, 0);
        SegmentView view = new(_socket, _theirs, token);
        arrival.Length = (int)header.Total;
        if (_options.TrustPeer && (user == null || arrival.Length > room))
        {
            arrival.View = view;
            return;
        }
        // The peer can still write to the segment: what is checked must not change after.
        if (user == null || arrival.Length > room)
        {
            arrival.Array = ArrayPool<byte>.Shared.Rent(Math.Max(1, arrival.Length));
            fixed (byte* to = arrival.Array) view.CopyTo(to);
        }
        else view.CopyTo(user);
        view.GiveBack();
    }

    private void DropUnreceived()
    {
        // A receive under way drops what it holds itself, when it finds the channel disposed.
        if (!_receiving.TryEnter()) return;
        TakeKept()?.DropUnwanted();
        if (_spare is not null) ArrayPool<byte>.Shared.Return(_spare);
        _spare = null;
        foreach (Partial partial in _partials?.Values ?? Enumerable.Empty<Partial>()) partial.Drop();
        _partials = null;
        _expected = null;
        DropHeldBack();
        _receiving.Exit();
    }
}
