namespace MemPrims.Buffers;

// What the three appenders are: a place in a list, and room up to an end. They differ only in TRoom. Here is how a writer gets room and
// how it ends; Writer.Items has what it writes.
//
// The JIT keeps all four fields in registers through a loop of writes, as long as no address of the writer leaves the loop. So a slow
// method takes a copy (Lend) and returns it.
internal unsafe ref partial struct Writer<TRoom>
    where TRoom : IRoom
{
    // The end is null when the writer is closed, so every checked write then takes the slow path, which throws. Inside a value that
    // encodes itself the list is null, and the ticket is the handle of the value's type, which errors name.
    private SegmentList? _list;
    private byte* _position, _end;
    private long _ticket;

    // Opens a writer that has room for `bytes` bytes in one segment, or more if its room grows.
    public Writer(SegmentList list, long bytes)
    {
        _position = SegmentList.Begin(list, bytes);
        _list = list;
        _end = typeof(TRoom) == typeof(Growing) ? list.Limit : _position + bytes;
        _ticket = list.Ticket;
    }

    // The writer of a value that encodes itself.
    public Writer(byte* position, byte* end, long type)
    {
        _position = position;
        _end = end;
        _ticket = type;
    }

    public readonly byte* Place => _position;

    public readonly byte* End => _end;

    public readonly long RoomLeft => _end - _position;

    public readonly long Position => IsInValue ? 0 : SegmentList.PositionOf(_list, _position, _end, _ticket);

    public readonly ReadOnlySequence<byte> Written => SegmentList.WrittenBy(_list, _position, _end, _ticket);

    // A list that is null and a ticket of 0 are a writer that was never opened.
    private readonly bool IsInValue => typeof(TRoom) == typeof(Unchecked) && _list is null && _ticket != 0;

    // Makes room for `bytes` bytes in one segment, and returns where the next byte goes.
    // One comparison. Asking the list at every write whether this is still its appender cost a fifth of the time ("Appending u64"). So a
    // copy that is out of date is noticed only at the end of its segment and at Commit.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Claim(long bytes)
    {
        byte* at = _position;
        if (typeof(TRoom) != typeof(Unchecked) && (at + bytes > _end || bytes < 0))
        {
            byte* end = _end;
            _end = null;
            if (typeof(TRoom) != typeof(Growing)) SegmentList.FailOverrun(_list, _ticket, end - at, bytes);
            _position = at = SegmentList.GoOn(_list, at, end, _ticket, bytes);
            _end = _list!.Limit;
            _ticket = _list.Ticket;
        }
        return at;
    }

    // Writes a block.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(scoped ReadOnlySpan<byte> source)
    {
        byte* at = _position;
        if (typeof(TRoom) == typeof(Growing) && at + source.Length > _end)
        {
            byte* end = _end;
            _end = null;
            _position = SegmentList.GoOn(_list, at, end, _ticket, 0, source);
            _end = _list!.Limit;
            _ticket = _list.Ticket;
            return;
        }
        if (typeof(TRoom) != typeof(Unchecked) && typeof(TRoom) != typeof(Growing)) at = Claim(source.Length);
        Block.CopyOneOfMany(new Span<byte>(at, source.Length), source);
        _position = at + source.Length;
    }

    // Writes a value that encodes itself. It is measured once, and then written without checks.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct
    {
        byte* end = _end;
        // The writer is closed while code of the value runs. If that throws, it stays closed.
        _end = null;
        if (typeof(TRoom) == typeof(Unchecked))
        {
            // The reservation, or the bound of the outer value, includes this one.
            UnsafeAppender to = new(_position, end, Encodable.Name<T>());
            T.Encode(in value, ref to);
            if (to.End != end) BufferErrors.ThrowEncodeGaveAnother(typeof(T));
            _end = end;
            _position = to.Place;
            return;
        }
        int bound = Encodable.Bound(in value);
        _end = end;
        byte* at = Claim(bound);
        end = _end;
        _end = null;
        _position = Encodable.Encode(in value, at, bound, typeof(TRoom) == typeof(Growing) ? end : _list!.Limit);
        _end = end;
    }

    public Hole LeaveHole(int bytes)
    {
        if (IsInValue) BufferErrors.ThrowNoHoleInAValue();
        if (bytes < 0) Dispose();
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        byte* at = Claim(bytes);
        if (_end == null) BufferErrors.ThrowAppenderIsClosed();
        Hole hole = _list!.Register(at, bytes);
        _position = at + bytes;
        return hole;
    }

    public void Commit()
    {
        if (IsInValue) BufferErrors.ThrowValueCannotClose();
        byte* position = _position, end = _end;
        long ticket = Close();
        // Other memory may be damaged already, but the list is not: nothing is published.
        if (typeof(TRoom) == typeof(Unchecked) && end != null && position > end) SegmentList.FailOverrun(_list, ticket, 0, position - end);
        SegmentList.Publish(_list, position, end, ticket);
    }

    // Drops what was written, unless the writer is closed already.
    // Inlined, so that a `using` does not take the address of the writer: it needs none of the fields that a write changes.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        if (_ticket == 0 || typeof(TRoom) == typeof(Unchecked) && _list is null) return;
        long ticket = Close();
        _list!.Drop(ticket);
    }

    // An unchecked write finds no end to stop at, so a closed writer has no place either.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long Close()
    {
        long ticket = _ticket;
        _end = null;
        if (typeof(TRoom) == typeof(Unchecked)) _position = null;
        _ticket = 0;
        return ticket;
    }

    // A copy for a slow method. The writer is closed until the copy comes back, and stays closed if the method throws.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Writer<TRoom> Lend()
    {
        Writer<TRoom> lent = this;
        _end = null;
        return lent;
    }
}
