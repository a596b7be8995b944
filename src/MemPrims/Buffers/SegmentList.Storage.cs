using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Buffers;

// The chain of segments, and what the appenders ask of it. Segments double from 4 KiB to 1 MiB. Those that a cut list no longer needs are kept
// on two stacks, with and without an array, so that a list that is filled again and again allocates nothing.
public sealed unsafe partial class SegmentList
{
    private Segment? _spareArrays, _spareLinks;

    /// <summary>Opens an appender with room for so many bytes; where they begin.</summary>
    internal byte* Begin(long bytes)
    {
        if (bytes < 0) BufferErrors.NegativeLength(nameof(bytes), bytes);
        // Before anything is opened, so that a reservation that cannot be had leaves the list as it was.
        Refuse();
        byte* at = Limit - _position >= bytes ? _position : Extend(_position, bytes);
        _isOpen = true;
        Ticket++;
        return at;
    }

    /// <summary>Goes on in a segment with room for so many bytes more; where they begin. The caller takes <see cref="Limit"/> and <see cref="Ticket"/> anew.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static byte* Refill(SegmentList? list, byte* position, long bytes, int ticket)
    {
        list = CheckTicket(list, ticket);
        if (list.Limit - position >= bytes) return position;
        position = list.Extend(position, bytes);
        list.Ticket++;
        return position;
    }

    /// <summary>Copies a block that does not fit into the room that is left; where it ends. The caller takes <see cref="Limit"/> and <see cref="Ticket"/> anew.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static byte* WriteAcross(SegmentList? list, byte* position, ReadOnlySpan<byte> source, int ticket)
    {
        list = CheckTicket(list, ticket);
        try
        {
            position = list.WriteAcross(position, source);
        }
        catch
        {
            // There was no memory for all of it: the appender is behind its list now.
            list.TakeBack();
            list._failedTicket = ticket;
            throw;
        }
        list.Ticket++;
        return position;
    }

    /// <summary>Makes what an appender wrote a part of the list, and closes it.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void Publish(byte* position, int ticket)
    {
        if (ticket == _failedTicket) return;
        CheckTicket(this, ticket);
        _end = _tail;
        _position = position;
        _isOpen = false;
        Ticket++;
    }

    /// <summary>Drops what an appender wrote, and closes it.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void Cancel(int ticket)
    {
        if (ticket == _failedTicket) return;
        CheckTicket(this, ticket);
        TakeBack();
    }

    /// <summary>A write went past a reservation: drops what its appender wrote. Its Dispose, on the way out, then has nothing to say.</summary>
    [DoesNotReturn]
    internal static void FailOverrun(SegmentList? list, int ticket, long room, long needed) => throw Overrun(list, ticket, room, needed);

    /// <summary>The position in the list of a place in the working segment.</summary>
    internal long PositionOf(byte* place) => _tail.Position + (place - _tail.Start);

    // The appender that overran its reservation; tickets begin at 1.
    private int _failedTicket;

    private static Exception Overrun(SegmentList? list, int ticket, long room, long needed)
    {
        list = CheckTicket(list, ticket);
        list.TakeBack();
        list._failedTicket = ticket;
        return BufferErrors.Overrun(room, needed);
    }

    private static SegmentList CheckTicket(SegmentList? list, int ticket)
    {
        if (list is null || ticket == 0) BufferErrors.AppenderIsClosed();
        ObjectDisposedException.ThrowIf(list!._isDisposed, list);
        if (list.Ticket != ticket || !list._isOpen) BufferErrors.AppenderIsStale();
        return list;
    }

    private void Refuse()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_isOpen) BufferErrors.AppenderIsOpen();
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
        _isOpen = false;
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
