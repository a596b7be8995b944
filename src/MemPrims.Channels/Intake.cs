namespace MemPrims.Channels;

// What has come to an end: Look takes what is there, from the ring and from the socket, and never waits. What has come of a message stays
// here until the rest comes. Used by the one thread that receives, but for Duplicate.
// In the ring messages are in the order of the entries. The socket then carries descriptors, wake-ups, other holders' packets, the end.
internal sealed unsafe class Intake(Life life, PacketLink link, RingReader? ring, Spinner spinner, ChannelOptions options)
{
    // How many packets are taken before the caller looks at its time: not one, since a message may stand after a few wake-ups.
    private const int PacketsBetweenChecks = 64;

    // After so many messages from the ring a look at the socket: a peer that is never silent must not hide another holder's messages.
    private const int EntriesBetweenLooks = 256;

    // Steps of a long message between two looks at the time: 4 MiB.
    private const int StepsBetweenChecks = 64;

    // What is kept of other holders' messages while older ones are in the ring: no more than the socket has room for at once.
    private const int MostHeldMessages = 1024, MostHeldBytes = 4 << 20;

    // Descriptors of so many messages: those of the next one come when the message before is in the ring, where it can be taken.
    private const int MostAhead = 2;

    [ThreadStatic]
    private static byte[]? t_overflow;

    private readonly Lock _handingOver = new();
    private readonly Fragments _fragments = new();
    private readonly Incoming _entry = new();
    private readonly Queue<HandlesAhead> _ahead = [];
    private readonly Queue<HeldBack> _held = [];
    private volatile Way _way;
    private Arrival? _kept;
    private long _heldBytes;
    private int _entriesUntilLook = EntriesBetweenLooks;
    private bool _isInEntry, _atEnd;

    // Descriptors whose message has not been taken out of the ring yet.
    private sealed record HandlesAhead(ulong Id, SafeHandle[]? Handles, Deadline Deadline);

    // Another holder's message that came while the ring had older ones: those up to a position of the ring go before it.
    private sealed record HeldBack(Arrival Message, long Position);

    public Way Way => _way;

    // Whether other holders of the peer's end have sent packets.
    public bool HasOtherSenders { get; private set; }

    public bool IsInEntry => _isInEntry;

    // Whether a part of a message was received and the rest was not.
    public bool IsInMiddle => _isInEntry || !_fragments.IsEmpty || _ahead.Count > 0;

    public Deadline EarliestDeadline()
    {
        Deadline earliest = _isInEntry ? _entry.Deadline : Deadline.Never;
        if (_ahead.Count > 0) earliest = Deadline.Earlier(earliest, _ahead.Peek().Deadline);
        return _fragments.IsEmpty ? earliest : Deadline.Earlier(earliest, _fragments.Earliest);
    }

    // Takes back a whole message that a call could not hand out: the next look finds it.
    public void Keep(in Arrival message) => _kept = message;

    // The caller's span goes with the call: what came of a message moves to an array.
    public void LeaveSpan() => _entry.LeaveSpan();

    // Duplicates the socket of a fresh end, which then does not ask for the ring: what the peer sends is for whoever receives first.
    public int Duplicate(ChannelSocket socket)
    {
        lock (_handingOver)
        {
            if (_way != Way.Fresh)
                throw new InvalidOperationException("This end has received already, and what is under way to it lies in memory that " +
                    "another holder would not have. Pass an end on before the first receive.");
            int copy = socket.Duplicate();
            life.NoteOtherHolder();
            return copy;
        }
    }

    public void Drop()
    {
        if (_kept is { } kept) kept.Drop();
        _kept = null;
        _fragments.Drop();
        if (_isInEntry) _entry.End().Drop();
        _isInEntry = false;
        foreach (HandlesAhead ahead in _ahead) Closer.Usual.Add(ahead.Handles);
        foreach (HeldBack held in _held) held.Message.Drop();
        _ahead.Clear();
        _held.Clear();
    }

    // Takes what is there until it makes a message. Whatever breaks the protocol breaks the channel here.
    public Outcome Look(byte* user, int room, bool socketToo, out Arrival arrival)
    {
        if (_kept is { } kept)
        {
            arrival = kept;
            _kept = null;
            return Outcome.Message;
        }
        arrival = default;
        try
        {
            if (_way == Way.Fresh) BeginToReceive();
            if (_way == Way.Ring && --_entriesUntilLook > 0)
            {
                if (TakeFromRing(user, room, ref arrival)) return Received(arrival);
                if (!socketToo) return HasMore ? Outcome.Busy : Outcome.Nothing;
            }
            return LookAtAll(user, room, ref arrival);
        }
        catch (Exception e)
        {
            arrival.Drop();
            // What this process lacks, or the caller did, cuts no message.
            if (e is not (ObjectDisposedException or IpcException { Fault: IpcFault.OutOfDescriptors })) life.Break(e);
            throw;
        }
    }

    private Outcome LookAtAll(byte* user, int room, ref Arrival arrival)
    {
        _entriesUntilLook = EntriesBetweenLooks;
        for (int packets = 0; packets < PacketsBetweenChecks; packets++)
        {
            Outcome taken = _atEnd || !MayTakePackets ? Outcome.Nothing : TakePacket(user, room, ref arrival);
            if (taken == Outcome.Message) return Received(arrival);
            if (_way == Way.Ring && TakeFromRing(user, room, ref arrival)) return Received(arrival);
            if (HasMore) return Outcome.Busy;
            if (_atEnd) return End();
            if (taken == Outcome.Nothing) return Outcome.Nothing;
        }
        return Outcome.Busy;
    }

    // Whether a long message was left for a moment, to look at the time, with more of it in the ring.
    private bool HasMore => _isInEntry && (ring!.Ready > 0 || ring.Look());

    private static Outcome Received(in Arrival arrival)
    {
        ChannelEvents.Received(arrival.Length);
        return Outcome.Message;
    }

    // Fresh → Packets. From the first receive on this end can't be passed on, and the peer may send everything by the ring.
    private void BeginToReceive()
    {
        lock (_handingOver)
        {
            _way = Way.Packets;
            if (!life.IsHeldElsewhere) ring?.AskForRing();
        }
    }

    // The socket has nothing more. What lies in the ring comes first, and is all there by now.
    private Outcome End()
    {
        life.ThrowIfUnusable();
        // All was looked for in the ring after the end was seen. What is left is no whole message.
        if (IsInMiddle) throw new IpcPeerGoneException(IpcFault.EndedInMessage,
            "The peer ended in the middle of a message");
        life.End();
        return Outcome.Ended;
    }

    // The ring

    // Takes entries until a message is whole; false where what is there ends first.
    private bool TakeFromRing(byte* user, int room, ref Arrival arrival)
    {
        if (_isInEntry) return TakeRest(ref arrival);
        while (true)
        {
            if (_held.Count > 0 && ring!.Position >= _held.Peek().Position)
            {
                arrival = _held.Dequeue().Message;
                _heldBytes -= arrival.Length;
                return true;
            }
            if (!ring!.TryPeek(out PacketHeader header)) return false;
            if (!header.IsOurs)
                throw new IpcProtocolException(IpcFault.BadSharedMemory, "An entry in the ring does not begin with a header");
            spinner.PeerProcessor = header.Processor;
            if (header.Kind == PacketKind.Whole) return TakeMessage(header, user, room, ref arrival);
            if (header.Kind != PacketKind.Grow || !header.IsBare || !ring.TryGoOverToLarge()) throw header.LieInRing();
        }
    }

    private bool TakeMessage(in PacketHeader header, byte* user, int room, ref Arrival arrival)
    {
        CheckTotal(header);
        if (header.Id != 0 || header.Offset != 0) throw header.LieInRing();
        bool lost = false;
        if (header.Handles != 0 || _ahead.Count > 0) lost = (arrival.Handles = TakeHandles(header)) == Rights.Lost;
        int total = (int)header.Total;
        if (total > Packets.RingStep || !ring!.HasWhole(total)) return TakeBeginning(total, user, room, ref arrival);
        arrival.Length = total;
        if (user != null && total <= room) ring.TakeWhole(user, total);
        else
        {
            arrival.Array = ArrayPool<byte>.Shared.Rent(Math.Max(1, total));
            fixed (byte* to = arrival.Array) ring.TakeWhole(to, total);
        }
        if (lost) throw Lost(ref arrival);
        return true;
    }

    // Begins a message that is taken piece by piece.
    private bool TakeBeginning(int total, byte* user, int room, ref Arrival arrival)
    {
        const int firstRoom = 8 << 20;
        bool isUsers = user != null && total <= room;
        _isInEntry = true;
        _entry.Deadline = Deadline.After(options.Timeout);
        (_entry.Handles, _entry.Total, _entry.Filled) = (arrival.Handles, total, 0);
        _entry.User = isUsers ? user : null;
        _entry.Array = isUsers ? null : ArrayPool<byte>.Shared.Rent(Math.Clamp(total, 1, firstRoom));
        arrival = default;
        ring!.TakeHeader();
        return TakeRest(ref arrival);
    }

    private bool TakeRest(ref Arrival arrival)
    {
        Incoming entry = _entry;
        for (int steps = 0; entry.Filled < entry.Total; steps++)
        {
            if (steps == StepsBetweenChecks || (ring!.Ready == 0 && !ring.Look())) return false;
            int length = (int)Math.Min(Math.Min(entry.Total - entry.Filled, Packets.RingStep), ring.Ready);
            entry.MakeRoom(length);
            if (entry.User != null) ring.Take(entry.User + entry.Filled, length);
            else fixed (byte* to = entry.Array) ring.Take(to + entry.Filled, length);
            entry.Filled += length;
        }
        ring!.EndEntry();
        _isInEntry = false;
        HandOut(entry, ref arrival);
        return true;
    }

    // The next entry's descriptors, null where it has none. They were sent before it was counted: they are here, or in the socket.
    private SafeHandle[]? TakeHandles(in PacketHeader header)
    {
        // Before the descriptors the socket may hold packets of other holders, and no more than it has room for. A peer that goes on
        // sending such, and not the descriptors, must neither hold the call up nor fill the memory.
        for (int packets = 0; header.Handles != 0 && _ahead.Count == 0; packets++)
        {
            Arrival none = default;
            if (packets == MostHeldMessages || !MayTakePackets || TakePacket(null, 0, ref none) == Outcome.Nothing)
                throw new IpcProtocolException(IpcFault.UnwantedHandles,
                    $"A message announces {header.Handles} descriptors that did not come");
        }
        HandlesAhead ahead = _ahead.Peek();
        if (ahead.Id > (ulong)ring!.Position && header.Handles == 0) return null;
        if (ahead.Id != (ulong)ring.Position || (ahead.Handles != Rights.Lost && header.Handles != (ahead.Handles?.Length ?? 0)))
            throw header.LieInRing();
        return _ahead.Dequeue().Handles;
    }

    // The socket

    // Whether there is room for what the next packet may bring.
    public bool MayTakePackets => _held.Count < MostHeldMessages && _heldBytes < MostHeldBytes && _ahead.Count < MostAhead;

    // Takes a packet and puts it where it belongs. A message is the caller's, unless older ones may lie in the ring: then it is held back.
    private Outcome TakePacket(byte* user, int room, ref Arrival arrival)
    {
        byte[] scratch = t_overflow ??= GC.AllocateUninitializedArray<byte>(Packets.Largest, pinned: true);
        Incoming? expected = _fragments.Expected;
        expected?.MakeRoom(Math.Min(Packets.Largest, expected.Total - expected.Filled));
        if (_way == Way.Ring) user = null;
        fixed (byte* rest = expected?.Array, overflow = scratch)
        {
            byte* target = expected is not null ? rest + expected.Filled : user;
            int targetRoom = Math.Min(Packets.Largest, expected is not null ? expected.Total - expected.Filled : user == null ? 0 : room);
            Packet packet = link.TryReceive(target, targetRoom, overflow);
            if (packet.Length < 0) return Outcome.Nothing;
            if (packet.IsEnd)
            {
                _atEnd = true;
                return Outcome.Busy;
            }
            try
            {
                if (!TakePacket(ref packet, isInUser: expected is null && user != null, ref arrival)) return Outcome.Busy;
            }
            finally
            {
                // What has found no owner by now is unwanted.
                Closer.Usual.Add(packet.Handles);
            }
        }
        if (_way != Way.Ring) return Outcome.Message;
        // What another holder sent comes after what lay in the ring before it was received: an end that was passed on keeps its order.
        HasOtherSenders = true;
        ring!.Look();
        _held.Enqueue(new(arrival, ring.Seen));
        _heldBytes += arrival.Length;
        arrival = default;
        return Outcome.Busy;
    }

    // Whether the packet makes a message whole.
    private bool TakePacket(ref Packet packet, bool isInUser, ref Arrival arrival)
    {
        PacketHeader header = packet.Header;
        spinner.PeerProcessor = header.Processor;
        switch (header.Kind)
        {
            case PacketKind.Whole:
                CheckTotal(header);
                if (header.Total != packet.Length || header.Id != 0 || header.Offset != 0) throw header.Lie(packet.Length);
                arrival = new() { Length = packet.Length, Handles = packet.Handles };
                packet.Handles = null;
                if (!isInUser || !packet.FitsTarget)
                {
                    arrival.Array = ArrayPool<byte>.Shared.Rent(Math.Max(1, packet.Length));
                    fixed (byte* to = arrival.Array) packet.CopyTo(to);
                }
                if (arrival.Handles == Rights.Lost) throw Lost(ref arrival);
                return true;
            case PacketKind.Fragment:
                CheckTotal(header);
                return TakeFragment(ref packet, ref arrival);
            case PacketKind.Bell when header.IsBare && packet.Length == 0:
                return false;
            case PacketKind.Switch when header.IsBare && packet.Length == 0
                && ring is not null && _way == Way.Packets && !life.IsHeldElsewhere:
                _way = Way.Ring;
                return false;
            case PacketKind.Handles:
                TakeHandlesPacket(ref packet);
                return false;
            default:
                throw header.Lie(packet.Length);
        }
    }

    private bool TakeFragment(ref Packet packet, ref Arrival arrival)
    {
        Incoming message = _fragments.Of(ref packet, options.Timeout);
        message.MakeRoom(packet.Length);
        fixed (byte* to = message.Array) packet.CopyTo(to + message.Filled);
        if (!_fragments.Add(message, packet.Length)) return false;
        HandOut(message, ref arrival);
        return true;
    }

    // A message that has come whole; an exception where its descriptors were lost.
    private static void HandOut(Incoming message, ref Arrival arrival)
    {
        arrival = message.End();
        if (arrival.Handles == Rights.Lost) throw Lost(ref arrival);
    }

    // Descriptors come before their message is counted, the next after it: two that wait stand before two messages, the first of them
    // there.
    private void TakeHandlesPacket(ref Packet packet)
    {
        PacketHeader header = packet.Header;
        if (_way != Way.Ring || packet.Length != 0 || header.Total != 0 || header.Offset != 0 || header.Handles == 0
            || header.Id < (ulong)ring!.Position || (_ahead.Count > 0 && (header.Id <= _ahead.Last().Id || !IsCounted(_ahead.Last()))))
            throw header.Lie(packet.Length);
        _ahead.Enqueue(new(header.Id, packet.Handles, Deadline.After(options.Timeout)));
        packet.Handles = null;
    }

    private bool IsCounted(HandlesAhead ahead)
    {
        if ((long)ahead.Id >= ring!.Seen) ring.Look();
        return (long)ahead.Id < ring.Seen;
    }

    // The one place that bounds a peer's total: from here on it is cast to int and allocated for.
    private void CheckTotal(in PacketHeader header)
    {
        if (header.Total < 0) throw header.Lie(0);
        long most = Math.Min(options.MaxMessageBytes, Array.MaxLength);
        if (header.Total > most) throw new IpcProtocolException(IpcFault.MessageTooLong,
            $"The peer's message has {header.Total} bytes; this end takes {most} (MaxMessageBytes)");
    }

    private static IpcProtocolException Lost(ref Arrival arrival)
    {
        arrival.Drop();
        return new(IpcFault.OutOfDescriptors,
            "This process had no room for the descriptors of a message (RLIMIT_NOFILE): the message is lost, the channel goes on");
    }
}
