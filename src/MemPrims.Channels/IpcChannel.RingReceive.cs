using System.Buffers;
using System.Diagnostics;
using System.Runtime.InteropServices;
using MemPrims.Channels.Native;
using MemPrims.Channels.Shared;

namespace MemPrims.Channels;

// Receiving by the ring. The next entry is taken if it is there. Otherwise the receiver looks at the peer's count for a while, sleeps on
// it for a moment, then sleeps on the socket, where it meets everything: wake-ups, packets of other holders, and the end.
public sealed unsafe partial class IpcChannel
{
    // Sleeping on the count wakes sooner than the socket does. But nothing that comes by the socket ends that sleep, the peer's death
    // neither. So it is short, and there is none once another holder of the peer's end has sent a packet. Not shorter: in a virtual
    // machine a timer that is due before the scheduler's next tick costs a trip to the host (one processor: 16.9 µs a round trip with
    // 1 ms, 6.8 with 20).
    private const int FirstSleepMilliseconds = 20;

    // After so many messages from the ring a look at the socket: a peer that is never silent must not hide another holder's messages.
    private const int EntriesBetweenLooks = 256;

    private long _consumed;
    private bool _inRing, _hasReceived, _hasOtherSenders;

    // Whether the peer's messages lie in the ring now.
    private volatile bool _receivesByRing;

    private int _entriesUntilLook = EntriesBetweenLooks;
    private RingRest? _rest;
    private HandlesAhead? _handlesAhead;
    private Queue<HeldBack>? _heldBack;

    /// <summary>A message whose entry has begun and whose bytes are still being written to the ring.</summary>
    private sealed record RingRest(PacketHeader Header, SafeHandle[]? Handles, bool Lost);

    /// <summary>Descriptors whose message has not been taken out of the ring yet.</summary>
    private sealed record HandlesAhead(ulong Id, SafeHandle[]? Handles, bool Lost, Deadline Deadline);

    /// <summary>A message that came in packets while the ring had older ones: those up to a position of the ring go before it.</summary>
    private readonly record struct HeldBack(Arrival Message, long Position);

    private Outcome LookInRing(byte* user, int room, in Patience patience, bool mayWait, ref Arrival arrival)
    {
        long ready = ReadyInRing();
        if (_heldBack is { Count: > 0 } held && (ready == 0 || _consumed >= held.Peek().Position))
        {
            arrival = held.Dequeue().Message;
            return Outcome.Message;
        }
        bool isTurnOfSocket = --_entriesUntilLook <= 0 && _handlesAhead is null;
        if (ready != 0 && !isTurnOfSocket) return TakeEntry(ready, user, room, mayWait, patience.Token, ref arrival);
        _entriesUntilLook = EntriesBetweenLooks;
        // Nothing is taken from the socket before the entry: it could be the next message's descriptors by now.
        if (_handlesAhead is not null) return mayWait ? WaitForEntry(patience) : Outcome.Nothing;
        if (ready != 0 || !mayWait) return TakeBesideRing(patience, Waiting.None, ref arrival);
        if (!_hasOtherSenders && (SpinOnRing() || SleepOnRing(patience))) return Outcome.Taken;
        return TakeBesideRing(patience, _hasOtherSenders ? Waiting.Spinning : Waiting.Asleep, ref arrival);
    }

    /// <summary>Takes a packet while the order of messages is the ring's.</summary>
    private Outcome TakeBesideRing(in Patience patience, Waiting waiting, ref Arrival arrival)
    {
        Outcome outcome = TakePacket(null, 0, patience, waiting, ref arrival);
        // An entry that came before the packet did, or while nothing came.
        bool hasNews = ReadyInRing() != 0;
        if (outcome == Outcome.Message)
        {
            _hasOtherSenders = true;
            if (!hasNews) return outcome;
            HoldBack(ref arrival);
        }
        return hasNews ? Outcome.Taken : outcome;
    }

    /// <summary>Waits for the entry whose descriptors have come: it follows them at once.</summary>
    private Outcome WaitForEntry(in Patience patience)
    {
        long spinUntil = SpinLimit();
        while (ReadyInRing() == 0)
        {
            patience.Check(Stopped);
            Linger(ref spinUntil, &_socket.Theirs!.Header->Produced, _consumed, &_socket.Mine!.Header->SleepsOnProduced, patience,
                isSending: false);
        }
        return Outcome.Taken;
    }

    private bool SpinOnRing()
    {
        long until = _spinner.LookUntil();
        if (until == 0) return false;
        long* produced = &_socket.Theirs!.Header->Produced;
        do
        {
            for (int i = 0; i < 32; i++)
            {
                if (Volatile.Read(ref *produced) != _consumed)
                {
                    _spinner.Succeeded();
                    ChannelEvents.SpinHit();
                    return true;
                }
                Pause();
            }
        }
        while (Stopwatch.GetTimestamp() < until);
        _spinner.Failed();
        ChannelEvents.Blocked();
        return false;
    }

    private bool SleepOnRing(in Patience patience)
    {
        int milliseconds = patience.Deadline.Milliseconds(FirstSleepMilliseconds);
        if (milliseconds == 0) return false;
        ShareHeader* theirs = _socket.Theirs!.Header;
        SleepOn(&theirs->Produced, _consumed, &_socket.Mine!.Header->SleepsOnProduced, &theirs->HasEnded, milliseconds);
        return Volatile.Read(ref theirs->Produced) != _consumed;
    }

    /// <summary>Takes the entry that the ring's next bytes begin.</summary>
    private Outcome TakeEntry(long ready, byte* user, int room, bool mayWait, CancellationToken token, ref Arrival arrival)
    {
        if (ready < PacketHeader.Size) throw new IpcProtocolException(IpcFault.BadSharedMemory,
            $"The peer claims to have written {ready} bytes of an entry in the ring: less than a header");
        // A copy: the peer may change the entry while this end checks it.
        PacketHeader header = *(PacketHeader*)(RingStart(_socket.Theirs!) + (_consumed & (_theirs.RingBytes - 1)));
        if (!header.IsOurs) throw new IpcProtocolException(IpcFault.BadSharedMemory, "An entry in the ring does not begin with a header");
        CheckTotal(header, PacketHeader.Size);
        _spinner.PeerProcessor = header.Processor;
        bool lost = false;
        if (header.Handles != 0 || _handlesAhead?.Id == (ulong)_consumed) TakeHandlesAhead(header, ref arrival, out lost);
        switch (header.Kind)
        {
            case PacketKind.Whole:
                if (header.Id != 0 || header.Offset != 0) throw LieInRing(header);
                if (!mayWait && ready < Packets.EntrySize(header.Total))
                {
                    _rest = new(header, arrival.Handles, lost);
                    arrival = default;
                    return Outcome.RestInRing;
                }
                TakePayload(header, ready, user, room, lost, token, ref arrival);
                return Outcome.Message;
            case PacketKind.Segment:
                TakeSegment(header, user, room, ref arrival);
                break;
            case PacketKind.Switch:
                if (header.Total != 0 || header.Handles != 0) throw LieInRing(header);
                _receivesByRing = false;
                break;
            default:
                throw LieInRing(header);
        }
        _consumed += Packets.EntrySize(0);
        TellTaken();
        if (lost) throw Lost(ref arrival);
        return header.Kind == PacketKind.Segment ? Outcome.Message : Outcome.Taken;
    }

    private void TakePayload(in PacketHeader header, long ready, byte* user, int room, bool lost, CancellationToken token,
        ref Arrival arrival)
    {
        _inRing = true;
        int total = (int)header.Total;
        arrival.Length = total;
        if (user != null && total <= room) CopyPayload(user, total, ready, token);
        else
        {
            arrival.Array = ArrayPool<byte>.Shared.Rent(Math.Max(1, total));
            fixed (byte* to = arrival.Array) CopyPayload(to, total, ready, token);
        }
        _inRing = false;
        if (lost) throw Lost(ref arrival);
    }

    /// <summary>Copies an entry's payload. What is there whole is one step; more is taken as it comes.</summary>
    private void CopyPayload(byte* target, int total, long ready, CancellationToken token)
    {
        long end = _consumed + Packets.EntrySize(total);
        _consumed += PacketHeader.Size;
        ready -= PacketHeader.Size;
        if (ready < total || total > Packets.RingStep) CopyInSteps(ref target, ref total, ready, token);
        CopyFromRing(target, total);
        _consumed = end;
        TellTaken();
    }

    private void CopyInSteps(ref byte* target, ref int left, long ready, CancellationToken token)
    {
        Patience patience = new(Deadline.After(_options.Timeout), token);
        while (true)
        {
            long spinUntil = SpinLimit();
            for (; ready == 0; ready = ReadyInRing())
            {
                patience.Check(Stopped);
                Linger(ref spinUntil, &_socket.Theirs!.Header->Produced, _consumed, &_socket.Mine!.Header->SleepsOnProduced, patience,
                    isSending: false);
            }
            patience.Check(Stopped);
            int step = (int)Math.Min(Math.Min(left, Packets.RingStep), ready);
            if (step == left) return;
            CopyFromRing(target, step);
            target += step;
            left -= step;
            _consumed += step;
            TellTaken();
            ready = ReadyInRing();
        }
    }

    private void CopyFromRing(byte* target, int length)
    {
        byte* ring = RingStart(_socket.Theirs!);
        nint offset = (nint)(_consumed & (_theirs.RingBytes - 1)), first = Math.Min(length, _theirs.RingBytes - offset);
        Block.Copy(target, ring + offset, first);
        if (first < length) Block.Copy(target + first, ring, length - first);
    }

    /// <summary>Receives the rest of a message that <see cref="Outcome.RestInRing"/> told of.</summary>
    private Arrival FinishRing(CancellationToken token)
    {
        RingRest rest = _rest!;
        _rest = null;
        Arrival arrival = new() { Handles = rest.Handles };
        try
        {
            TakePayload(rest.Header, ReadyInRing(), null, 0, rest.Lost, token, ref arrival);
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

    /// <summary>
    /// The descriptors of the entry that comes next. They were sent before it was counted, so they are here or in the socket.
    /// </summary>
    private void TakeHandlesAhead(in PacketHeader header, ref Arrival arrival, out bool lost)
    {
        // Before the descriptors the socket may hold packets of other holders, and no more than it has room for. A peer that goes on
        // sending such, and not the descriptors, must neither hold the call up nor fill the memory.
        const int mostPackets = 1024, mostBytes = 4 << 20;
        for (int packets = 0, bytes = 0; _handlesAhead is null; packets++)
        {
            if (packets == mostPackets || bytes > mostBytes) throw HandlesDidNotCome(header);
            Outcome outcome = TakePacket(null, 0, Patience.NoneAtAll, Waiting.None, ref arrival);
            bytes += arrival.Length;
            if (outcome == Outcome.Message) HoldBack(ref arrival);
            else if (outcome != Outcome.Taken && _isHeldElsewhere) throw HandlesWentElsewhere(header);
            else if (outcome != Outcome.Taken) throw HandlesDidNotCome(header);
        }
        HandlesAhead ahead = _handlesAhead;
        if (_isHeldElsewhere && ahead.Id > (ulong)_consumed) throw HandlesWentElsewhere(header);
        arrival.Handles = ahead.Handles;
        if (ahead.Id != (ulong)_consumed || (!ahead.Lost && header.Handles != (ahead.Handles?.Length ?? 0))) throw LieInRing(header);
        _handlesAhead = null;
        lost = ahead.Lost;
    }

    /// <summary>The message is passed over, and the channel goes on.</summary>
    private IpcProtocolException HandlesWentElsewhere(in PacketHeader header)
    {
        if (header.Kind == PacketKind.Whole && ReadyInRing() >= Packets.EntrySize(header.Total))
        {
            _consumed += Packets.EntrySize(header.Total);
            TellTaken();
            return new(IpcFault.NotGivenSharedMemory,
                "The descriptors of a message went to another holder of this end: the message is lost, the channel goes on");
        }
        return HandlesDidNotCome(header);
    }

    private static IpcProtocolException HandlesDidNotCome(in PacketHeader header) =>
        new(IpcFault.UnwantedHandles, $"A message announces {header.Handles} descriptors that did not come");

    private static IpcProtocolException LieInRing(in PacketHeader header) =>
        new(IpcFault.BadHeader, $"An entry of the ring has a header that cannot be true: {header}");

    private void HoldBack(ref Arrival message)
    {
        (_heldBack ??= new()).Enqueue(new(message, _consumed + ReadyInRing()));
        message = default;
    }

    private void DropHeldBack()
    {
        Rights.CloseElsewhere(_rest?.Handles);
        Rights.CloseElsewhere(_handlesAhead?.Handles);
        foreach (HeldBack held in _heldBack ?? []) held.Message.Drop();
        (_rest, _handlesAhead, _heldBack) = (null, null, null);
    }
}
