using System.Runtime.CompilerServices;
using MemPrims.Channels.Native;
using MemPrims.Channels.Shared;

namespace MemPrims.Channels;

// Sending by the ring. A small message is copied into its entry and counted at once. A larger one is counted step by step, so that the
// peer takes its beginning out while its end is copied in. After each count this end looks whether the peer sleeps, and wakes it.
public sealed unsafe partial class IpcChannel
{
    // How often a sender asks the system whether the peer is alive: the peer's memory does not tell when its process was killed.
    private const int SendsBetweenLooks = 32;

    private long _produced, _peerTook;
    private int _sendsUntilLook, _rungFor;
    private bool _ringHasMemory, _ringIsRefused;

    // Whether this end's messages lie in the ring now.
    private volatile bool _sendsByRing;

    /// <summary>
    /// Chooses between the ring and packets, and tells the peer where that changes. False where the peer does not keep up and this may
    /// not wait.
    /// </summary>
    private bool TryChooseWay(bool isSegment, in Patience patience, out bool byRing)
    {
        byRing = WantsRing(isSegment);
        if (byRing == _sendsByRing) return true;
        if (byRing)
        {
            PacketHeader header = new(PacketKind.Switch, 0) { Id = (ulong)_produced };
            Posix.Piece piece;
            if (!SendPacket(ref header, &piece, 0, default, patience)) return false;
        }
        else _ = SendEntry(new(PacketKind.Switch, 0), null, 0, default, patience, out _);
        _sendsByRing = byRing;
        return true;
    }

    private bool WantsRing(bool isSegment)
    {
        if (_socket.Theirs is not { } theirs || _ringIsRefused) return false;
        int takes = Volatile.Read(ref theirs.Header->TakesRing);
        if (takes != RingUse.Yes && (takes != RingUse.NotYet || !(isSegment || _sendsByRing))) return false;
        // The ring's pages get their memory when it is used first.
        if (!_ringHasMemory) _ringIsRefused = !(_ringHasMemory = _socket.Mine!.Populate(ShareLayout.HeaderBytes, _mine.RingBytes));
        return _ringHasMemory;
    }

    /// <summary>Whether a message would go by the ring, as things stand.</summary>
    private bool WouldGoByRing
    {
        get
        {
            using Use use = new(this);
            return !_ringIsRefused && _socket.Theirs is { } theirs && Volatile.Read(ref theirs.Header->TakesRing) == RingUse.Yes;
        }
    }

    /// <summary>
    /// Writes an entry. The header's kind tells whether a payload follows; descriptors go before it, in a packet. False where there is no
    /// room and this may not wait, or where the peer takes no entry any more. What fails once the peer may have seen a part breaks the
    /// channel.
    /// </summary>
    private bool SendEntry(PacketHeader header, Posix.Piece* pieces, int count, ReadOnlySpan<int> files, in Patience patience,
        out bool peerTakesNone)
    {
        peerTakesNone = false;
        ThrowIfPeerIsGone();
        long left = header.Kind == PacketKind.Whole ? header.Total : 0, size = Packets.EntrySize(left), at = _produced, end = at + size;
        // A Switch does not ask for room: that of one entry is kept free for it. It must not wait for a reader that may be gone.
        if (header.Kind != PacketKind.Switch && FreeFrom(at) < size)
        {
            if (patience.None && (size > _mine.RingBytes - Packets.EntryAlignment || FreshFreeFrom(at) < size)) return false;
            WaitForRoom(at, Math.Min(size, Packets.RingStep), patience);
        }
        bool isSeen = false;
        try
        {
            header.Handles = (byte)files.Length;
            if (!TryBegin(header, at, files, patience, out peerTakesNone)) return false;
            isSeen = !files.IsEmpty;
            byte* ring = RingStart(_socket.Mine!);
            *(PacketHeader*)(ring + (at & (_mine.RingBytes - 1))) = header;
            at += PacketHeader.Size;
            Taker taker = new(pieces, count);
            while (true)
            {
                long free = FreeFrom(at);
                // The last step also counts the padding behind the payload. Until there is room for both, a byte of payload is left.
                long step = left == 0 || end - at <= free ? left : Math.Min(left - 1, free);
                step = Math.Min(step, Packets.RingStep);
                taker.Take(ring, at, step, _mine.RingBytes);
                at += step;
                left -= step;
                if (left == 0) at = end;
                _produced = at;
                TellSent();
                Volatile.Write(ref _socket.Mine!.Header->IsBeginning, 0);
                if (left == 0) return true;
                isSeen = true;
                WaitForRoom(at, Math.Min(end - at, Packets.RingStep), patience);
            }
        }
        catch (Exception e)
        {
            Volatile.Write(ref _socket.Mine!.Header->IsBeginning, 0);
            if (!isSeen) throw;
            BreakUnlessGone(e);
            if (e is TimeoutException) throw CutByTime(e);
            throw;
        }
    }

    /// <summary>
    /// Begins an entry, unless the peer takes none any more, and sends its descriptors. A peer that is about to share its end with another
    /// holder says so, then waits for an entry that has begun: so none comes later.
    /// </summary>
    private bool TryBegin(in PacketHeader header, long at, ReadOnlySpan<int> files, in Patience patience, out bool peerTakesNone)
    {
        peerTakesNone = false;
        while (true)
        {
            // A full fence: either this end sees what the peer says, or the peer sees that an entry begins.
            Interlocked.Exchange(ref _socket.Mine!.Header->IsBeginning, 1);
            peerTakesNone = header.Kind != PacketKind.Switch && Volatile.Read(ref _socket.Theirs!.Header->TakesRing) == RingUse.NoMore;
            if (!peerTakesNone && (files.IsEmpty || SendHandles(at, files, Patience.NoneAtAll))) return true;
            Volatile.Write(ref _socket.Mine.Header->IsBeginning, 0);
            if (peerTakesNone || patience.None) return false;
            ChannelEvents.Blocked();
            _socket.Poll(Posix.PollOut, patience.Slice(_isHeldElsewhere));
            ThrowIfUnusable();
            patience.Check(NotTaken);
        }
    }

    /// <summary>
    /// After a failure in the middle of a message nothing more can be sent. But what a peer sent before it ended can still be received.
    /// </summary>
    private void BreakUnlessGone(Exception failure)
    {
        if (failure is IpcProtocolException { Fault: IpcFault.PeerGone }) _sendsUntilLook = 0;
        else Break(failure);
    }

    private bool SendHandles(long at, ReadOnlySpan<int> files, in Patience patience)
    {
        PacketHeader header = new(PacketKind.Handles, 0) { Id = (ulong)at };
        Posix.Piece piece;
        return SendPacket(ref header, &piece, 0, files, patience);
    }

    /// <summary>
    /// The room behind a position, without that of the last entry, as far as is known: the peer's count is read when it does not suffice.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long FreeFrom(long at) => _mine.RingBytes - Packets.EntryAlignment - (at - _peerTook);

    private long FreshFreeFrom(long at)
    {
        long took = Volatile.Read(ref _socket.Theirs!.Header->Consumed);
        if (took < _peerTook || took > _produced)
        {
            IpcProtocolException impossible = new(IpcFault.BadSharedMemory,
                $"The peer claims to have taken {took} bytes of the ring, of {_produced} written; {_peerTook} were taken before");
            Break(impossible);
            throw impossible;
        }
        _peerTook = took;
        return FreeFrom(at);
    }

    private void WaitForRoom(long at, long wanted, in Patience patience)
    {
        if (FreeFrom(at) >= wanted) return;
        // In a ring that is nearly full, half a step is enough to go on with.
        const long small = 4096;
        long enough = wanted <= small ? wanted : wanted / 2;
        if (FreshFreeFrom(at) >= enough) return;
        long spinUntil = SpinLimit();
        while (FreshFreeFrom(at) < enough)
        {
            // In every turn, and not only when nothing moves: a peer that takes a byte now and then must not hold the sender up for ever.
            patience.Check(NotTaken);
            Linger(ref spinUntil, &_socket.Theirs!.Header->Consumed, _peerTook, &_socket.Mine!.Header->SleepsOnConsumed, patience,
                isSending: true);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void TellSent()
    {
        // A full fence: the peer's flags are read after the count is there for it to see.
        Interlocked.Exchange(ref _socket.Mine!.Header->Produced, _produced);
        ShareHeader* theirs = _socket.Theirs!.Header;
        if ((Volatile.Read(ref theirs->SleepsOnProduced) | (Volatile.Read(ref theirs->SleepsOnSocket) & 1)) != 0) WakeSleeper(theirs);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WakeSleeper(ShareHeader* theirs)
    {
        _spinner.WokePeer();
        // Nobody was asleep: the peer has just woken by itself, or was killed in its sleep. The next send asks the system.
        if (Volatile.Read(ref theirs->SleepsOnProduced) != 0 && Futex.WakeAll((int*)&_socket.Mine!.Header->Produced) == 0)
            _sendsUntilLook = 0;
        int sleep = Volatile.Read(ref theirs->SleepsOnSocket);
        // One packet for each sleep.
        if ((sleep & 1) == 0 || sleep == _rungFor) return;
        _rungFor = sleep;
        PacketHeader header = new(PacketKind.Bell, 0);
        Posix.Piece piece = new() { Start = (byte*)&header, Length = PacketHeader.Size };
        Posix.Message message = new() { Pieces = &piece, PieceCount = 1 };
        // It may fail: where the socket is full the peer has packets to wake it, and where the peer has ended the next send tells.
        if (Posix.Send(_socket.File, &message, Posix.NoSignal | Posix.DontWait) < 0) _sendsUntilLook = 0;
    }

    private void ThrowIfPeerIsGone()
    {
        if (Volatile.Read(ref _socket.Theirs!.Header->HasEnded) == 0)
        {
            if (--_sendsUntilLook > 0) return;
            _sendsUntilLook = SendsBetweenLooks;
            if (!_socket.PeerHasEnded) return;
        }
        throw SendFailure(Errno.BrokenPipe, false);
    }

    /// <summary>Takes a message's bytes from its pieces, in order, into the ring.</summary>
    private ref struct Taker(Posix.Piece* pieces, int count)
    {
        // pieces[0] is the place of a packet's header.
        private Posix.Piece* _piece = pieces + 1;
        private readonly Posix.Piece* _end = pieces + 1 + count;
        private nint _taken;

        public void Take(byte* ring, long at, long length, nint ringBytes)
        {
            while (length > 0)
            {
                nint offset = (nint)(at & (ringBytes - 1)), step = (nint)Math.Min(length, ringBytes - offset);
                while (_piece->Length == _taken)
                {
                    _piece++;
                    _taken = 0;
                    System.Diagnostics.Debug.Assert(_piece < _end, "The pieces are shorter than their total");
                }
                step = Math.Min(step, _piece->Length - _taken);
                Block.Copy(ring + offset, _piece->Start + _taken, step);
                _taken += step;
                at += step;
                length -= step;
            }
        }
    }
}
