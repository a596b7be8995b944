using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// The reads of named items, once for both readers: TryReadX and ReadX for each WriteX of an appender. Most of them name a codec. The
/// others read blocks.
/// </summary>
public static class ReaderItems
{
    extension<TReader>(ref TReader from)
        where TReader : struct, IReader, allows ref struct
    {
        /// <summary>Reads a <see cref="Varint"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryReadVarint(out ulong value) => from.TryRead<Varint, ulong>(out value);

        /// <summary>Reads a <see cref="Varint"/> that fits 32 bits. A greater one is InvalidData.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryReadVarintUInt32(out uint value) => from.TryRead<Varint, uint>(out value);

        /// <inheritdoc cref="TryReadVarintUInt32"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public uint ReadVarintUInt32() => from.Read<Varint, uint>();

        /// <summary>Reads a <see cref="Varint"/> that fits an int, a count for example. A greater one is InvalidData.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryReadVarintInt32(out int value) => from.TryRead<Varint, int>(out value);

        /// <inheritdoc cref="TryReadVarintInt32"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public int ReadVarintInt32() => from.Read<Varint, int>();

        /// <summary>Reads a signed number of WriteZigZag.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryReadZigZag(out long value)
        {
            bool isRead = from.TryRead<Varint, ulong>(out ulong folded);
            value = Varint.UnZigZag(folded);
            return isRead;
        }

        /// <inheritdoc cref="TryReadZigZag"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public long ReadZigZag() => Varint.UnZigZag(from.ReadVarint());

        // Reads the length before a block or a text. One above IReader.MaxLength is InvalidData.
        internal bool TryReadLength(out int length)
        {
            OperationStatus status = PeekLength(ref from, out length, out int consumed);
            return Taken(ref from, status, consumed);
        }

        /// <summary>Copies a block of WriteBlock.</summary>
        public bool TryReadBlock(scoped Span<byte> destination, out int written)
        {
            written = 0;
            OperationStatus status = PeekLength(ref from, out int length, out int consumed);
            if (status == OperationStatus.Done && length > from.Remaining - consumed) status = OperationStatus.NeedMoreData;
            if (status == OperationStatus.Done && length > destination.Length) status = OperationStatus.DestinationTooSmall;
            if (status != OperationStatus.Done) return from.Fail(status);
            from.Advance(consumed);
            written = from.Peek(destination[..length]);
            from.Advance(written);
            return true;
        }

        /// <inheritdoc cref="TryReadBlock"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        /// <exception cref="ArgumentException">The destination is too short.</exception>
        public int ReadBlock(scoped Span<byte> destination) =>
            TryReadBlock(ref from, destination, out int written) ? written : throw Failure(in from, "block");

        /// <summary>Fills the destination with the next bytes, or copies none if fewer are left.</summary>
        public bool TryReadBytes(scoped Span<byte> destination)
        {
            if (destination.Length > from.Remaining) return from.Fail(OperationStatus.NeedMoreData);
            from.Advance(from.Peek(destination));
            return true;
        }

        /// <inheritdoc cref="TryReadBytes"/>
        /// <exception cref="DamagedDataException">Fewer are left.</exception>
        public void ReadBytes(scoped Span<byte> destination)
        {
            if (!TryReadBytes(ref from, destination)) throw Failure(in from, "run of bytes");
        }
    }

    // How many bytes are gathered first of an item of unknown length.
    private const int FirstGather = 256;

    // Reads a value of a codec where a segment ends inside it, or where it fails. Bytes are gathered only as the value needs them.
    internal static bool TryReadSlow<TReader, TCodec, TValue>(ref TReader from, out TValue value)
        where TReader : struct, IReader, allows ref struct
        where TCodec : ICodec<TCodec, TValue>
    {
        bool isBounded = TCodec.MaxSize != int.MaxValue;
        // A value that takes all is told from one byte too many.
        long limit = isBounded ? TCodec.MaxSize + (TCodec.TakesAll ? 1 : 0) : Math.Min(from.MaxLength, Array.MaxLength);
        if (limit < 0) BufferErrors.NegativeMaxSize(TCodec.Name, TCodec.MaxSize);
        ReadOnlySpan<byte> source = from.Unread;
        bool goesOn = from.GoesOn || source.Length > limit;
        if (source.Length > limit) source = source[..(int)limit];
        OperationStatus status = TCodec.Read(source, out value, out int consumed);
        int given = source.Length;
        long most = isBounded ? limit : Math.Max(FirstGather, 2L * source.Length);
        // A value that takes all takes the next segment too.
        while (from.GoesOn && (status == OperationStatus.NeedMoreData || TCodec.TakesAll) && source.Length < limit)
        {
            byte[] whole = Gather(ref from, Math.Min(most, limit), out int size);
            status = TCodec.Read(whole.AsSpan(0, size), out value, out consumed);
            given = size;
            ArrayPool<byte>.Shared.Return(whole);
            goesOn = size < from.Remaining;
            if (size == limit || !goesOn) break;
            most *= 2;
        }
        if (status == OperationStatus.Done && (uint)consumed > (uint)given) BufferErrors.ConsumedTooMuch(TCodec.Name, consumed, given);
        // More bytes are there than a value may have.
        if (status == OperationStatus.NeedMoreData && goesOn) status = OperationStatus.InvalidData;
        return Taken(ref from, status, consumed);
    }

    // Reads a text of any length, in any number of segments.
    internal static bool TryReadLongText<TReader>(ref TReader from, out string text)
        where TReader : struct, IReader, allows ref struct
    {
        OperationStatus status = Text.Read(from.Unread, from.MaxLength, out text, out int consumed);
        if (status == OperationStatus.NeedMoreData && from.GoesOn)
        {
            status = PeekLength(ref from, out int length, out int prefix);
            if (status == OperationStatus.Done && length > from.Remaining - prefix) status = OperationStatus.NeedMoreData;
            if (status == OperationStatus.Done)
            {
                byte[] whole = Gather(ref from, prefix + (long)length, out int size);
                status = Text.Read(whole.AsSpan(0, size), from.MaxLength, out text, out consumed);
                ArrayPool<byte>.Shared.Return(whole);
            }
        }
        return Taken(ref from, status, consumed);
    }

    private static OperationStatus PeekLength<TReader>(ref TReader from, out int length, out int consumed)
        where TReader : struct, IReader, allows ref struct
    {
        Span<byte> bytes = stackalloc byte[PackedLength.MaxSize];
        OperationStatus status = PackedLength.Read(bytes[..from.Peek(bytes)], out ulong wide, out consumed);
        if (status == OperationStatus.Done && wide > (ulong)from.MaxLength) status = OperationStatus.InvalidData;
        length = status == OperationStatus.Done ? (int)wide : 0;
        return status;
    }

    // Moves past an item that was read. One that was not read consumes nothing.
    private static bool Taken<TReader>(ref TReader from, OperationStatus status, int consumed)
        where TReader : struct, IReader, allows ref struct
    {
        if (status != OperationStatus.Done) return from.Fail(status);
        from.Advance(consumed);
        return true;
    }

    // Copies the next bytes to one array: as many as are left, and at most that many.
    private static byte[] Gather<TReader>(ref TReader from, long most, out int size)
        where TReader : struct, IReader, allows ref struct
    {
        size = (int)Math.Min(Math.Min(from.Remaining, most), Array.MaxLength);
        byte[] whole = ArrayPool<byte>.Shared.Rent(size);
        from.Peek(whole.AsSpan(0, size));
        return whole;
    }

    private static Exception Failure<TReader>(ref readonly TReader from, string item)
        where TReader : struct, IReader, allows ref struct => ReadErrors.Of(from.Status, item, from.Position, from.Remaining);
}
