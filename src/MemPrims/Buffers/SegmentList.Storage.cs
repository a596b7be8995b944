using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Buffers;

// The chain of segments, and what the appenders ask of it. Segments double from 4 KiB to 1 MiB. Those that a cut list no longer needs are
// kept on two stacks, with and without an array, so that a list that is filled again and again allocates nothing.
public sealed unsafe partial class SegmentList
{
    private Segment? _spareArrays, _spareLinks;

    /// <summary>Opens an appender with room for so many bytes; where they begin.</summary>
    internal byte* Begin(long bytes)
    {
        if (bytes < 0) BufferErrors.NegativeLength(nameof(bytes), bytes);
        // Room comes first: a reservation that cannot be had leaves the list as it was.
        Refuse();
        // An appender has memory even before its first write: an end of null means closed.
        byte* at = Limit != null && Limit - _position >= bytes ? _position : Extend(_position, Math.Max(bytes, 1));
        _user = AnAppender;
        Ticket++;
        return at;
    }

    /// <summary>
    /// Goes on in a segment with room for so many bytes more; where they begin. The caller takes <see cref="Limit"/> and
    /// <see cref="Ticket"/> anew.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static byte* Refill(SegmentList? list, byte* position, byte* end, long bytes, long ticket)
    {
        list = CheckOpen(list, end, ticket);
        try
        {
            position = list.Extend(position, bytes);
        }
        catch
        {
            list.TakeBack();
            throw;
        }
        list.Ticket++;
        return position;
    }

    /// <summary>
    /// Copies a block that does not fit into the room that is left; where it ends. The caller takes <see cref="Limit"/> and
    /// <see cref="Ticket"/> anew.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static byte* WriteAcross(SegmentList? list, byte* position, byte* end, scoped ReadOnlySpan<byte> source, long ticket)
    {
        list = CheckOpen(list, end, ticket);
        try
        {
            position = list.WriteAcross(position, source);
        }
        catch
        {
            list.TakeBack();
            throw;
        }
        list.Ticket++;
        return position;
    }

    /// <summary>Makes what an appender wrote a part of the list, and closes it.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void Publish(SegmentList? list, byte* position, byte* end, long ticket)
    {
        list = CheckOpen(list, end, ticket);
        if (list._holes.FirstOpen(list.Length, out long hole, out int length))
        {
            list.TakeBack();
            BufferErrors.HoleIsOpen(hole, length);
        }
        list._end = list._tail;
        list._position = position;
        list._user = Nobody;
        list.Ticket++;
    }

    /// <summary>
    /// Drops what an appender wrote, and closes it. Nothing happens if it was closed already: then there is nothing left to drop.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void Drop(long ticket)
    {
        if (_user == AnAppender && Ticket == ticket) TakeBack();
    }

    /// <summary>A write went past a reservation: drops what its appender wrote, and throws.</summary>
    [DoesNotReturn]
    internal static void FailOverrun(SegmentList? list, long ticket, long room, long needed) => throw Overrun(list, ticket, room, needed);

    /// <summary>The position in the list of a place of an open appender.</summary>
    internal static long PositionOf(SegmentList? list, byte* place, byte* end, long ticket)
    {
        if (end == null) BufferErrors.AppenderIsClosed();
        return CheckTicket(list, ticket).PositionOf(place);
    }

    /// <summary>What an open appender wrote up to that place.</summary>
    internal static ReadOnlySequence<byte> WrittenBy(SegmentList? list, byte* place, byte* end, long ticket)
    {
        if (end == null) BufferErrors.AppenderIsClosed();
        list = CheckTicket(list, ticket);
        return new(list._end, (int)(list._position - list._end.Start), list._tail, (int)(place - list._tail.Start));
    }

    /// <summary>The CRC-32C of the end of what an appender wrote.</summary>
    internal static uint SumOf(in ReadOnlySequence<byte> written, long position, long from, uint seed)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(from, position);
        ArgumentOutOfRangeException.ThrowIfLessThan(from, position - written.Length);
        return Checksum.Crc32C(written.Slice(written.Length - (position - from)), seed);
    }

    // The position in the list of a place in the working segment.
    private long PositionOf(byte* place) => _tail.Position + (place - _tail.Start);

    private static Exception Overrun(SegmentList? list, long ticket, long room, long needed)
    {
        // Less than no room: the end is null, so the appender is closed.
        if (room < 0) FailClosed(list, ticket);
        list = CheckTicket(list, ticket);
        if (needed < 0) list.TakeBack();
        if (needed < 0) BufferErrors.NegativeLength("bytes", needed);
        list.TakeBack();
        return BufferErrors.Overrun(room, needed);
    }

    private static SegmentList CheckTicket(SegmentList? list, long ticket)
    {
        if (list is null || ticket == 0) BufferErrors.AppenderIsClosed();
        ObjectDisposedException.ThrowIf(list!._user == Disposed, list);
        if (list.Ticket != ticket || list._user != AnAppender) BufferErrors.AppenderIsStale();
        return list;
    }

    // An end of null: a write threw before, and its exception was caught. Nothing of the appender counts then.
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
        BufferErrors.AppenderIsClosed();
    }

    private void Refuse()
    {
        if (_user == Nobody) return;
        ObjectDisposedException.ThrowIf(_user == Disposed, this);
        if (_user == AnAppender) BufferErrors.AppenderIsOpen();
        if (_user == ASource) BufferErrors.SourceIsRead();
        BufferErrors.EncodeUsedTheList(_user);
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

    // Ends the working segment at the position and goes on in another one, or, where it is empty, in an array that is large enough.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* Extend(byte* position, long bytes)
    {
        if (bytes < 0) BufferErrors.NegativeLength(nameof(bytes), bytes);
        if (bytes > SegmentPool.Largest) BufferErrors.TooLargeAtOnce(bytes, SegmentPool.Largest);
        int used = (int)(position - _tail.Start);
        int wanted = (int)Math.Max(bytes, Math.Min(2L * _tail.Capacity, SegmentPool.MaxCapacity));
        Segment next = TakeSpareArray((int)bytes) ?? TakeLink();
        if (!next.Owns) next.Hold(SegmentPool.Rent(wanted));
        if (used > 0)
        {
            _tail.Close(used, next);
            _tail = next;
        }
        else
        {
            // The empty one is in the chain already: only its memory changes.
            if (_tail.GiveUp() is { } smaller) SegmentPool.Return(smaller);
            _tail.TakeOver(next);
            Spare(next);
            if (_end == _tail) _position = _tail.Start;
        }
        Limit = _tail.Start + _tail.Capacity;
        return _tail.Start;
    }

    // Ends the list in that segment; those behind it are kept as spare.
    private void Cut(Segment last, int used)
    {
        Segment? next = last.Following;
        while (next is not null)
        {
            Segment? following = next.Following;
            Spare(next);
            next = following;
        }
        last.Reopen(used);
        _end = _tail = last;
        _position = last.Start + used;
        Limit = last.Start + last.Capacity;
        _holes.Cut(Length);
    }

    private void TakeBack()
    {
        Ticket++;
        _user = Nobody;
        Cut(_end, (int)(_position - _end.Start));
    }

    private void Spare(Segment segment)
    {
        segment.MakeSpare();
        ref Segment? stack = ref segment.Owns ? ref _spareArrays : ref _spareLinks;
        segment.SpareBelow = stack;
        stack = segment;
    }

    private Segment TakeLink()
    {
        Segment link = _spareLinks ?? new();
        _spareLinks = link.SpareBelow;
        link.SpareBelow = null;
        return link;
    }

    // The first that is large enough; all but the first few are of the largest size.
    private Segment? TakeSpareArray(int bytes)
    {
        ref Segment? at = ref _spareArrays;
        while (at is not null && at.Capacity < bytes) at = ref at.SpareBelow;
        Segment? taken = at;
        if (taken is null) return null;
        at = taken.SpareBelow;
        taken.SpareBelow = null;
        return taken;
    }

    private void ReturnAll()
    {
        for (Segment? segment = _first; segment is not null; segment = segment.Following) Return(segment);
        for (; _spareArrays is not null; _spareArrays = _spareArrays.SpareBelow) Return(_spareArrays);
        _spareLinks = null;

        static void Return(Segment segment)
        {
            if (segment.GiveUp() is { } array) SegmentPool.Return(array);
        }
    }
}
