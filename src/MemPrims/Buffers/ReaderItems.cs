using System.Buffers;
using System.Runtime.CompilerServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// The reads of named items, once for both readers: TryReadX and ReadX for each WriteX of an appender. Most of them name a codec. The
/// others read blocks, frames, and many numbers at a time.
/// </summary>
public static class ReaderItems
{
    extension<TReader>(ref TReader from)
        where TReader : struct, IReader, allows ref struct
    {
        /// <summary>Reads what WriteBigEndian wrote: <see cref="BigEndian{T}"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryReadBigEndian<T>(out T value)
            where T : unmanaged => from.TryRead<BigEndian<T>, T>(out value);

        /// <inheritdoc cref="TryReadBigEndian"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public T ReadBigEndian<T>()
            where T : unmanaged => from.Read<BigEndian<T>, T>();

        /// <summary>Reads a <see cref="Varint"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryReadVarint(out ulong value) => from.TryRead<Varint, ulong>(out value);

        /// <inheritdoc cref="TryReadVarint"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ulong ReadVarint() => from.Read<Varint, ulong>();

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
        public long ReadZigZag() => Varint.UnZigZag(from.Read<Varint, ulong>());

        /// <summary>Reads a number of WriteSortableUInt, ascending or descending.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryReadSortableUInt(out ulong value, bool descending = false) =>
            descending ? TryReadDescending(ref from, out value) : from.TryRead<SortableUInt, ulong>(out value);

        /// <inheritdoc cref="TryReadSortableUInt"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ulong ReadSortableUInt(bool descending = false) =>
            TryReadSortableUInt(ref from, out ulong value, descending) ? value : throw Failure(in from, "sortable number");

        /// <summary>Reads a signed number of WriteSortableInt.</summary>
        public bool TryReadSortableInt(out long value, bool descending = false)
        {
            Span<byte> part = stackalloc byte[SortableKey.MaxSizeOfInt];
            return Taken(ref from, SortableKey.ReadInt(part[..from.Peek(part)], out value, out int consumed, descending), consumed);
        }

        /// <inheritdoc cref="TryReadSortableInt"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        public long ReadSortableInt(bool descending = false) =>
            TryReadSortableInt(ref from, out long value, descending) ? value : throw Failure(in from, "sortable number");

        /// <summary>Reads a double of WriteSortableDouble.</summary>
        public bool TryReadSortableDouble(out double value, bool descending = false)
        {
            Span<byte> part = stackalloc byte[SortableKey.SizeOfDouble];
            return Taken(ref from, SortableKey.ReadDouble(part[..from.Peek(part)], out value, out int consumed, descending), consumed);
        }

        /// <inheritdoc cref="TryReadSortableDouble"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        public double ReadSortableDouble(bool descending = false) =>
            TryReadSortableDouble(ref from, out double value, descending) ? value : throw Failure(in from, "sortable double");

        /// <summary>Reads a block of WriteSortableBlock into <paramref name="destination"/>.</summary>
        public bool TryReadSortableBlock(scoped Span<byte> destination, out int written, bool descending = false)
        {
            bool isLimited = from.MaxLength < destination.Length;
            if (isLimited) destination = destination[..from.MaxLength];
            OperationStatus status = SortableKey.ReadBlock(from.Unread, destination, out int consumed, out written, descending);
            if (status == OperationStatus.NeedMoreData && from.GoesOn)
            {
                // A part has at most two bytes for each byte of the block, and two for its end.
                byte[] whole = Gather(ref from, 2L * destination.Length + 2, out int size);
                status = SortableKey.ReadBlock(whole.AsSpan(0, size), destination, out consumed, out written, descending);
                ArrayPool<byte>.Shared.Return(whole);
            }
            if (status == OperationStatus.DestinationTooSmall && isLimited) status = OperationStatus.InvalidData;
            return Taken(ref from, status, consumed);
        }

        /// <inheritdoc cref="TryReadSortableBlock"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        /// <exception cref="ArgumentException">The destination is too short.</exception>
        public int ReadSortableBlock(scoped Span<byte> destination, bool descending = false) =>
            TryReadSortableBlock(ref from, destination, out int written, descending) ? written : throw Failure(in from, "sortable block");

        /// <summary>Reads a text of WriteSortableText.</summary>
        public bool TryReadSortableText(out string text, bool descending = false)
        {
            OperationStatus status = SortableKey.ReadText(from.Unread, from.MaxLength, out string? found, out int consumed, descending);
            // Nobody knows where the text ends. Each turn gathers twice as many bytes, so the work is in proportion to the text and not to
            // the source.
            bool goesOn = from.GoesOn;
            for (long most = FirstGather; status == OperationStatus.NeedMoreData && goesOn; most *= 2)
            {
                byte[] whole = Gather(ref from, most, out int size);
                status = SortableKey.ReadText(whole.AsSpan(0, size), from.MaxLength, out found, out consumed, descending);
                ArrayPool<byte>.Shared.Return(whole);
                goesOn = size == most;
            }
            text = found!;
            return Taken(ref from, status, consumed);
        }

        /// <inheritdoc cref="TryReadSortableText"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        public string ReadSortableText(bool descending = false) =>
            TryReadSortableText(ref from, out string text, descending) ? text : throw Failure(in from, "sortable text");

        /// <summary>Reads the length before a block or a text. One above <see cref="IReader.MaxLength"/> is InvalidData.</summary>
        public bool TryReadLength(out int length)
        {
            OperationStatus status = PeekLength(ref from, out length, out int consumed);
            return Taken(ref from, status, consumed);
        }

        /// <inheritdoc cref="TryReadLength"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        public int ReadLength() => TryReadLength(ref from, out int length) ? length : throw Failure(in from, "length");

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

        /// <summary>Fills <paramref name="values"/> with numbers of WriteVarints. If it fails, their content has no meaning.</summary>
        /// <remarks>A number that does not fit the type is InvalidData.</remarks>
        public bool TryReadVarints<T>(scoped Span<T> values)
            where T : unmanaged => TryReadMany<TReader, VarintForm<T>, T>(ref from, values);

        /// <inheritdoc cref="TryReadVarints"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        public void ReadVarints<T>(scoped Span<T> values)
            where T : unmanaged => Demand(ref from, TryReadVarints(ref from, values), Varints);

        /// <summary>Fills <paramref name="values"/> with numbers of WriteZigZags. If it fails, their content has no meaning.</summary>
        /// <remarks>A number that does not fit the type is InvalidData.</remarks>
        public bool TryReadZigZags<T>(scoped Span<T> values)
            where T : unmanaged => TryReadMany<TReader, ZigZagForm<T>, T>(ref from, values);

        /// <inheritdoc cref="TryReadZigZags"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        public void ReadZigZags<T>(scoped Span<T> values)
            where T : unmanaged => Demand(ref from, TryReadZigZags(ref from, values), Varints);

        /// <summary>Fills <paramref name="values"/> with a batch of WriteUIntBatch. If it fails, their content has no meaning.</summary>
        public bool TryReadUIntBatch(scoped Span<uint> values) => TryReadMany<TReader, UIntBatch, uint>(ref from, values);

        /// <inheritdoc cref="TryReadUIntBatch"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        public void ReadUIntBatch(scoped Span<uint> values) => Demand(ref from, TryReadUIntBatch(ref from, values), "batch");

        /// <summary>Copies the payload of a frame of WriteFrame.</summary>
        public bool TryReadFrame(scoped Span<byte> destination, long position, out int written, uint seed = 0)
        {
            written = 0;
            Span<byte> header = stackalloc byte[Frame.HeaderSize];
            OperationStatus status = Frame.ReadHeader(header[..from.Peek(header)], position, out int length);
            if (status != OperationStatus.Done) return from.Fail(status);
            if (length > from.MaxLength) return from.Fail(OperationStatus.InvalidData);
            if (length > from.Remaining - Frame.HeaderSize) return from.Fail(OperationStatus.NeedMoreData);
            if (length > destination.Length) return from.Fail(OperationStatus.DestinationTooSmall);
            byte[] whole = Gather(ref from, Frame.HeaderSize + (long)length, out int size);
            status = Frame.Read(whole.AsSpan(0, size), position, out ReadOnlySpan<byte> payload, out int consumed, seed);
            payload.CopyTo(destination);
            written = payload.Length;
            ArrayPool<byte>.Shared.Return(whole);
            return Taken(ref from, status, consumed);
        }

        /// <inheritdoc cref="TryReadFrame"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        /// <exception cref="ArgumentException">The destination is too short.</exception>
        public int ReadFrame(scoped Span<byte> destination, long position, uint seed = 0) =>
            TryReadFrame(ref from, destination, position, out int written, seed) ? written : throw Failure(in from, "frame");
    }

    private const string Varints = "list of varints";

    // How many bytes are gathered first of an item of unknown length.
    private const int FirstGather = 256;

    /// <summary>
    /// Reads a value of a codec where a segment ends inside it, or where it fails. Bytes are gathered only as the value needs them.
    /// </summary>
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

    /// <summary>Reads a text of any length, in any number of segments.</summary>
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

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool TryReadDescending<TReader>(ref TReader from, out ulong value)
        where TReader : struct, IReader, allows ref struct
    {
        Span<byte> part = stackalloc byte[SortableUInt.MaxSize];
        OperationStatus status = SortableKey.ReadUInt(part[..from.Peek(part)], out value, out int consumed, descending: true);
        return Taken(ref from, status, consumed);
    }

    // Reads the numbers where they lie. If a segment ends among them, it copies as many bytes as they can have at most, and reads those.
    private static bool TryReadMany<TReader, TBulk, T>(ref TReader from, scoped Span<T> values)
        where TReader : struct, IReader, allows ref struct
        where TBulk : IBulk<T>
        where T : unmanaged
    {
        if (!TBulk.IsSupported) BufferErrors.NotSuchNumbers(typeof(T));
        OperationStatus status = TBulk.ReadMany(from.Unread, values, out int consumed, out _);
        if (status == OperationStatus.NeedMoreData && from.GoesOn)
        {
            long most = (long)values.Length * (Unsafe.SizeOf<T>() == sizeof(uint) ? Varint.MaxSize32 : Varint.MaxSize);
            byte[] whole = Gather(ref from, most, out int size);
            status = TBulk.ReadMany(whole.AsSpan(0, size), values, out consumed, out _);
            ArrayPool<byte>.Shared.Return(whole);
        }
        return Taken(ref from, status, consumed);
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

    private static void Demand<TReader>(ref TReader from, bool isRead, string item)
        where TReader : struct, IReader, allows ref struct
    {
        if (!isRead) throw Failure(in from, item);
    }

    private static Exception Failure<TReader>(ref readonly TReader from, string item)
        where TReader : struct, IReader, allows ref struct => ReadErrors.Of(from.Status, item, from.Position, from.Remaining);
}
