namespace MemPrims.Channels;

// The sending half of a channel. Step is its core and never waits: it sends what there is room for, into the ring or by the socket. The
// calls differ only in how they wait for room. Any number of threads may send; the gate lets one message after the other go.
// Way: Packets → Ring, between two messages, once the peer has received. It never goes back. A small message is copied into its entry and
// counted at once. A larger one is counted step by step, so that the peer takes its beginning out while its end is copied in.
internal sealed unsafe partial class Sender(Life life, PacketLink link, RingWriter? ring, Spinner spinner, TimeSpan timeout,
    int peersHandles, long mostBytes)
{
    private const string NotTaken = "the peer did not take what was sent", OthersSend = "another thread was sending";

    // The kernel takes 1,024 pieces at once, one of which is the header.
    private const int MostPieces = 1000;

    private readonly RingWriter? _ring = ring;
    private readonly Gate _gate = new();
    private readonly ulong _fragmentsOf = (ulong)Random.Shared.NextInt64() << 24;
    private uint _lastFragmented;
    private volatile bool _hasSentInPackets;
    private volatile Way _way = Way.Packets;

    private enum Progress
    {
        Done,

        // The ring is full.
        NeedsRoom,

        // The socket is full.
        NeedsSocket,

        // The kernel is short of memory for a moment. No event tells when that is over.
        NeedsMemory,
    }

    // The longest message that both ends take.
    public long MostBytes { get; } = mostBytes;

    // Whether the peer has ended and left messages of the user. For the ring the counters tell. The kernel's reset counts for packets
    // only: what was left in the socket may be a wake-up or the Hello. What other holders of this end have sent is not known here.
    public bool PeerLeftMessages =>
        _way == Way.Ring ? _ring!.HasUntaken : link.WasReset && (_hasSentInPackets || life.IsHeldElsewhere);

    // Calls

    // False where the message would have to wait and may not: nothing was sent then.
    public bool Send(ReadOnlySpan<byte> payload, ReadOnlySpan<SafeHandle> handles, bool mayWait)
    {
        ThrowIfTooLong(payload.Length);
        fixed (byte* start = payload)
        {
            Posix.Iovec* pieces = stackalloc Posix.Iovec[2];
            pieces[1] = new() { Start = start, Length = payload.Length };
            if (handles.IsEmpty) return Send(pieces, 1, payload.Length, default, mayWait);
            using HeldFiles files = new(handles);
            ThrowIfRefused(handles.Length);
            return Send(pieces, 1, payload.Length, files.Numbers, mayWait);
        }
    }

    public bool Send(in ReadOnlySequence<byte> payload, ReadOnlySpan<SafeHandle> handles, bool mayWait)
    {
        if (payload.IsSingleSegment) return Send(payload.FirstSpan, handles, mayWait);
        using HeldFiles files = new(handles);
        using PinnedPieces pinned = new(payload);
        ThrowIfTooLong(pinned.Total);
        ThrowIfRefused(handles.Length);
        fixed (Posix.Iovec* pieces = pinned.Pieces) return Send(pieces, pinned.Count, pinned.Total, files.Numbers, mayWait);
    }

    private bool Send(Posix.Iovec* pieces, int count, long total, ReadOnlySpan<int> files, bool mayWait)
    {
        using Hold use = life.Begin();
        // Most messages find the gate free and room at once. They need no look at the clock: it costs a tenth of what a small one takes.
        bool isAlone = _gate.TryEnter();
        if (!isAlone && !mayWait) return false;
        Patience patience = isAlone ? default : new(Deadline.After(timeout));
        if (!isAlone) _gate.Enter(life, patience, OthersSend);
        Outgoing message = new(total);
        try
        {
            // What was waited for may have broken the channel.
            life.ThrowIfUnusable();
            Progress progress = Step(ref message, pieces, count, files, wholeOnly: !mayWait);
            if (progress != Progress.Done)
            {
                if (!mayWait) return false;
                if (isAlone) patience = new(Deadline.After(timeout));
                do
                {
                    Wait(progress, patience);
                    progress = Step(ref message, pieces, count, files, wholeOnly: false);
                }
                while (progress != Progress.Done);
            }
            ChannelEvents.Sent(total);
            return true;
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

    // After a failure in the middle of a message nothing more can be sent: the channel is broken. But what a peer sent before it ended can
    // still be received. The error that tells of it, or null where it is the same.
    private Exception? Cut(in Outgoing message, Exception failure)
    {
        if (!message.IsSeen && failure is not IpcProtocolException { Fault: IpcFault.BadSharedMemory }) return null;
        if (failure is IpcPeerGoneException) _ring?.PeerMayBeDead = true;
        if (failure is IpcPeerGoneException or ObjectDisposedException) return null;
        life.Break(failure);
        const string told = "A part of the message had gone: the channel is broken.";
        return failure switch
        {
            TimeoutException => new TimeoutException($"{failure.Message} {told}", failure),
            OperationCanceledException cancelled => new OperationCanceledException($"{failure.Message} {told}", failure,
                cancelled.CancellationToken),
            _ => null,
        };
    }

    private void ThrowIfTooLong(long total)
    {
        if (total <= MostBytes) return;
        throw new ArgumentException($"A message of {total} bytes is longer than the {MostBytes} that both ends take " +
            "(MaxMessageBytes). Nothing was sent.");
    }

    private void ThrowIfRefused(int handles)
    {
        if (handles > peersHandles) throw new IpcProtocolException(IpcFault.HandlesRefused,
            $"The peer takes {peersHandles} descriptors with a message and not {handles}: its MaxHandles. Nothing was sent");
    }

    // Waiting

    private void Wait(Progress progress, in Patience patience)
    {
        ChannelEvents.Blocked();
        if (progress == Progress.NeedsRoom)
        {
            long until = spinner.LookUntilRest();
            if (until == 0 || !_ring!.Spin(until)) _ring!.Sleep(patience.Slice(nothingWakes: true));
        }
        else
        {
            link.Poll(Posix.POLLOUT, patience.Slice(life.IsHeldElsewhere));
            if (progress == Progress.NeedsMemory) Thread.Sleep(1);
        }
        // In every turn, and not only when nothing moves: a peer that takes a byte now and then must not hold the sender up for ever.
        life.Check(patience, NotTaken);
    }

    // The core: what there is room for is sent, nothing is waited for

    // Sends of a message what there is room for. With `wholeOnly` all of it or nothing.
    private Progress Step(ref Outgoing message, Posix.Iovec* pieces, int count, ReadOnlySpan<int> files, bool wholeOnly)
    {
        if (!message.HasBegun && _way == Way.Packets && _ring is { IsWanted: true })
        {
            Progress switched = GoOverToRing();
            if (switched != Progress.Done) return switched;
        }
        return _way == Way.Ring ? StepInRing(ref message, pieces, files, wholeOnly)
            : StepInPackets(ref message, pieces, count, files, wholeOnly);
    }

    // Packets → Ring, told by a packet: what comes after it lies in the ring.
    private Progress GoOverToRing()
    {
        PacketHeader header = new(PacketKind.Switch, 0);
        Posix.Iovec piece;
        Progress progress = SendPacket(ref header, &piece, 0, default);
        if (progress == Progress.Done) _way = Way.Ring;
        return progress;
    }

    private Progress StepInRing(ref Outgoing message, Posix.Iovec* pieces, ReadOnlySpan<int> files, bool wholeOnly)
    {
        RingWriter ring = _ring!;
        if (!message.HasBegun)
        {
            if (ring.PeerIsGone()) throw Failure(Errno.EPIPE, false);
            Progress begun = Begin(ref message, ring, files, wholeOnly);
            if (begun != Progress.Done) return begun;
        }
        else if (ring.PeerMayBeDead && ring.PeerIsGone()) throw Failure(Errno.EPIPE, false);
        while (true)
        {
            // The last step also fills the entry up to the next one. Until there is room for both, a byte of payload is left.
            long free = ring.Free, step = ring.SizeOfRest(message.Left) <= free ? message.Left : Math.Min(message.Left - 1, free);
            step = Math.Min(step, Packets.RingStep);
            for (long left = step; left > 0;)
            {
                Posix.Iovec piece = message.Take(pieces, (nint)left);
                ring.Write(piece.Start, piece.Length);
                left -= piece.Length;
            }
            if (message.Left == 0) ring.EndEntry();
            ring.Publish();
            if (message.Left == 0) return Progress.Done;
            message.IsSeen = true;
            if (!ring.HasRoom(Enough(ring, ring.SizeOfRest(message.Left)))) return Progress.NeedsRoom;
        }
    }

    // Begins an entry where there is room for a good part of it. Its descriptors go before it.
    private Progress Begin(ref Outgoing message, RingWriter ring, ReadOnlySpan<int> files, bool wholeOnly)
    {
        long size = Packets.EntrySize(message.Left);
        if (!ring.HasRoom(size))
        {
            if (wholeOnly && size > ring.MostEntry) return Progress.NeedsRoom;
            ring.Grow();
            if (!ring.HasRoom(wholeOnly ? size : Enough(ring, size))) return Progress.NeedsRoom;
        }
        if (!files.IsEmpty)
        {
            PacketHeader ahead = new(PacketKind.Handles, 0) { Id = (ulong)ring.Position };
            Posix.Iovec piece;
            Progress sent = SendPacket(ref ahead, &piece, 0, files);
            if (sent != Progress.Done) return sent;
            message.IsSeen = true;
        }
        message.Header.Handles = (byte)files.Length;
        message.HasBegun = true;
        ring.Write(message.Header);
        return Progress.Done;
    }

    // The room that is worth going on for. In a ring that is nearly full, half a step is enough.
    private static long Enough(RingWriter ring, long wanted)
    {
        const long small = 4096;
        wanted = Math.Min(wanted, Math.Min(Packets.RingStep, ring.MostEntry));
        return wanted <= small ? wanted : wanted / 2;
    }

    // One packet, or one for each part, in order.
    private Progress StepInPackets(ref Outgoing message, Posix.Iovec* pieces, int count, ReadOnlySpan<int> files, bool wholeOnly)
    {
        bool isWhole = message.Header.Total <= link.Room && count <= MostPieces;
        if (!isWhole && wholeOnly) return Progress.NeedsSocket;
        if (!message.HasBegun)
        {
            // Where this wakes a peer that sleeps, the answer takes longer.
            if (_ring is { PeerSleepsOnSocket: true }) spinner.WokePeer();
            message.HasBegun = true;
            if (!isWhole)
            {
                message.Header.Kind = PacketKind.Fragment;
                message.Header.Id = _fragmentsOf + ++_lastFragmented;
            }
        }
        Posix.Iovec* window = stackalloc Posix.Iovec[Math.Min(count, MostPieces) + 1];
        do
        {
            Outgoing after = message;
            int taken = 0;
            for (nint room = link.Room; room > 0 && after.Left > 0 && taken < MostPieces; room -= window[taken].Length)
                window[++taken] = after.Take(pieces, room);
            Progress sent = SendPacket(ref message.Header, window, taken, message.Header.Offset == 0 ? files : default);
            if (sent != Progress.Done) return sent;
            _hasSentInPackets = true;
            after.Header = message.Header;
            after.Header.Offset = after.Header.Total - after.Left;
            message = after;
            message.IsSeen = message.Left > 0;
        }
        while (message.Left > 0);
        return Progress.Done;
    }

    // Sends one packet, whole or not at all.
    private Progress SendPacket(ref PacketHeader header, Posix.Iovec* pieces, int count, ReadOnlySpan<int> files) =>
        link.TrySend(ref header, pieces, count, files) switch
        {
            0 => Progress.Done,
            Errno.EAGAIN => Progress.NeedsSocket,
            Errno.ENOBUFS => Progress.NeedsMemory,
            int error => throw Failure(error, !files.IsEmpty),
        };

    private Exception Failure(int error, bool hasFiles)
    {
        // This end's own error, where there is one, has ended the connection.
        life.ThrowIfUnusable();
        return error switch
        {
            Errno.EPIPE or Errno.ECONNRESET or Errno.ENOTCONN or Errno.ECONNREFUSED =>
                new IpcPeerGoneException(IpcFault.PeerGone, $"The peer (process {life.Peer}) has closed the channel",
                    Errno.Failure("Sending failed", error)),
            Errno.EPERM when hasFiles =>
                new IpcProtocolException(IpcFault.HandlesRefused, "The peer takes no descriptors: its MaxHandles is 0. Nothing was sent",
                    Errno.Failure("Sending failed", error)),
            Errno.ETOOMANYREFS =>
                new IpcProtocolException(IpcFault.TooManyInFlight, "This user has as many descriptors under way as it may have open " +
                    "(RLIMIT_NOFILE): wait until some were received. Nothing was sent",
                    Errno.Failure("Sending failed", error)),
            _ => Errno.Failure($"Sending to process {life.Peer} failed", error),
        };
    }
}
