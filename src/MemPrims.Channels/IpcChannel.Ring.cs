using System.Diagnostics;
using MemPrims.Channels.Native;
using MemPrims.Channels.Shared;

namespace MemPrims.Channels;

// The ring. The sender copies a message into its own memory, step by step, and counts the bytes; the receiver copies them out and counts
// how far it has come. One packet on the socket, sent after the first step, says that a message begins and where; so messages keep their
// order whichever way they go. Either side spins on the other's counter, then sleeps on it. A count that the other cannot have reached
// is a breach of the protocol.
public sealed unsafe partial class IpcChannel
{
    private const string NotTaken = "the peer did not take a message out of shared memory",
        Stopped = "the peer stopped in the middle of a message";

    private long _produced, _consumed;
    private bool _ringHasMemory;

    /// <summary>
    /// Whether the next large message can go through the ring: both ends have memory, and the peer's end has one holder.
    /// </summary>
    private bool RingIsOpen
    {
        get
        {
            if (_socket.Theirs is not { } theirs || Volatile.Read(ref theirs.Header->TakesNoRing) != 0) return false;
            if (!_ringHasMemory && !_socket.Mine!.Populate(ShareLayout.HeaderBytes, _mine.RingBytes)) return false;
            return _ringHasMemory = true;
        }
    }

    private void TakeNoRing()
    {
        if (_socket.Mine is { } mine) Volatile.Write(ref mine.Header->TakesNoRing, 1);
    }

    private bool SendByRing(ref PacketHeader header, Posix.Piece* pieces, int count, ReadOnlySpan<int> files, in Patience patience)
    {
        if (patience.None && FreeInRing() < header.Total) return false;
        header.Kind = PacketKind.Ring;
        header.Id = (ulong)_produced;
        long began = _produced, left = header.Total;
        int at = 1;
        nint into = 0;
        bool announced = false;
        Patience rest = patience.None ? new(Deadline.After(_options.Timeout)) : patience;
        try
        {
            while (left > 0)
            {
                long free = WaitForRoom(Math.Min(left, Packets.RingStep), rest);
                long step = Math.Min(Math.Min(left, Packets.RingStep), free), filled = 0;
                while (filled < step)
                {
                    nint offset = (nint)(_produced + filled & (_mine.RingBytes - 1));
                    nint length = Math.Min(Math.Min((nint)(step - filled), pieces[at].Length - into), _mine.RingBytes - offset);
                    Block.Copy(_socket.Mine!.Start + ShareLayout.HeaderBytes + offset, pieces[at].Start + into, length);
                    filled += length;
                    into += length;
                    if (into < pieces[at].Length) continue;
                    at++;
                    into = 0;
                }
                _produced += step;
                left -= step;
                Volatile.Write(ref _socket.Mine!.Header->Produced, _produced);
                if (announced)
                {
                    WakePeer();
                    continue;
                }
                // Where the packet does not go, the bytes are taken back: nobody looks at them without it.
                if (!SendPacket(ref header, pieces, 0, files, patience))
                {
                    TakeBack(began);
                    return false;
                }
                announced = true;
            }
            return true;
        }
        catch (Exception e)
        {
            if (announced) Break(e);
            else TakeBack(began);
            throw;
        }
    }

    private void TakeBack(long began) => Volatile.Write(ref _socket.Mine!.Header->Produced, _produced = began);

    private long FreeInRing()
    {
        long used = _produced - Volatile.Read(ref _socket.Theirs!.Header->Consumed);
        if (used >= 0 && used <= _mine.RingBytes) return _mine.RingBytes - used;
        IpcProtocolException impossible =
            new(IpcFault.BadSharedMemory, $"The peer claims to have taken {_produced - used} bytes of the ring, of {_produced} written");
        Break(impossible);
        throw impossible;
    }

    private long WaitForRoom(long wanted, in Patience patience)
    {
        // In a ring that is nearly full, half a step is enough to go on with.
        long enough = Math.Max(1, wanted / 2);
        long free = FreeInRing();
        if (free >= enough) return free;
        long spinUntil = SpinLimit();
        while ((free = FreeInRing()) < enough)
        {
            // In every turn, and not only when nothing moves: a peer that takes a byte now and then must not hold the sender up for ever.
            patience.Check(NotTaken);
            Linger(ref spinUntil, &_socket.Theirs!.Header->Consumed, _produced - _mine.RingBytes + free, patience, NotTaken);
        }
        return free;
    }

    /// <summary>Copies a message out of the peer's ring. <paramref name="header"/> was checked.</summary>
    private void TakeFromRing(in PacketHeader header, byte* target, in Patience patience)
    {
        long left = header.Total;
        while (left > 0)
        {
            long spinUntil = SpinLimit(), ready;
            while (true)
            {
                patience.Check(Stopped);
                if ((ready = ReadyInRing()) != 0) break;
                Linger(ref spinUntil, &_socket.Theirs!.Header->Produced, _consumed, patience, Stopped);
            }
            long step = Math.Min(Math.Min(left, Packets.RingStep), ready);
            nint offset = (nint)(_consumed & (_theirs.RingBytes - 1)), first = (nint)Math.Min(step, _theirs.RingBytes - offset);
            byte* ring = _socket.Theirs!.Start + ShareLayout.HeaderBytes;
            Block.Copy(target, ring + offset, first);
            if (first < step) Block.Copy(target + first, ring, (nint)step - first);
            target += step;
            left -= step;
            _consumed += step;
            Volatile.Write(ref _socket.Mine!.Header->Consumed, _consumed);
            WakePeer();
        }
    }

    private long ReadyInRing()
    {
        long ready = Volatile.Read(ref _socket.Theirs!.Header->Produced) - _consumed;
        if (ready >= 0 && ready <= _theirs.RingBytes) return ready;
        throw new IpcProtocolException(IpcFault.BadSharedMemory, $"The peer claims to have written {_consumed + ready} bytes to a ring " +
            $"of {_theirs.RingBytes}, of which {_consumed} were taken");
    }

    private long SpinLimit() => _spinner.PeerProcessor == Posix.CurrentProcessor() ? 0 : Stopwatch.GetTimestamp() + _spinner.Ticks;

    /// <summary>Waits a moment for a counter of the peer's to leave <paramref name="seen"/>: turning round, then asleep.</summary>
    private void Linger(ref long spinUntil, long* counter, long seen, in Patience patience, string doing)
    {
        if (spinUntil != 0)
        {
            if (Stopwatch.GetTimestamp() < spinUntil)
            {
                Thread.SpinWait(4);
                return;
            }
            spinUntil = 0;
        }
        ShareHeader* mine = _socket.Mine!.Header;
        // The peer wakes this end only if it sees the count of sleepers. So that is raised before the last look at the counter: either the
        // peer sees the sleeper, or the sleeper sees the new counter.
        Interlocked.Increment(ref mine->Sleepers);
        ChannelEvents.Blocked();
        if (Volatile.Read(ref *counter) == seen) Futex.Sleep((int*)counter, (int)seen, patience.Slice(nothingWakes: true));
        Interlocked.Decrement(ref mine->Sleepers);
        if (Volatile.Read(ref *counter) != seen) return;
        ThrowIfUnusable();
        patience.Check(doing);
        // The counter is read again after the look for the end: the peer may have finished the message and closed in between.
        if ((Volatile.Read(ref _socket.Theirs!.Header->IsBroken) != 0 || _socket.PeerHasEnded) && Volatile.Read(ref *counter) == seen)
            throw new IpcProtocolException(IpcFault.EndedInMessage, "The peer ended in the middle of a message");
    }

    /// <summary>Wakes a peer that sleeps on one of this end's counters.</summary>
    private void WakePeer()
    {
        if (_socket.Theirs is not { } theirs) return;
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref theirs.Header->Sleepers) == 0) return;
        ShareHeader* mine = _socket.Mine!.Header;
        Futex.WakeAll((int*)&mine->Produced);
        Futex.WakeAll((int*)&mine->Consumed);
        Futex.WakeAll(&mine->CreditCount);
    }
}
