using System.Buffers;
using System.Diagnostics;
using System.Runtime.InteropServices;
using MemPrims.Channels.Native;
using MemPrims.Channels.Segments;

namespace MemPrims.Channels;

// The lower half of receiving: waiting for a packet, the end of the connection, and messages that are more than one packet.
public sealed unsafe partial class IpcChannel
{
    private const nint NothingThere = -1;

    private bool _inRing;
    private RingRest? _rest;

    /// <summary>A message whose packet has come and whose bytes are still being written to the ring.</summary>
    private sealed record RingRest(PacketHeader Header, SafeHandle[]? Handles, bool Lost);

    /// <summary>
    /// Spins, where that is likely to help, then sleeps in recvmsg itself: one call, as a plain blocking program makes. Where the socket
    /// has other holders the sleep is a poll instead, since nobody may shut the connection down to wake it. NothingThere: nothing came
    /// and this may not wait.
    /// </summary>
    private nint ReceivePacket(Posix.Message* message, byte* control, in Patience patience, bool mayWait)
    {
        long until = mayWait ? _spinner.LookUntil() : 0;
        bool spins = until != 0;
        bool mustLook = spins || !mayWait || _isHeldElsewhere || patience.Token.CanBeCanceled;
        while (true)
        {
            message->Control = control;
            message->ControlLength = control == null ? 0 : Rights.ControlRoom;
            message->Flags = 0;
            // Zero milliseconds left: one look, and then it is over.
            bool sleeps = !mustLook && LimitSleep(patience.Deadline);
            if (sleeps) TellSleep(1);
            nint received = Posix.Receive(_socket.File, message, Posix.CloseOnExecRights | (sleeps ? 0 : Posix.DontWait));
            if (sleeps) TellSleep(0);
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
            if (error == Errno.TryAgain && !mayWait) return NothingThere;
            if (error is not (Errno.TryAgain or Errno.Interrupted)) throw Errno.Failure("Receiving failed", error);
            if (spins && Stopwatch.GetTimestamp() < until) continue;
            if (spins)
            {
                _spinner.Failed();
                spins = false;
                mustLook = _isHeldElsewhere || patience.Token.CanBeCanceled;
                ChannelEvents.Blocked();
                continue;
            }
            ThrowIfUnusable();
            patience.Check(_partials is { Count: > 0 } ? "the peer stopped in the middle of a message" : "no message came");
            if (!(mustLook |= _isHeldElsewhere)) continue;
            TellSleep(1);
            _socket.Poll(Posix.PollIn, patience.Slice(_isHeldElsewhere));
            TellSleep(0);
        }
    }

    /// <summary>
    /// Tells the peer whether its next packet wakes somebody. The peer then looks longer for the answer, see <see cref="Spinner"/>.
    /// Nothing else depends on it.
    /// </summary>
    private void TellSleep(int sleeps)
    {
        if (_socket.Theirs is not null) Volatile.Write(ref _socket.Mine!.Header->ReceiveSleeps, sleeps);
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
        if (_partials is { Count: > 0 })
            throw new IpcProtocolException(IpcFault.EndedInMessage, "The peer ended in the middle of a message");
        if (_completion.TrySetResult()) ChannelEvents.Log.PeerEnded(PeerCredentials.ProcessId, _number);
        if (!_wasReset) return Outcome.Closed;
        _wasReset = false;
        throw new IpcProtocolException(IpcFault.PeerLeftMessagesUnread,
            "The peer closed its end without having received all that was sent to it. All that it sent was received");
    }

    private Deadline EarliestDeadline()
    {
        Deadline earliest = Deadline.Never;
        foreach (Partial partial in _partials!.Values) earliest = Deadline.Earlier(earliest, partial.Deadline);
        return earliest;
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
            return Outcome.Nothing;
        }
        _partials.Remove(partial.Id);
        _expected = null;
        arrival = new() { Array = partial.Array, Length = partial.Total, Handles = partial.Handles };
        if (partial.LostHandles) throw Lost(ref arrival);
        return Outcome.Message;
    }

    private Outcome BeginRing(in PacketHeader header, byte* user, int room, bool lost, in Patience patience, bool mayWait,
        ref Arrival arrival)
    {
        if (_socket.Theirs is null)
            throw new IpcProtocolException(IpcFault.NotGivenSharedMemory, "A large message lies in shared memory that this holder of " +
                "the channel has not: it was under way when the channel was duplicated");
        if (header.Total == 0 || header.Id != (ulong)_consumed) throw Lie(header, 0);
        if (mayWait || ReadyInRing() >= header.Total)
        {
            TakeRing(header, user, room, lost, patience.Token, ref arrival);
            return Outcome.Message;
        }
        _rest = new(header, arrival.Handles, lost);
        arrival = default;
        return Outcome.RestInRing;
    }

    private void TakeRing(in PacketHeader header, byte* user, int room, bool lost, CancellationToken token, ref Arrival arrival)
    {
        _inRing = true;
        arrival.Length = (int)header.Total;
        Patience patience = new(Deadline.After(_options.Timeout), token);
        if (user != null && header.Total <= room) TakeFromRing(header, user, patience);
        else
        {
            arrival.Array = ArrayPool<byte>.Shared.Rent((int)header.Total);
            fixed (byte* to = arrival.Array) TakeFromRing(header, to, patience);
        }
        _inRing = false;
        if (lost) throw Lost(ref arrival);
    }

    /// <summary>Receives the rest of a message that <see cref="Outcome.RestInRing"/> told of.</summary>
    private Arrival FinishRing(CancellationToken token)
    {
        RingRest rest = _rest!;
        _rest = null;
        Arrival arrival = new() { Handles = rest.Handles };
        try
        {
            TakeRing(rest.Header, null, 0, rest.Lost, token, ref arrival);
            ChannelEvents.Received(arrival.Length);
            return arrival;
        }
        catch (Exception e) when (e is not IpcProtocolException { Fault: IpcFault.OutOfDescriptors })
        {
            arrival.Drop();
            Break(e);
            throw;
        }
    }

    private void TakeSegment(in PacketHeader header, byte* user, int room, ref Arrival arrival)
    {
        if (_socket.Theirs is null) throw new IpcProtocolException(IpcFault.NotGivenSharedMemory,
            "A message lies in a segment that this holder of the channel has not");
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
        TakeKept()?.Dispose();
        if (_spare is not null) ArrayPool<byte>.Shared.Return(_spare);
        _spare = null;
        foreach (Partial partial in _partials?.Values ?? Enumerable.Empty<Partial>()) partial.Drop();
        _partials = null;
        _expected = null;
        Rights.CloseElsewhere(_rest?.Handles);
        _rest = null;
        _receiving.Exit();
    }
}
