using MemPrims.Codecs;

namespace MemPrims.Buffers;

// The reads where a segment ends, and those that fail. A call on the reader itself would pass its address, and the JIT would then keep its
// fields in memory, for the fast reads too.
public ref partial struct SegmentReader
{
    // How many bytes are gathered first of an item of unknown length.
    private const int FirstGather = 256;

    private readonly bool GoesOn => _before + _length < _total;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Moved<TValue> ReadSlow<TCodec, TValue>(SegmentReader from)
        where TCodec : ICodec<TCodec, TValue> => from.TryReadAcross<TCodec, TValue>(out TValue value) ? new(from, value)
            : throw BufferErrors.NoItem(from.Status, TCodec.Name, from.Position, from.Remaining);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Moved<(bool, TValue)> TryReadSlow<TCodec, TValue>(SegmentReader from)
        where TCodec : ICodec<TCodec, TValue>
    {
        bool isRead = from.TryReadAcross<TCodec, TValue>(out TValue value);
        return new(from, (isRead, value));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Moved<(bool, int)> ReadBlockSlow(SegmentReader from, scoped Span<byte> destination)
    {
        SegmentReader start = from;
        if (!from.TryReadBlock(out ReadOnlySequence<byte> block)) return new(from, (false, 0));
        if (block.Length <= destination.Length)
        {
            block.CopyTo(destination);
            return new(from, (true, (int)block.Length));
        }
        start.Status = OperationStatus.DestinationTooSmall;
        return new(start, (false, 0));
    }

    // Reads a text of any length, in any number of segments.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Moved<(bool, string?)> ReadTextSlow(SegmentReader from)
    {
        OperationStatus status = Text.Read(from.Unread, from.MaxLength, out string? text, out int consumed);
        if (status == OperationStatus.NeedMoreData && from.GoesOn)
        {
            status = from.PeekLength(out int length, out int prefix);
            if (status == OperationStatus.Done && length > from.Remaining - prefix) status = OperationStatus.NeedMoreData;
            if (status == OperationStatus.Done)
            {
                byte[] whole = from.Gather(prefix + (long)length, out int size);
                status = Text.Read(whole.AsSpan(0, size), from.MaxLength, out text, out consumed);
                ArrayPool<byte>.Shared.Return(whole);
            }
        }
        bool isRead = from.Taken(status, consumed);
        return new(from, (isRead, text));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static SegmentReader AdvanceAcross(SegmentReader from, long bytes)
    {
        if ((ulong)bytes > (ulong)from.Remaining) BufferErrors.ThrowAdvancedPastTheEnd(bytes, from.Remaining);
        while (bytes >= from._length - from._at && from._before + from._length < from._total)
        {
            bytes -= from._length - from._at;
            from.NextSegment();
        }
        from._at += (int)bytes;
        return from;
    }

    // Moves to the next segment that has bytes, or to an empty one at the end.
    private void NextSegment()
    {
        _before += _length;
        _length = _at = 0;
        for (SequencePosition at = _next; _length == 0 && _source.TryGet(ref _next, out ReadOnlyMemory<byte> memory); at = _next)
        {
            _current = at;
            _start = ref MemoryMarshal.GetReference(memory.Span);
            _length = memory.Length;
        }
        long there = _before + _length;
        if (_length == 0 ? there < _total : there > _total) BufferErrors.ThrowSequenceHasAnotherLength(_total, there);
    }

    // Reads a value of a codec where a segment ends inside it, or where it fails. Bytes are gathered only as the value needs them.
    private bool TryReadAcross<TCodec, TValue>(out TValue value)
        where TCodec : ICodec<TCodec, TValue>
    {
        bool isBounded = TCodec.MaxSize != int.MaxValue;
        // A value that takes all is told from one byte too many.
        long limit = isBounded ? TCodec.MaxSize + (TCodec.TakesAll ? 1 : 0) : Math.Min(MaxLength, Array.MaxLength);
        if (limit < 0) BufferErrors.ThrowNegativeMaxSize(TCodec.Name, TCodec.MaxSize);
        ReadOnlySpan<byte> source = Unread;
        bool goesOn = GoesOn || source.Length > limit;
        if (source.Length > limit) source = source[..(int)limit];
        OperationStatus status = TCodec.Read(source, out value, out int consumed);
        int given = source.Length;
        long most = isBounded ? limit : Math.Max(FirstGather, 2L * source.Length);
        // A value that takes all takes the next segment too.
        while (GoesOn && (status == OperationStatus.NeedMoreData || TCodec.TakesAll) && source.Length < limit)
        {
            byte[] whole = Gather(Math.Min(most, limit), out int size);
            status = TCodec.Read(whole.AsSpan(0, size), out value, out consumed);
            given = size;
            ArrayPool<byte>.Shared.Return(whole);
            goesOn = size < Remaining;
            if (size == limit || !goesOn) break;
            most *= 2;
        }
        if (status == OperationStatus.Done && (uint)consumed > (uint)given)
            BufferErrors.ThrowConsumedTooMuch(TCodec.Name, consumed, given);
        // More bytes are there than a value may have.
        if (status == OperationStatus.NeedMoreData && goesOn) status = OperationStatus.InvalidData;
        return Taken(status, consumed);
    }

    // The length before a block or a text. One above MaxLength is InvalidData.
    private readonly OperationStatus PeekLength(out int length, out int consumed)
    {
        Span<byte> bytes = stackalloc byte[PackedLength.MaxSize];
        OperationStatus status = PackedLength.Read(bytes[..Peek(bytes)], out ulong wide, out consumed);
        if (status == OperationStatus.Done && wide > (ulong)MaxLength) status = OperationStatus.InvalidData;
        length = status == OperationStatus.Done ? (int)wide : 0;
        return status;
    }

    // Moves past an item that was read. One that was not read consumes nothing.
    private bool Taken(OperationStatus status, int consumed)
    {
        if (status == OperationStatus.Done) Advance(consumed);
        else Status = status;
        return status == OperationStatus.Done;
    }

    // Copies the next bytes to one array: as many as are left, and at most that many.
    private readonly byte[] Gather(long most, out int size)
    {
        size = (int)Math.Min(Math.Min(Remaining, most), Array.MaxLength);
        byte[] whole = ArrayPool<byte>.Shared.Rent(size);
        Peek(whole.AsSpan(0, size));
        return whole;
    }

    // Copies the next bytes without moving: as many as the destination takes or the source has. Returns how many.
    private readonly int Peek(scoped Span<byte> destination)
    {
        int size = Math.Min(destination.Length, _length - _at);
        Unread[..size].CopyTo(destination);
        // The walk begins at the current segment. From the beginning of the source it would take a step for each earlier segment.
        SequencePosition next = _next;
        while (size < destination.Length && _source.TryGet(ref next, out ReadOnlyMemory<byte> memory))
        {
            int part = Math.Min(destination.Length - size, memory.Length);
            memory.Span[..part].CopyTo(destination[size..]);
            size += part;
        }
        if (size != Math.Min(destination.Length, Remaining)) BufferErrors.ThrowSequenceHasAnotherLength(_total, Position + size);
        return size;
    }

    // A reader after a read, and what it found.
    private readonly ref struct Moved<T>(SegmentReader reader, T value)
    {
        public readonly SegmentReader Reader = reader;
        public readonly T Value = value;
    }
}
