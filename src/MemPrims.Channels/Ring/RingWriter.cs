namespace MemPrims.Channels.Ring;

// The writing side of a ring: room, bytes, the count that tells the peer of them, and waking a peer that sleeps. Of the socket it uses the
// bell and the end. Used by one thread at a time; the memory stays mapped during each call.
internal sealed unsafe class RingWriter(RingMemory mine, RingMemory theirs, Spinner spinner, PacketLink link)
{
    private byte* _ring = mine.Start + RingLayout.SmallAt;
    private long _mask = mine.Layout.SmallBytes - 1;

    // Written and counted; written; and up to where there is room, as far as is known. One entry's room is kept free: in the small ring
    // for the entry that says that the large one is used.
    private long _produced, _at, _limit = mine.Layout.SmallBytes - Packets.EntryAlignment;

    // How far the peer had taken at the last look, and where the ring in use begins.
    private long _took, _from;
    private bool _isLarge, _largeIsRefused;

    // How often the system is asked whether the peer is alive: its memory does not tell when its process was killed.
    private const int EntriesBetweenAsks = 32;

    // The sleep of the peer that was rung for last; entries until the system is asked.
    private int _rungFor, _untilAsk;

    // Where the next entry begins: how many bytes were written before.
    public long Position => _produced;

    // Whether the peer's end takes the ring, see RingHeader.TakesRing.
    public bool IsWanted => Volatile.Read(ref theirs.Header->TakesRing) != 0;

    // Whether the peer's receiver sleeps on its socket: any packet wakes it.
    public bool PeerSleepsOnSocket => (Volatile.Read(ref theirs.Header->SleepsOnSocket) & 1) != 0;

    // Whether the peer was found asleep and did not wake, or was waited for in vain: the system is asked next.
    public bool PeerMayBeDead { get; set; }

    // For each entry: whether the peer has ended, as its memory tells, or the system, which is asked now and then.
    public bool PeerIsGone()
    {
        if (Volatile.Read(ref theirs.Header->HasEnded) != 0) return true;
        if (--_untilAsk > 0 && !PeerMayBeDead) return false;
        _untilAsk = EntriesBetweenAsks;
        return PeerMayBeDead = link.PeerHasEnded;
    }

    // Whether the peer has not taken all that was written.
    public bool HasUntaken => Volatile.Read(ref theirs.Header->Consumed) != Volatile.Read(ref _produced);

    // The longest entry that the ring ever has room for.
    public long MostEntry => (_largeIsRefused ? mine.Layout.SmallBytes : mine.Layout.LargeBytes) - Packets.EntryAlignment;

    // The room after what was written, as far as is known.
    public long Free => _limit - _at;

    // What the rest of an entry takes, with what fills it up to where the next one begins.
    public long SizeOfRest(long payload) => (_at + payload + Packets.EntryAlignment - 1 & -Packets.EntryAlignment) - _at;

    // Whether there is this much room; looks how far the peer has come where that was not known.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool HasRoom(long bytes) => _limit - _at >= bytes || (Look() && _limit - _at >= bytes);

    private bool Look()
    {
        long took = Volatile.Read(ref theirs.Header->Consumed);
        if (took == _took) return false;
        if (took < _took || took > _produced)
            throw new IpcProtocolException(IpcFault.BadSharedMemory,
                $"The peer claims to have taken {took} bytes of the ring, of {_produced} written; {_took} were taken before");
        _took = took;
        _limit = Math.Max(took, _from) + _mask + 1 - Packets.EntryAlignment;
        return true;
    }

    // Between two entries: goes over to the large ring, if it is not used yet. Where there is no memory for it, the small one carries
    // everything, more slowly.
    public void Grow()
    {
        if (_isLarge || _largeIsRefused || (_largeIsRefused = !mine.TryPopulateLarge())) return;
        Write(new PacketHeader(PacketKind.Grow, 0));
        _at = _produced + Packets.EntrySize(0);
        _isLarge = true;
        _ring = mine.Start + mine.Layout.LargeAt;
        _mask = mine.Layout.LargeBytes - 1;
        _from = _at;
        _limit = _from + _mask + 1 - Packets.EntryAlignment;
        Publish();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(in PacketHeader header)
    {
        *(PacketHeader*)(_ring + (_at & _mask)) = header;
        _at += PacketHeader.Size;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(byte* source, nint length)
    {
        nint offset = (nint)(_at & _mask), first = Math.Min(length, (nint)_mask + 1 - offset);
        Block.Copy(_ring + offset, source, first);
        if (first < length) Block.Copy(_ring, source + first, length - first);
        _at += length;
    }

    // Fills an entry up to where the next one begins.
    public void EndEntry() => _at = _at + Packets.EntryAlignment - 1 & -Packets.EntryAlignment;

    // Counts what was written, and wakes a peer that sleeps.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Publish()
    {
        _produced = _at;
        // A full fence: the peer's flags are read after the count is there for it to see.
        Interlocked.Exchange(ref mine.Header->Produced, _produced);
        RingHeader* peer = theirs.Header;
        if ((Volatile.Read(ref peer->SleepsOnProduced) | (Volatile.Read(ref peer->SleepsOnSocket) & 1)) != 0) WakePeer(peer);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WakePeer(RingHeader* peer)
    {
        spinner.WokePeer();
        // Nobody was asleep: the peer has just woken by itself, or was killed in its sleep.
        if (Volatile.Read(ref peer->SleepsOnProduced) != 0 && Futex.WakeAll((int*)&mine.Header->Produced) == 0) PeerMayBeDead = true;
        int sleep = Volatile.Read(ref peer->SleepsOnSocket);
        // One packet for each sleep.
        if ((sleep & 1) == 0 || sleep == _rungFor) return;
        _rungFor = sleep;
        int error = link.Ring();
        if (error == Errno.ENOBUFS) RingLater(sleep);
        else if (error != 0) PeerMayBeDead = true;
    }

    // Apart: a method with a closure allocates it on entry, so every send to a peer that sleeps would.
    private void RingLater(int sleep) => link.RingLater(() => Volatile.Read(ref theirs.Header->SleepsOnSocket) == sleep);

    // Looks again and again for room, until a time on the stopwatch.
    public bool Spin(long until) => Spinner.Sees(&theirs.Header->Consumed, _took, until);

    // Sleeps until the peer takes something, has ended, or the time is over. May return early.
    public void Sleep(int milliseconds)
    {
        Futex.SleepOn(&theirs.Header->Consumed, _took, &mine.Header->SleepsOnConsumed, &theirs.Header->HasEnded, milliseconds);
        if (Volatile.Read(ref theirs.Header->Consumed) == _took) PeerMayBeDead = true;
    }
}
