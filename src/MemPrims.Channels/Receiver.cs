using System.Buffers;
using System.Runtime.InteropServices;
using MemPrims.Channels.Link;
using MemPrims.Channels.Native;
using MemPrims.Channels.Ring;

namespace MemPrims.Channels;

/// <summary>
/// The receiving half of a channel. <see cref="Look"/> is its core and never waits: it takes what is there, from the ring and from the socket.
/// What has come of a message stays here between two calls, whoever makes them. The calls differ only in how they wait. One thread at a time
/// receives; the gate sees to it.
/// </summary>
/// <remarks>
/// Way: Fresh (nobody has received; the end can be passed on) → Packets (a receive was called) → Ring (the peer's Switch has come). In the
/// ring the order of messages is that of the entries. The socket then carries descriptors, wake-ups, the packets of other holders of the
/// peer's end, and the end. ARCHITECTURE.md has the table.
/// </remarks>
internal sealed unsafe partial class Receiver
{
    private const string NoMessage = "no message came",
        Unfinished = "the message has not come whole. What has come of it is kept for the next receive",
        Stopped = "the peer stopped in the middle of a message";

    // How many packets are taken before the caller looks at its time. Not one: a message that stands behind a few wake-ups is there, even
    // where there is no time to wait.
    private const int PacketsBetweenChecks = 64;

    // After so many messages from the ring a look at the socket: a peer that is never silent must not hide another holder's messages.
    private const int EntriesBetweenLooks = 256;

    // Steps of a long message between two looks at the time: 4 MiB.
    private const int StepsBetweenChecks = 64;

    // Sleeping on the peer's count wakes sooner than the socket does. But nothing that comes by the socket ends that sleep, the peer's death
    // neither. So it is short, and there is none once another holder of the peer's end has sent a packet. Not shorter: in a virtual
    // machine a timer that is due before the scheduler's next tick costs a trip to the host (one processor: 16.9 µs a round trip with
    // 1 ms, 6.8 with 20).
    private const int FirstSleepMilliseconds = 20;

    // What is kept of other holders' messages while older ones are in the ring: no more than the socket has room for at once.
    private const int MostHeldMessages = 1024, MostHeldBytes = 4 << 20;

    // Descriptors of so many messages: those of the next one come when the message before is in the ring, where it can be taken.
    private const int MostAhead = 2;

    [ThreadStatic]
    private static byte[]? t_overflow;

    private readonly Life _life;
    private readonly PacketLink _link;
    private readonly RingReader? _ring;
    private readonly Spinner _spinner;
    private readonly ChannelOptions _options;

    // Whether the peer left messages in the ring; known to the sender.
    private readonly Func<bool?> _ringHasUntaken;
    private readonly Gate _gate = new();
    private readonly Lock _handingOver = new();
    private readonly Fragments _fragments = new();
    private readonly Entry _entry = new();
    private readonly Queue<HandlesAhead> _ahead = [];
    private readonly Queue<HeldBack> _held = [];
    private volatile Way _way;
    private long _heldBytes;
    private int _entriesUntilLook = EntriesBetweenLooks;
    private bool _hasOtherSenders, _atEnd, _toldUnread;

    // A message that was received but did not fit the caller's span.
    private IpcMessage? _kept;

    public Receiver(Life life, PacketLink link, RingReader? ring, Spinner spinner, ChannelOptions options, Func<bool?> ringHasUntaken)
    {
        (_life, _link, _ring, _spinner, _options) = (life, link, ring, spinner, options);
        _ringHasUntaken = ringHasUntaken;
    }

    // For tests that look where no call does.
    internal RingReader? Ring => _ring;

    private enum Way
    {
        Fresh,
        Packets,
        Ring,
    }

    private enum Outcome
    {
        /// <summary>A message is there.</summary>
        Message,

        /// <summary>Nothing more will come.</summary>
        Ended,

        /// <summary>Nothing more is there yet.</summary>
        Nothing,

        /// <summary>Much was taken, and no message yet: time to look at the clock.</summary>
        Busy,
    }

    private enum Taken
    {
        Nothing,
        Something,
        Message,
    }

    /// <summary>Descriptors whose message has not been taken out of the ring yet.</summary>
    private readonly record struct HandlesAhead(ulong Id, SafeHandle[]? Handles, bool Lost, Deadline Deadline);

    /// <summary>Another holder's message that came while the ring had older ones: those up to a position of the ring go before it.</summary>
    private readonly record struct HeldBack(Arrival Message, long Position);

    /// <summary>A message of the ring of which a part was taken: in the caller's span during a call, in an array between calls.</summary>
    private sealed class Entry
    {
        public bool IsActive, Lost;
        public byte* User;
        public byte[]? Array;
        public int Total, Filled;
        public SafeHandle[]? Handles;
        public Deadline Deadline;

        /// <summary>Where the next bytes go; there is room for <paramref name="length"/> of them.</summary>
        public void MakeRoom(int length)
        {
            if (User == null) Array = Arrival.Enlarge(Array!, Filled, (long)Filled + length, Total);
        }

        /// <summary>The caller's span goes with the call: what came moves to an array.</summary>
        public void LeaveSpan()
        {
            if (!IsActive || User == null) return;
            Array = ArrayPool<byte>.Shared.Rent(Math.Max(1, Total));
            new ReadOnlySpan<byte>(User, Filled).CopyTo(Array);
            User = null;
        }

        public Arrival End()
        {
            Arrival arrival = new() { Array = Array, Handles = Handles, Length = Total };
            User = null;
            (IsActive, Array, Handles) = (false, null, null);
            return arrival;
        }
    }

    // Calls

    public IpcMessage? Receive(TimeSpan timeout)
    {
        Patience patience = new(Deadline.After(timeout));
        using Life.Use use = _life.Begin();
        _gate.Enter(_life, patience, "another thread was receiving");
        try
        {
            if (TakeKept() is { } kept) return kept;
            return WaitFor(null, 0, patience, out Arrival arrival) ? arrival.ToMessage() : null;
        }
        finally
        {
            Leave();
        }
    }

    public int Receive(Span<byte> destination, TimeSpan timeout)
    {
        Patience patience = new(Deadline.After(timeout));
        using Life.Use use = _life.Begin();
        _gate.Enter(_life, patience, "another thread was receiving");
        try
        {
            if (_kept is null)
                fixed (byte* start = destination)
                {
                    byte nothing;
                    bool received;
                    Arrival arrival;
                    try
                    {
                        received = WaitFor(start == null ? &nothing : start, destination.Length, patience, out arrival);
                    }
                    finally
                    {
                        _entry.LeaveSpan();
                    }
                    if (!received) return -1;
                    if (arrival.Array is null)
                    {
                        Rights.CloseElsewhere(arrival.Handles);
                        return arrival.Length;
                    }
                    _kept = arrival.ToMessage();
                }
            ReadOnlySpan<byte> payload = _kept.Payload.Span;
            if (payload.Length > destination.Length)
                throw new ArgumentException($"The message has {payload.Length} bytes and the destination {destination.Length}. It is " +
                    "kept for the next receive.", nameof(destination));
            int length = payload.Length;
            payload.CopyTo(destination);
            TakeKept()!.DropUnwanted();
            return length;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>A message if one is there whole. What is there of another one is taken and kept.</summary>
    public IpcMessage? TryReceive()
    {
        using Life.Use use = _life.Begin();
        if (!_gate.TryEnter()) return null;
        try
        {
            if (TakeKept() is { } kept) return kept;
            Outcome outcome = Look(null, 0, socketToo: true, out Arrival arrival);
            if (outcome == Outcome.Message) return arrival.ToMessage();
            if (outcome != Outcome.Ended && EarliestDeadline().HasPassed) throw BreakLate();
            return null;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>
    /// Hands out a duplicate of a fresh end, see <see cref="IpcChannel.DuplicateHandle"/>. From here on this end does not ask for the ring: what the
    /// peer sends is for whoever receives first.
    /// </summary>
    public int Duplicate(ChannelSocket socket)
    {
        lock (_handingOver)
        {
            if (_way != Way.Fresh)
                throw new InvalidOperationException("This end has received already, and what is under way to it lies in memory that another " +
                    "holder would not have. Pass an end on before the first receive.");
            int copy = socket.Duplicate();
            _life.HasAnotherHolder();
            return copy;
        }
    }

    /// <summary>Tells <see cref="Life"/> when the peer has ended and nothing is left to receive. For a wait for the end beside no receive.</summary>
    public void EndIfDrained()
    {
        if (_life.IsBroken || _life.IsDisposed || !_gate.TryEnter()) return;
        try
        {
            using Life.Use use = _life.Begin();
            // A fresh end takes nothing: it may still be passed on with what waits in it.
            if (_way == Way.Fresh && _link.IsDrained) _life.End();
            if (_way == Way.Fresh || _kept is not null) return;
            if (Look(null, 0, socketToo: true, out Arrival arrival) == Outcome.Message) _kept = arrival.ToMessage();
        }
        catch (Exception e) when (e is ObjectDisposedException or IpcException)
        {
            // Disposed or broken in this moment: then it is ended by that.
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Gives up what was received in part and what nobody has taken, unless a receive is under way: then that one does.</summary>
    public void Drop()
    {
        if (!_gate.TryEnter()) return;
        TakeKept()?.DropUnwanted();
        _fragments.Drop();
        if (_entry.IsActive) _entry.End().Drop();
        foreach (HandlesAhead ahead in _ahead) Rights.CloseElsewhere(ahead.Handles);
        foreach (HeldBack held in _held) held.Message.Drop();
        _ahead.Clear();
        _held.Clear();
        _gate.Exit();
    }

    private void Leave()
    {
        _gate.Exit();
        if (_life.IsDisposed) Drop();
    }

    private IpcMessage? TakeKept()
    {
        IpcMessage? kept = _kept;
        _kept = null;
        return kept;
    }

    // Waiting

    /// <summary>Waits until a message is whole. <paramref name="user"/> is null where an array is wanted. False at the end.</summary>
    private bool WaitFor(byte* user, int room, in Patience patience, out Arrival arrival)
    {
        _life.ThrowIfUnusable();
        bool socketToo = _way != Way.Ring;
        while (true)
        {
            Outcome outcome = Look(user, room, socketToo, out arrival);
            if (outcome == Outcome.Message) return true;
            if (outcome == Outcome.Ended)
            {
                ThrowIfLeftUnread();
                return false;
            }
            if (outcome == Outcome.Busy) CheckTime(patience);
            else socketToo = socketToo ? SleepOnSocket(patience) : WaitOnRing(patience);
            _life.ThrowIfUnusable();
        }
    }

    /// <summary>After the ring was found empty: spins, then sleeps for a moment. Whether the socket is to be looked at too.</summary>
    private bool WaitOnRing(in Patience patience)
    {
        long until = IsInMiddle ? _spinner.LookUntilRest() : _spinner.LookUntil();
        if (IsInMiddle && (EarliestDeadline().HasPassed || patience.IsOver)) return true;
        if (until != 0 && Spin(until)) return false;
        if (_hasOtherSenders) return true;
        int milliseconds = Deadline.Earlier(patience.Deadline, EarliestDeadline()).Milliseconds(FirstSleepMilliseconds);
        return milliseconds == 0 || !_ring!.Sleep(milliseconds);
    }

    private bool Spin(long until)
    {
        if (_ring!.Spin(until))
        {
            _spinner.Succeeded();
            ChannelEvents.SpinHit();
            return true;
        }
        _spinner.Failed();
        ChannelEvents.Blocked();
        return false;
    }

    /// <summary>
    /// After ring and socket were found empty: throws when the time is over, or sleeps until a packet comes. Whether the socket is to be looked at:
    /// not where the ring has something.
    /// </summary>
    private bool SleepOnSocket(in Patience patience)
    {
        CheckTime(patience);
        if (_way == Way.Packets && _spinner.LookUntil() is var until and not 0 && SpinOnSocket(until)) return true;
        if (!HasRoomForHeld)
        {
            // The socket is left alone meanwhile.
            _ = _ring!.Sleep(FirstSleepMilliseconds);
            return false;
        }
        if (_ring is not null && !_ring.TryTellSleep()) return _way != Way.Ring;
        Patience either = new(Deadline.Earlier(patience.Deadline, EarliestDeadline()));
        _link.Poll(Posix.PollIn, either.Slice(_life.IsHeldElsewhere));
        _ring?.TellAwake();
        return true;
    }

    private bool SpinOnSocket(long until)
    {
        do
        {
            if (!_link.Poll(Posix.PollIn, 0)) continue;
            _spinner.Succeeded();
            ChannelEvents.SpinHit();
            return true;
        }
        while (System.Diagnostics.Stopwatch.GetTimestamp() < until);
        _spinner.Failed();
        ChannelEvents.Blocked();
        return false;
    }

    /// <summary>
    /// Throws when the call's time is over, which leaves all as it is; and when that of a message is, which breaks the channel.
    /// </summary>
    private void CheckTime(in Patience patience)
    {
        if (EarliestDeadline().HasPassed) throw BreakLate();
        patience.Check(IsInMiddle ? Unfinished : NoMessage);
    }

    private TimeoutException BreakLate()
    {
        TimeoutException late = new($"Timed out: {Stopped}, for longer than Timeout, {_options.Timeout}. The channel is broken.");
        _life.Break(late);
        return late;
    }

    /// <summary>Whether a part of a message was received and the rest was not.</summary>
    private bool IsInMiddle => _entry.IsActive || !_fragments.IsEmpty || _ahead.Count > 0;

    private Deadline EarliestDeadline()
    {
        Deadline earliest = _entry.IsActive ? _entry.Deadline : Deadline.Never;
        if (_ahead.Count > 0) earliest = Deadline.Earlier(earliest, _ahead.Peek().Deadline);
        return _fragments.IsEmpty ? earliest : Deadline.Earlier(earliest, _fragments.Earliest);
    }

    // The core: what is there is taken, nothing is waited for

    /// <summary>
    /// Takes what is there until it makes a message. Whatever breaks the protocol breaks the channel here.
    /// </summary>
    private Outcome Look(byte* user, int room, bool socketToo, out Arrival arrival)
    {
        arrival = default;
        try
        {
            if (_way == Way.Fresh) BeginToReceive();
            if (_way == Way.Ring && --_entriesUntilLook > 0)
            {
                if (TakeFromRing(user, room, ref arrival)) return Received(arrival);
                if (!socketToo) return Outcome.Nothing;
            }
            return LookAtAll(user, room, ref arrival);
        }
        catch (Exception e)
        {
            arrival.Drop();
            // What this process lacks, or the caller did, cuts no message.
            if (e is not (ObjectDisposedException or IpcException { Fault: IpcFault.OutOfDescriptors })) _life.Break(e);
            throw;
        }
    }

    private Outcome LookAtAll(byte* user, int room, ref Arrival arrival)
    {
        _entriesUntilLook = EntriesBetweenLooks;
        for (int packets = 0; packets < PacketsBetweenChecks; packets++)
        {
            Taken taken = _atEnd || !HasRoomForHeld ? Taken.Nothing : TakePacket(user, room, ref arrival);
            if (taken == Taken.Message) return Received(arrival);
            if (_way == Way.Ring && TakeFromRing(user, room, ref arrival)) return Received(arrival);
            if (_atEnd) return _entry.IsActive && (_ring!.Ready > 0 || _ring.Look()) ? Outcome.Busy : End();
            if (taken == Taken.Nothing) return Outcome.Nothing;
        }
        return Outcome.Busy;
    }

    private static Outcome Received(in Arrival arrival)
    {
        ChannelEvents.Received(arrival.Length);
        return Outcome.Message;
    }

    /// <summary>Fresh → Packets. From the first receive on this end can't be passed on, and the peer may send everything by the ring.</summary>
    private void BeginToReceive()
    {
        lock (_handingOver)
        {
            _way = Way.Packets;
            if (!_life.IsHeldElsewhere) _ring?.AskForRing();
        }
    }

    /// <summary>The socket has nothing more. What lies in the ring comes first, and is all there by now.</summary>
    private Outcome End()
    {
        _life.ThrowIfUnusable();
        // All was looked for in the ring after the end was seen. What is left is no whole message.
        if (IsInMiddle) throw new IpcPeerGoneException(IpcFault.EndedInMessage,
            "The peer ended in the middle of a message");
        _life.End();
        return Outcome.Ended;
    }

    /// <summary>
    /// Tells once that the peer left messages unread. For the ring the counters tell. The kernel's reset counts for packets only: what was left in
    /// the socket may be a wake-up.
    /// </summary>
    private void ThrowIfLeftUnread()
    {
        if (_toldUnread || !(_ringHasUntaken() ?? _link.WasReset)) return;
        _toldUnread = true;
        throw new IpcPeerGoneException(IpcFault.PeerLeftMessagesUnread,
            "The peer closed its end without having received all that was sent to it. All that it sent was received");
    }

    // The ring

    /// <summary>Takes entries until a message is whole; false where what is there ends first.</summary>
    private bool TakeFromRing(byte* user, int room, ref Arrival arrival)
    {
        if (_entry.IsActive) return TakeRest(ref arrival);
        while (true)
        {
            if (_held.Count > 0 && _ring!.Position >= _held.Peek().Position)
            {
                arrival = _held.Dequeue().Message;
                _heldBytes -= arrival.Length;
                return true;
            }
            if (!_ring!.TryPeek(out PacketHeader header)) return false;
            if (!header.IsOurs)
                throw new IpcProtocolException(IpcFault.BadSharedMemory, "An entry in the ring does not begin with a header");
            _spinner.PeerProcessor = header.Processor;
            if (header.Kind == PacketKind.Whole) return TakeMessage(header, user, room, ref arrival);
            if (header.Kind != PacketKind.Grow || !header.IsBare || !_ring.TryGoOverToLarge()) throw header.LieInRing();
        }
    }

    private bool TakeMessage(in PacketHeader header, byte* user, int room, ref Arrival arrival)
    {
        CheckTotal(header);
        if (header.Id != 0 || header.Offset != 0) throw header.LieInRing();
        bool lost = false;
        if (header.Handles != 0 || _ahead.Count > 0) arrival.Handles = TakeHandles(header, out lost);
        int total = (int)header.Total;
        if (total > Packets.RingStep || !_ring!.HasWhole(total)) return TakeBeginning(total, lost, user, room, ref arrival);
        arrival.Length = total;
        if (user != null && total <= room) _ring.TakeWhole(user, total);
        else
        {
            arrival.Array = ArrayPool<byte>.Shared.Rent(Math.Max(1, total));
            fixed (byte* to = arrival.Array) _ring.TakeWhole(to, total);
        }
        if (lost) throw Lost(ref arrival);
        return true;
    }

    /// <summary>Begins a message that is taken piece by piece.</summary>
    private bool TakeBeginning(int total, bool lost, byte* user, int room, ref Arrival arrival)
    {
        const int firstRoom = 8 << 20;
        bool isUsers = user != null && total <= room;
        _entry.IsActive = true;
        _entry.Deadline = Deadline.After(_options.Timeout);
        (_entry.Handles, _entry.Lost) = (arrival.Handles, lost);
        (_entry.Total, _entry.Filled) = (total, 0);
        _entry.User = isUsers ? user : null;
        _entry.Array = isUsers ? null : ArrayPool<byte>.Shared.Rent(Math.Clamp(total, 1, firstRoom));
        arrival = default;
        _ring!.TakeHeader();
        return TakeRest(ref arrival);
    }

    private bool TakeRest(ref Arrival arrival)
    {
        Entry entry = _entry;
        for (int steps = 0; entry.Filled < entry.Total; steps++)
        {
            if (steps == StepsBetweenChecks || (_ring!.Ready == 0 && !_ring.Look())) return false;
            int length = (int)Math.Min(Math.Min(entry.Total - entry.Filled, Packets.RingStep), _ring.Ready);
            entry.MakeRoom(length);
            if (entry.User != null) _ring.Take(entry.User + entry.Filled, length);
            else fixed (byte* to = entry.Array) _ring.Take(to + entry.Filled, length);
            entry.Filled += length;
        }
        _ring!.EndEntry();
        bool lost = entry.Lost;
        arrival = entry.End();
        if (lost) throw Lost(ref arrival);
        return true;
    }

    /// <summary>
    /// The descriptors of the entry that comes next, or null where it has none. They were sent before it was counted, so they are here or in the
    /// socket.
    /// </summary>
    private SafeHandle[]? TakeHandles(in PacketHeader header, out bool lost)
    {
        lost = false;
        // Before the descriptors the socket may hold packets of other holders, and no more than it has room for. A peer that goes on
        // sending such, and not the descriptors, must neither hold the call up nor fill the memory.
        for (int packets = 0; header.Handles != 0 && _ahead.Count == 0; packets++)
        {
            Arrival none = default;
            if (packets == MostHeldMessages || !HasRoomForHeld || TakePacket(null, 0, ref none) == Taken.Nothing)
                throw new IpcProtocolException(IpcFault.UnwantedHandles,
                    $"A message announces {header.Handles} descriptors that did not come");
        }
        HandlesAhead ahead = _ahead.Peek();
        if (ahead.Id > (ulong)_ring!.Position && header.Handles == 0) return null;
        if (ahead.Id != (ulong)_ring.Position || (!ahead.Lost && header.Handles != (ahead.Handles?.Length ?? 0))) throw header.LieInRing();
        lost = ahead.Lost;
        return _ahead.Dequeue().Handles;
    }

    // The socket

    private bool HasRoomForHeld => _held.Count < MostHeldMessages && _heldBytes < MostHeldBytes && _ahead.Count < MostAhead;

    /// <summary>
    /// Takes a packet and puts it where it belongs. A message is the caller's, unless older ones may lie in the ring: then it is held back.
    /// </summary>
    private Taken TakePacket(byte* user, int room, ref Arrival arrival)
    {
        byte[] scratch = t_overflow ??= GC.AllocateUninitializedArray<byte>(Packets.Largest, pinned: true);
        Fragmented? expected = _fragments.Expected;
        expected?.MakeRoom(Math.Min(Packets.Largest, expected.Total - expected.Filled));
        if (_way == Way.Ring) user = null;
        fixed (byte* rest = expected?.Array, overflow = scratch)
        {
            byte* target = expected is not null ? rest + expected.Filled : user;
            int targetRoom = Math.Min(Packets.Largest, expected is not null ? expected.Total - expected.Filled : user == null ? 0 : room);
            Packet packet = _link.TryReceive(target, targetRoom, overflow);
            if (packet.Length < 0) return Taken.Nothing;
            if (packet.IsEnd)
            {
                _atEnd = true;
                return Taken.Something;
            }
            Scattered block = new(target, targetRoom, overflow, packet.Length);
            try
            {
                if (!TakePacket(ref packet, block, isInUser: expected is null && user != null, ref arrival)) return Taken.Something;
            }
            finally
            {
                // What has found no owner by now is unwanted.
                Rights.CloseElsewhere(packet.Handles);
            }
        }
        if (_way != Way.Ring) return Taken.Message;
        // What another holder sent comes after what lay in the ring before it was received: an end that was passed on goes on in its order.
        _hasOtherSenders = true;
        _ring!.Look();
        _held.Enqueue(new(arrival, _ring.Seen));
        _heldBytes += arrival.Length;
        arrival = default;
        return Taken.Something;
    }

    /// <summary>Whether the packet makes a message whole.</summary>
    private bool TakePacket(ref Packet packet, in Scattered block, bool isInUser, ref Arrival arrival)
    {
        PacketHeader header = packet.Header;
        _spinner.PeerProcessor = header.Processor;
        switch (header.Kind)
        {
            case PacketKind.Whole:
                CheckTotal(header);
                if (header.Total != block.Length || header.Id != 0 || header.Offset != 0) throw header.Lie(block.Length);
                arrival = new() { Length = block.Length, Handles = packet.Handles };
                packet.Handles = null;
                if (!isInUser || !block.FitsTarget)
                {
                    arrival.Array = ArrayPool<byte>.Shared.Rent(Math.Max(1, block.Length));
                    fixed (byte* to = arrival.Array) block.CopyTo(to);
                }
                if (packet.LostHandles) throw Lost(ref arrival);
                return true;
            case PacketKind.Fragment:
                CheckTotal(header);
                return TakeFragment(ref packet, block, ref arrival);
            case PacketKind.Bell:
                if (!header.IsBare || block.Length != 0) throw header.Lie(block.Length);
                return false;
            case PacketKind.Switch:
                if (!header.IsBare || block.Length != 0 || _ring is null || _way != Way.Packets || _life.IsHeldElsewhere)
                    throw header.Lie(block.Length);
                _way = Way.Ring;
                return false;
            case PacketKind.Handles:
                TakeHandlesPacket(ref packet, block.Length);
                return false;
            default:
                throw header.Lie(block.Length);
        }
    }

    private bool TakeFragment(ref Packet packet, in Scattered block, ref Arrival arrival)
    {
        Fragmented message = _fragments.Of(ref packet, _options.Timeout);
        message.MakeRoom(block.Length);
        fixed (byte* to = message.Array) block.CopyTo(to + message.Filled);
        if (!_fragments.Add(message, block.Length)) return false;
        arrival = new() { Array = message.Array, Length = message.Total, Handles = message.Handles };
        if (message.LostHandles) throw Lost(ref arrival);
        return true;
    }

    /// <summary>
    /// Descriptors come before their message is counted, and the next ones after it: two that wait stand before two messages, of which the first is
    /// there.
    /// </summary>
    private void TakeHandlesPacket(ref Packet packet, int length)
    {
        PacketHeader header = packet.Header;
        if (_way != Way.Ring || length != 0 || header.Total != 0 || header.Offset != 0 || header.Handles == 0
            || header.Id < (ulong)_ring!.Position || (_ahead.Count > 0 && (header.Id <= _ahead.Last().Id || !IsCounted(_ahead.Last()))))
            throw header.Lie(length);
        _ahead.Enqueue(new(header.Id, packet.Handles, packet.LostHandles, Deadline.After(_options.Timeout)));
        packet.Handles = null;
    }

    private bool IsCounted(in HandlesAhead ahead)
    {
        if ((long)ahead.Id >= _ring!.Seen) _ring.Look();
        return (long)ahead.Id < _ring.Seen;
    }

    /// <summary>The one place that bounds a peer's total: from here on it is cast to int and allocated for.</summary>
    private void CheckTotal(in PacketHeader header)
    {
        if (header.Total < 0) throw header.Lie(0);
        long most = Math.Min(_options.MaxMessageBytes, Array.MaxLength);
        if (header.Total > most) throw new IpcProtocolException(IpcFault.MessageTooLong,
            $"The peer's message has {header.Total} bytes; this end takes {most} (MaxMessageBytes)");
    }

    private static IpcProtocolException Lost(ref Arrival arrival)
    {
        arrival.Drop();
        return new(IpcFault.OutOfDescriptors,
            "This process had no room for the descriptors of a message (RLIMIT_NOFILE): the message is lost, the channel goes on");
    }

    /// <summary>A packet's payload as it was scattered.</summary>
    private readonly struct Scattered(byte* target, int targetRoom, byte* overflow, int length)
    {
        public int Length => length;

        public bool FitsTarget => length <= targetRoom;

        public void CopyTo(byte* place)
        {
            int first = Math.Min(length, targetRoom);
            if (place != target) Block.Copy(place, target, first);
            Block.Copy(place + first, overflow, length - first);
        }
    }
}
