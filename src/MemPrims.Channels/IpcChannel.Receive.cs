using System.Buffers;
using MemPrims.Channels.Native;

namespace MemPrims.Channels;

// Receiving. A packet is scattered over three places: the header, the memory where its payload is expected to belong, and a scratch
// block of the thread's for what does not fit there. The expected place is the caller's span, an array of the last message's size, or
// the next part of a message that has begun; where the header then says otherwise, the bytes are copied to where they belong. So no
// length has to be asked for first.
public sealed unsafe partial class IpcChannel
{
    private const int SmallestSpare = 256, MostPartials = 64;

    // How often a receive that takes packets without a message looks at its time. Not each time: a message that stands behind a few
    // wake-ups is there, even where there is no time to wait.
    private const int TakenBetweenChecks = 64;

    [ThreadStatic]
    private static byte[]? t_scratch;

    private Spinner _spinner;
    private byte[]? _spare;
    private int _spareWanted = SmallestSpare;
    private int _sleepLimit = -1;
    private volatile bool _wasReset;
    private bool _toldUnread;
    private Dictionary<ulong, Partial>? _partials;
    private Partial? _expected;

    // A message that was received but did not fit the caller's span.
    private IpcMessage? _kept;

    /// <summary>Waits for a message. Null when the peer has closed and everything it sent was received.</summary>
    /// <param name="timeout">How long to wait for the first byte; <see cref="Timeout.InfiniteTimeSpan"/> for ever. The rest has
    /// <see cref="ChannelOptions.Timeout"/>.</param>
    /// <exception cref="TimeoutException">No message came. If a part did, the channel is broken.</exception>
    /// <exception cref="IpcProtocolException">The peer broke the protocol, ended in the middle of a message or left messages unread; or
    /// the channel is broken.</exception>
    public IpcMessage? Receive(TimeSpan timeout)
    {
        Patience patience = new(Deadline.After(timeout));
        using Use use = new(this);
        EnterReceiving(patience);
        try
        {
            if (TakeKept() is { } kept) return kept;
            return ReceiveLocked(null, 0, patience, out Arrival arrival) == Outcome.Message ? arrival.ToMessage() : null;
        }
        finally
        {
            LeaveReceiving();
        }
    }

    /// <summary>Waits for a message, without a limit. Null when the peer has closed and everything it sent was received.</summary>
    /// <inheritdoc cref="Receive(TimeSpan)"/>
    public IpcMessage? Receive() => Receive(Timeout.InfiniteTimeSpan);

    /// <summary>
    /// Receives a message if one is there. A message whose first part is there is waited for, for <see cref="ChannelOptions.Timeout"/> at
    /// most.
    /// </summary>
    /// <param name="message">The message; null where the peer has closed and everything it sent was received.</param>
    /// <returns>False when nothing is there yet, or another thread is receiving.</returns>
    /// <inheritdoc cref="Receive(TimeSpan)"/>
    public bool TryReceive(out IpcMessage? message)
    {
        message = null;
        using Use use = new(this);
        if (!_receiving.TryEnter()) return false;
        try
        {
            message = TakeKept();
            while (message is null)
            {
                Outcome outcome = Look(null, 0, Patience.NoneAtAll, mayWait: false, out Arrival arrival);
                if (outcome == Outcome.Message) message = arrival.ToMessage();
                else if (outcome == Outcome.RestInRing) message = FinishRing(default).ToMessage();
                else if (outcome == Outcome.Closed) break;
                else if (IsInMiddle) message = FinishPartial();
                else if (outcome == Outcome.Nothing) return false;
            }
            return true;
        }
        finally
        {
            LeaveReceiving();
        }
    }

    /// <summary>Waits for the rest of a message that has begun, whose own deadline ends the wait.</summary>
    private IpcMessage? FinishPartial() =>
        ReceiveLocked(null, 0, new(Deadline.Never), out Arrival arrival) == Outcome.Message ? arrival.ToMessage() : null;

    /// <summary>Receives into memory of the caller's, without an object. Descriptors that come with the message are closed.</summary>
    /// <param name="destination">Where the message goes.</param>
    /// <param name="timeout">As for <see cref="Receive(TimeSpan)"/>; for ever without it.</param>
    /// <returns>The length of the message, or -1 when the peer has closed.</returns>
    /// <exception cref="ArgumentException">The message is longer than the destination. It is not lost: the next receive gets
    /// it.</exception>
    public int Receive(Span<byte> destination, TimeSpan? timeout = null)
    {
        Patience patience = new(Deadline.After(timeout ?? Timeout.InfiniteTimeSpan));
        using Use use = new(this);
        EnterReceiving(patience);
        try
        {
            if (_kept is null)
            {
                fixed (byte* target = destination)
                {
                    byte nowhere;
                    Outcome outcome = ReceiveLocked(target == null ? &nowhere : target, destination.Length, patience, out Arrival arrival);
                    if (outcome != Outcome.Message) return -1;
                    if (arrival.Array is null && arrival.View is null)
                    {
                        Rights.CloseElsewhere(arrival.Handles);
                        return arrival.Length;
                    }
                    _kept = arrival.ToMessage();
                }
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
            LeaveReceiving();
        }
    }

    private IpcMessage? TakeKept()
    {
        IpcMessage? kept = _kept;
        _kept = null;
        return kept;
    }

    private void EnterReceiving(in Patience patience)
    {
        if (_receiving.TryEnter()) return;
        while (!_receiving.Wait(patience.Slice(nothingWakes: true), patience.Token))
        {
            ThrowIfUnusable();
            patience.Check("another thread was receiving");
        }
    }

    /// <summary>Dispose drops what was received in part, unless a receive is under way: then that one does, here.</summary>
    private void LeaveReceiving()
    {
        _receiving.Exit();
        if (_isDisposed) DropUnreceived();
    }

    /// <summary>Waits until a message is whole. <paramref name="user"/> is null where a pooled array is wanted.</summary>
    private Outcome ReceiveLocked(byte* user, int room, in Patience patience, out Arrival arrival)
    {
        ThrowIfUnusable();
        for (int looks = 1; ; looks++)
        {
            Outcome outcome = Look(user, room, patience, mayWait: true, out arrival);
            if (outcome is Outcome.Message or Outcome.Closed) return outcome;
            if (looks % TakenBetweenChecks == 0 && !IsInMiddle) patience.Check("no message came");
        }
    }

    /// <summary>
    /// Takes one packet or entry and puts it where it belongs. Whatever breaks the protocol, and whatever ends a message in its middle,
    /// breaks the channel here.
    /// </summary>
    private Outcome Look(byte* user, int room, in Patience patience, bool mayWait, out Arrival arrival)
    {
        arrival = default;
        if (!_hasReceived) TakeRing();
        try
        {
            Outcome outcome = IsInMiddle ? GoOn(user, room, patience, mayWait, ref arrival)
                : LookOnce(user, room, patience, mayWait, ref arrival);
            if (outcome == Outcome.Message) ChannelEvents.Received(arrival.Length);
            return outcome;
        }
        catch (Exception e)
        {
            arrival.Drop();
            arrival = default;
            bool goesOn = e is ObjectDisposedException or IpcProtocolException
            {
                Fault: IpcFault.OutOfDescriptors or IpcFault.PeerLeftMessagesUnread or IpcFault.NotGivenSharedMemory or IpcFault.Broken,
            };
            // A wait that ended before a message began cuts nothing.
            if (goesOn || !(e is IpcProtocolException || IsInMiddle || _inRing)) throw;
            Break(e);
            if (e is TimeoutException) throw CutByTime(e);
            throw;
        }
    }

    private Outcome LookOnce(byte* user, int room, in Patience patience, bool mayWait, ref Arrival arrival)
    {
        if (_receivesByRing) return LookInRing(user, room, patience, mayWait, ref arrival);
        // These waited for the ring's messages, which have all been taken.
        if (_heldBack is { Count: > 0 } held)
        {
            arrival = held.Dequeue().Message;
            return Outcome.Message;
        }
        if (!_isHeldElsewhere || _socket.Theirs is null || ReadyInRing() == 0)
            return TakePacket(user, room, patience, mayWait ? Waiting.Spinning : Waiting.None, ref arrival);
        Outcome outcome = TakePacket(user, room, patience, Waiting.None, ref arrival);
        // The packet that said that the ring is used has gone to another holder.
        if (outcome is Outcome.Nothing or Outcome.Closed) _receivesByRing = true;
        return _receivesByRing ? Outcome.Taken : outcome;
    }

    /// <summary>
    /// A look while a message is half there: its own time ends the wait, also where the peer sends a byte now and then.
    /// </summary>
    private Outcome GoOn(byte* user, int room, in Patience patience, bool mayWait, ref Arrival arrival)
    {
        Patience whole = patience.Until(EarliestDeadline());
        Outcome outcome = LookOnce(user, room, whole, mayWait, ref arrival);
        if (outcome == Outcome.Taken && IsInMiddle) whole.Check(Stopped);
        return outcome;
    }

    /// <summary>Whether a part of a message was received and the rest was not.</summary>
    private bool IsInMiddle => _partials is { Count: > 0 } || _handlesAhead is not null;

    private Outcome TakePacket(byte* user, int room, in Patience patience, Waiting waiting, ref Arrival arrival)
    {
        byte[] scratch = t_scratch ??= GC.AllocateUninitializedArray<byte>(Packets.Largest, pinned: true);
        Partial? expected = _expected;
        if (expected is null && user == null) _spare ??= ArrayPool<byte>.Shared.Rent(_spareWanted);
        byte[]? place = expected is not null ? expected.Array : user == null ? _spare : null;
        fixed (byte* placed = place, overflow = scratch)
        {
            byte* target = expected is not null ? placed + expected.Filled : user == null ? placed : user;
            int targetRoom = Math.Min(Packets.Largest, expected is not null ? expected.Total - expected.Filled : place?.Length ?? room);
            PacketHeader header;
            Posix.Piece* pieces = stackalloc Posix.Piece[3]
            {
                new() { Start = (byte*)&header, Length = PacketHeader.Size }, new() { Start = target, Length = targetRoom },
                new() { Start = overflow, Length = Packets.Largest - targetRoom },
            };
            Posix.Message message = new() { Pieces = pieces, PieceCount = 3 };
            byte* control = stackalloc byte[Rights.ControlRoom];
            // Also where no descriptors are taken: without room for them the kernel would close them here, and that may take long.
            nint received = ReceivePacket(&message, control, patience, waiting);
            if (received == NothingThere) return Outcome.Nothing;
            arrival.Handles = Rights.Take(message);
            if (received == 0) return End();
            bool lost = Check(header, received, message.Flags, ref arrival);
            int length = (int)received - PacketHeader.Size;
            _spinner.PeerProcessor = header.Processor;
            Scattered inPacket = new(target, targetRoom, overflow, length);
            switch (header.Kind)
            {
                case PacketKind.Whole:
                    if (header.Total != length || header.Id != 0 || header.Offset != 0) throw Lie(header, length);
                    TakeWhole(inPacket, user != null && expected is null, expected is null, ref arrival);
                    if (lost) throw Lost(ref arrival);
                    return Outcome.Message;
                case PacketKind.Fragment:
                    return TakeFragment(header, inPacket, lost, ref arrival);
                case PacketKind.Switch or PacketKind.Handles or PacketKind.Bell:
                    if (length != 0 || header.Total != 0 || header.Offset != 0) throw Lie(header, length);
                    TakeRingsPacket(header, lost, ref arrival);
                    return Outcome.Taken;
                default:
                    throw Lie(header, length);
            }
        }
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

    private void TakeWhole(in Scattered block, bool inUser, bool inSpare, ref Arrival arrival)
    {
        arrival.Length = block.Length;
        if (inSpare && !inUser && block.Length <= _spare!.Length)
        {
            // The array itself goes to the caller, unless that would lock a large one up for a small message.
            _spareWanted = Math.Max(SmallestSpare, (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)block.Length));
            if (_spare.Length <= _spareWanted * 2)
            {
                arrival.Array = _spare;
                _spare = null;
                return;
            }
            arrival.Array = ArrayPool<byte>.Shared.Rent(_spareWanted);
            fixed (byte* to = arrival.Array) block.CopyTo(to);
            ArrayPool<byte>.Shared.Return(_spare);
            _spare = null;
            return;
        }
        if (inUser && block.FitsTarget) return;
        arrival.Array = ArrayPool<byte>.Shared.Rent(Math.Max(1, block.Length));
        fixed (byte* to = arrival.Array) block.CopyTo(to);
        if (!inSpare || inUser) return;
        _spareWanted = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)block.Length);
        ArrayPool<byte>.Shared.Return(_spare!);
        _spare = null;
    }

    /// <summary>
    /// Throws unless the packet is whole and its descriptors are those that its header announces. True when this process had no room for
    /// them.
    /// </summary>
    private bool Check(in PacketHeader header, nint received, int flags, ref Arrival arrival)
    {
        int count = arrival.Handles?.Length ?? 0;
        if (received < PacketHeader.Size || !header.IsOurs) throw new IpcProtocolException(IpcFault.BadHeader,
            $"A packet of {received} bytes does not begin with the header of a message");
        if ((flags & Posix.Truncated) != 0) throw new IpcProtocolException(IpcFault.BadHeader,
            $"A packet is longer than {Packets.Largest} bytes, the most that this protocol sends in one");
        if (header.Handles > _options.MaxHandles)
            throw new IpcProtocolException(IpcFault.UnwantedHandles,
                $"The peer sent {header.Handles} descriptors with a message; this end takes {_options.MaxHandles} (MaxHandles)");
        if ((flags & Posix.ControlTruncated) != 0)
        {
            if (count >= header.Handles)
                throw new IpcProtocolException(IpcFault.UnwantedHandles, "The peer sent descriptors that its header does not announce");
            // The room was enough for all that the kernel passes. So it was this process that had no numbers left.
            Rights.CloseElsewhere(arrival.Handles);
            arrival.Handles = null;
            CheckTotal(header, received);
            return true;
        }
        if (count != header.Handles) throw new IpcProtocolException(IpcFault.UnwantedHandles,
            $"The peer sent {count} descriptors with a message that announces {header.Handles}");
        CheckTotal(header, received);
        return false;
    }

    /// <summary>The one place that bounds a peer's total: from here on it is cast to int and allocated for.</summary>
    private void CheckTotal(in PacketHeader header, nint received)
    {
        if (header.Total < 0) throw Lie(header, received - PacketHeader.Size);
        if (header.Total > _options.MaxMessageBytes || header.Total > Array.MaxLength) throw TooLong(header);
    }

    private IpcProtocolException TooLong(in PacketHeader header) =>
        new(IpcFault.MessageTooLong, $"The peer's message has {header.Total} bytes; this end takes " +
            $"{Math.Min(_options.MaxMessageBytes, Array.MaxLength)} (MaxMessageBytes)");

    private static IpcProtocolException Lie(in PacketHeader header, nint length) =>
        new(IpcFault.BadHeader, $"A packet with {length} bytes of payload has a header that cannot be true: {header}");

    private static IpcProtocolException Lost(ref Arrival arrival)
    {
        arrival.Drop();
        arrival = default;
        return new(IpcFault.OutOfDescriptors,
            "This process had no room for the descriptors of a message (RLIMIT_NOFILE): the message is lost, the channel goes on");
    }
}
