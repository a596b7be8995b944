namespace MemPrims.Channels.Ring;

// The reading side of a ring: how far the peer has written, how far this end has taken, and waiting for more. It knows entries by their
// header and length, not what they mean. Used by one thread at a time; the memory stays mapped during each call.
// The peer's count is read in Look alone. All else goes by what was read there, so what the peer changes meanwhile changes nothing here.
internal sealed unsafe class RingReader(RingMemory mine, RingMemory theirs)
{
    private byte* _ring = theirs.Start + RingLayout.SmallAt;
    private long _mask = theirs.Layout.SmallBytes - 1;

    // The count that the peer had when this end looked last, and how much of it was taken.
    private long _seen, _consumed;
    private bool _isLarge;

    // Where the next byte is taken: how many were taken before.
    public long Position => _consumed;

    // How many bytes were there at the last look and were not taken yet.
    public long Ready => _seen - _consumed;

    // Up to where the peer had written at the last look.
    public long Seen => _seen;

    // Whether the peer has written since the last look.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Look()
    {
        long produced = Volatile.Read(ref theirs.Header->Produced);
        if (produced == _seen) return false;
        // Before the large ring is begun, its first entries may be counted beside a full small one.
        long most = theirs.Layout.LargeBytes + (_isLarge ? 0 : theirs.Layout.SmallBytes);
        if (produced < _seen || produced - _consumed > most) ThrowImpossible(produced);
        _seen = produced;
        return true;
    }

    private void ThrowImpossible(long produced) =>
        throw new IpcProtocolException(IpcFault.BadSharedMemory, $"The peer claims to have written {produced} bytes; it had written " +
            $"{_seen} before, {_consumed} of them are taken, and its ring has {_mask + 1}");

    // A copy of the next entry's header, if one is there: the peer may change the entry while this end checks it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPeek(out PacketHeader header)
    {
        if (_seen == _consumed && !Look())
        {
            header = default;
            return false;
        }
        if (Ready < PacketHeader.Size) ThrowLessThanHeader();
        header = *(PacketHeader*)(_ring + (_consumed & _mask));
        return true;
    }

    private void ThrowLessThanHeader() => throw new IpcProtocolException(IpcFault.BadSharedMemory,
        $"The peer claims to have written {Ready} bytes of an entry in the ring: less than a header");

    // Whether an entry of this payload is there whole.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool HasWhole(long payload)
    {
        long size = Packets.EntrySize(payload);
        return Ready >= size || (Look() && Ready >= size);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void TakeWhole(byte* target, int payload)
    {
        CopyOut(target, _consumed + PacketHeader.Size, payload);
        _consumed += Packets.EntrySize(payload);
        TellTaken();
    }

    // Begins an entry whose payload is taken piece by piece.
    public void TakeHeader() => _consumed += PacketHeader.Size;

    // Takes a piece of a payload; no more than is ready.
    public void Take(byte* target, int length)
    {
        CopyOut(target, _consumed, length);
        _consumed += length;
        TellTaken();
    }

    // Goes on to the next entry: what fills this one up was written with its last byte.
    public void EndEntry()
    {
        long end = _consumed + Packets.EntryAlignment - 1 & -Packets.EntryAlignment;
        if (end > _seen) ThrowImpossible(_seen);
        if (end == _consumed) return;
        _consumed = end;
        TellTaken();
    }

    // From the next entry on the large ring is read. False where it is read already.
    public bool TryGoOverToLarge()
    {
        if (_isLarge) return false;
        _consumed += Packets.EntrySize(0);
        _isLarge = true;
        _ring = theirs.Start + theirs.Layout.LargeAt;
        _mask = theirs.Layout.LargeBytes - 1;
        if (Ready > theirs.Layout.LargeBytes) ThrowImpossible(_seen);
        TellTaken();
        return true;
    }

    private void CopyOut(byte* target, long at, int length)
    {
        nint offset = (nint)(at & _mask), first = Math.Min(length, (nint)_mask + 1 - offset);
        Block.Copy(target, _ring + offset, first);
        if (first < length) Block.Copy(target + first, _ring, length - first);
    }

    // Counts what was taken, and wakes a peer that waits for the room.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void TellTaken()
    {
        // A full fence: the flag is read after the count is there for the peer to see.
        Interlocked.Exchange(ref mine.Header->Consumed, _consumed);
        if (Volatile.Read(ref theirs.Header->SleepsOnConsumed) != 0) _ = Futex.WakeAll((int*)&mine.Header->Consumed);
    }

    // Looks again and again for something new, until a time on the stopwatch.
    public bool Spin(long until) => Spinner.Sees(&theirs.Header->Produced, _seen, until) && Look();

    // Sleeps until the peer writes, has ended, or the time is over. May return early. Whether something new is there.
    public bool Sleep(int milliseconds)
    {
        Futex.SleepOn(&theirs.Header->Produced, _seen, &mine.Header->SleepsOnProduced, &theirs.Header->HasEnded, milliseconds);
        return Look();
    }

    // Tells the peer that the receiver sleeps on the socket, to be woken by a packet. False, and awake, where the ring has something by
    // now.
    public bool TryTellSleep()
    {
        // A full fence: either the peer sees that this end sleeps, or this end sees what the peer has written.
        Interlocked.Increment(ref mine.Header->SleepsOnSocket);
        if (!Look()) return true;
        TellAwake();
        return false;
    }

    public void TellAwake() => Interlocked.Increment(ref mine.Header->SleepsOnSocket);

    // Lets the peer send everything by the ring.
    public void AskForRing() => Volatile.Write(ref mine.Header->TakesRing, 1);
}
