namespace MemPrims.Buffers;

// The chain of segments, and what the appenders ask of it. Each segment is twice as large as the one before, from 4 KiB to 1 MiB.
public sealed unsafe partial class SegmentList
{
    private readonly HoleTable _holes = new();
    private SpareSegments _spares;

    // Opens an appender that has room for `bytes` bytes. Returns where they begin.
    internal static byte* Begin(SegmentList list, long bytes)
    {
        ArgumentNullException.ThrowIfNull(list);
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        // The room is made first. If there is no memory for it, the list stays as it was.
        list.Refuse();
        // An open appender always has memory, since an end of null means that it is closed.
        byte* at = list._position, limit = list.Limit;
        if (limit == null || limit - at < bytes) at = list.Extend(at, Math.Max(bytes, 1));
        list._user = AnAppender;
        list.Ticket++;
        return at;
    }

    // Copies a block that does not fit into the room that is left, or goes on in a segment that has room for `bytes` bytes. Returns where
    // the next byte goes. The caller then reads Limit and Ticket again.
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static byte* GoOn(SegmentList? list, byte* position, byte* end, long ticket, long bytes,
        scoped ReadOnlySpan<byte> source = default)
    {
        list = CheckOpen(list, end, ticket);
        try
        {
            position = source.IsEmpty ? list.Extend(position, bytes) : list.WriteAcross(position, source);
        }
        catch
        {
            list.TakeBack();
            throw;
        }
        list.Ticket++;
        return position;
    }

    // Makes what an appender wrote a part of the list, and closes it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void Publish(SegmentList? list, byte* position, byte* end, long ticket)
    {
        list = CheckOpen(list, end, ticket);
        if (list._holes.FirstOpen(out long hole, out int length))
        {
            list.TakeBack();
            BufferErrors.ThrowHoleIsOpen(hole, length);
        }
        list._holes.Clear();
        list._end = list._tail;
        list._position = position;
        list._user = Nobody;
        list.Ticket++;
    }

    // Drops what an appender wrote, and closes it. Does nothing if it is closed already.
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void Drop(long ticket)
    {
        if (_user == AnAppender && Ticket == ticket) TakeBack();
    }

    // Drops what an appender wrote, and throws: it wrote more than it had reserved.
    [DoesNotReturn]
    internal static void FailOverrun(SegmentList? list, long ticket, long room, long needed)
    {
        // The room is negative only when the end is null, so the appender is closed.
        if (room < 0) FailClosed(list, ticket);
        CheckTicket(list, ticket).TakeBack();
        ArgumentOutOfRangeException.ThrowIfNegative(needed, "bytes");
        throw BufferErrors.Overrun(room, needed);
    }

    // The position in the list of a place of an open appender.
    internal static long PositionOf(SegmentList? list, byte* place, byte* end, long ticket) =>
        CheckOpen(list, end, ticket).PositionOf(place);

    // What an open appender wrote up to that place.
    internal static ReadOnlySequence<byte> WrittenBy(SegmentList? list, byte* place, byte* end, long ticket)
    {
        list = CheckOpen(list, end, ticket);
        return new(list._end, (int)(list._position - list._end.Start), list._tail, (int)(place - list._tail.Start));
    }

    // Notes a hole at a place of the working segment, and sets its bytes to zero.
    internal Hole Register(byte* place, int bytes)
    {
        Block.Clear(place, bytes);
        long position = PositionOf(place);
        return new(this, _holes.Add(place, position, bytes), position, bytes);
    }

    internal Span<byte> TakeHole(long number)
    {
        ObjectDisposedException.ThrowIf(_user == Disposed, this);
        return _holes.Take(number);
    }

    // The position in the list of a place in the working segment.
    private long PositionOf(byte* place) => _tail.RunningIndex + (place - _tail.Start);

    private static SegmentList CheckTicket(SegmentList? list, long ticket)
    {
        if (list is null || ticket == 0) BufferErrors.ThrowAppenderIsClosed();
        ObjectDisposedException.ThrowIf(list!._user == Disposed, list);
        if (list.Ticket != ticket || list._user != AnAppender) BufferErrors.ThrowAppenderIsStale();
        return list;
    }

    // The end is null when an earlier write threw and its exception was caught. Nothing of that appender may be published.
    private static SegmentList CheckOpen(SegmentList? list, byte* end, long ticket)
    {
        if (end == null) FailClosed(list, ticket);
        return CheckTicket(list, ticket);
    }

    [DoesNotReturn]
    private static void FailClosed(SegmentList? list, long ticket)
    {
        ObjectDisposedException.ThrowIf(list?._user == Disposed, typeof(SegmentList));
        if (ticket != 0) list?.Drop(ticket);
        BufferErrors.ThrowAppenderIsClosed();
    }

    private void Refuse()
    {
        if (_user == Nobody) return;
        ObjectDisposedException.ThrowIf(_user == Disposed, this);
        if (_user == AnAppender) BufferErrors.ThrowAppenderIsOpen();
        if (_user == ASource) BufferErrors.ThrowSourceIsRead();
        BufferErrors.ThrowEncodeUsedTheList(_user);
    }

    // For writes without an appender.
    private void MakeRoom(int bytes)
    {
        Refuse();
        if (Limit - _position >= bytes) return;
        _position = Extend(_position, bytes);
        _end = _tail;
    }

    private byte* WriteAcross(byte* position, ReadOnlySpan<byte> source)
    {
        while (true)
        {
            int part = (int)Math.Min(Limit - position, source.Length);
            Block.Copy(new Span<byte>(position, part), source[..part]);
            position += part;
            source = source[part..];
            if (source.IsEmpty) return position;
            position = Extend(position, 1);
        }
    }

    // Ends the working segment at the position and goes on in another one. If the working segment is empty, it only gets a larger array.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* Extend(byte* position, long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        if (bytes > SegmentPool.Largest) BufferErrors.ThrowTooLargeAtOnce(bytes, SegmentPool.Largest);
        int used = (int)(position - _tail.Start);
        int wanted = (int)Math.Max(bytes, Math.Min(2L * _tail.Capacity, SegmentPool.MaxCapacity));
        Segment next = _spares.TakeArray((int)bytes) ?? _spares.TakeLink();
        if (!next.Owns) next.Hold(SegmentPool.Rent(wanted));
        if (used > 0)
        {
            _tail.Close(used, next);
            _tail = next;
        }
        else
        {
            // The empty segment stays in the chain. Only its memory changes.
            _tail.Return();
            _tail.TakeOver(next);
            _spares.Add(next);
            if (_end == _tail) _position = _tail.Start;
        }
        Limit = _tail.Start + _tail.Capacity;
        return _tail.Start;
    }

    // Ends the list in that segment. The segments after it are kept as spare ones.
    private void Cut(Segment last, int used)
    {
        Segment? next = last.Following;
        while (next is not null)
        {
            Segment? following = next.Following;
            _spares.Add(next);
            next = following;
        }
        last.Reopen(used);
        _end = _tail = last;
        _position = last.Start + used;
        Limit = last.Start + last.Capacity;
    }

    private void TakeBack()
    {
        Ticket++;
        _user = Nobody;
        _holes.Clear();
        Cut(_end, (int)(_position - _end.Start));
    }

    private void ReturnAll()
    {
        for (Segment? segment = _first; segment is not null; segment = segment.Following) segment.Return();
        _spares.ReturnAll();
    }
}
