using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// The reads of both readers. What WriteX wrote, TryReadX reads and answers with a status; ReadX reads the same and throws.
/// <see cref="OperationStatus.NeedMoreData"/>: the source ends before the item does. <see cref="OperationStatus.InvalidData"/>: WriteX
/// never writes such bytes. In both cases the reader has not moved.
/// </summary>
public static unsafe partial class ReaderItems
{
    extension<TReader>(ref TReader from)
        where TReader : struct, IReader, allows ref struct
    {
        /// <summary>Reads a primitive, an enum, a Guid, an Int128, a UInt128 or a Half. A bool is 0 or 1, or InvalidData.</summary>
        /// <exception cref="NotSupportedException">Any other type: it might have padding.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryRead<T>(out T value)
            where T : unmanaged
        {
            Scalar.Require<T>();
            ReadOnlySpan<byte> unread = from.Unread;
            if (unread.Length < sizeof(T)) return ReadAcross(ref from, out value);
            if (typeof(T) == typeof(bool) && unread[0] > 1)
            {
                // A bool of any other byte is neither true nor false: the caller never gets one.
                value = default;
                return OperationStatus.InvalidData;
            }
            value = Unsafe.ReadUnaligned<T>(ref MemoryMarshal.GetReference(unread));
            from.Advance(sizeof(T));
            return OperationStatus.Done;
        }

        /// <summary>Reads what WriteBigEndian wrote: the high byte first, a Guid in the order of its text.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryReadBigEndian<T>(out T value)
            where T : unmanaged
        {
            OperationStatus status = TryRead(ref from, out value);
            if (status == OperationStatus.Done) value = Scalar.Swap(value);
            return status;
        }

        /// <summary>Reads a struct of WriteWithPadding. Any bytes are taken as one.</summary>
        public OperationStatus TryReadWithPadding<T>(out T value)
            where T : unmanaged
        {
            if (from.Unread.Length < sizeof(T)) return ReadAcross(ref from, out value);
            value = Unsafe.ReadUnaligned<T>(ref MemoryMarshal.GetReference(from.Unread));
            from.Advance(sizeof(T));
            return OperationStatus.Done;
        }

        /// <summary>Reads a <see cref="Varint"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryReadVarint(out ulong value) => ReadNumber<TReader, ulong, VarintForm>(ref from, out value);

        /// <summary>Reads a <see cref="Varint"/> that fits 32 bits. A greater one is InvalidData.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryReadVarintUInt32(out uint value) => ReadNumber<TReader, uint, VarintUInt32Form>(ref from, out value);

        /// <summary>Reads a <see cref="Varint"/> that fits an int, a count for example. A greater one is InvalidData.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryReadVarintInt32(out int value) => ReadNumber<TReader, int, VarintInt32Form>(ref from, out value);

        /// <summary>Reads a signed number of WriteZigZag.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryReadZigZag(out long value)
        {
            OperationStatus status = TryReadVarint(ref from, out ulong folded);
            value = Varint.UnZigZag(folded);
            return status;
        }

        /// <summary>Reads a <see cref="PackedLength"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryReadPackedLength(out ulong value) => ReadNumber<TReader, ulong, PackedLengthForm>(ref from, out value);

        /// <summary>Reads a <see cref="SortableUInt"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryReadSortableUInt(out ulong value) => ReadNumber<TReader, ulong, SortableUIntForm>(ref from, out value);

        /// <summary>Reads a <see cref="LastUInt"/>: all the bytes that are left.</summary>
        public OperationStatus TryReadLastUInt(out ulong value)
        {
            Span<byte> bytes = stackalloc byte[LastUInt.MaxSize + 1];
            OperationStatus status = LastUInt.Read(bytes[..from.Peek(bytes)], out value, out int consumed);
            if (status == OperationStatus.Done) from.Advance(consumed);
            return status;
        }

        /// <summary>Reads the length before a block or a text. One above <see cref="IReader.MaxLength"/> is InvalidData.</summary>
        public OperationStatus TryReadLength(out int length)
        {
            ulong wide = 0;
            length = 0;
            ReadOnlySpan<byte> unread = from.Unread;
            OperationStatus status = PackedLength.Read(unread, out wide, out int consumed);
            if (status == OperationStatus.NeedMoreData && from.GoesOn)
            {
                Span<byte> bytes = stackalloc byte[PackedLength.MaxSize];
                status = PackedLength.Read(bytes[..from.Peek(bytes)], out wide, out consumed);
            }
            if (status != OperationStatus.Done) return status;
            if (wide > (ulong)from.MaxLength) return OperationStatus.InvalidData;
            length = (int)wide;
            from.Advance(consumed);
            return OperationStatus.Done;
        }

        /// <summary>
        /// Copies a block of WriteBlock. <see cref="OperationStatus.DestinationTooSmall"/>: the block is longer than the destination.
        /// </summary>
        public OperationStatus TryReadBlock(scoped Span<byte> destination, out int written)
        {
            written = 0;
            Span<byte> prefix = stackalloc byte[PackedLength.MaxSize];
            OperationStatus status = PackedLength.Read(prefix[..from.Peek(prefix)], out ulong length, out int consumed);
            if (status != OperationStatus.Done) return status;
            if (length > (ulong)from.MaxLength) return OperationStatus.InvalidData;
            if (length > (ulong)(from.Remaining - consumed)) return OperationStatus.NeedMoreData;
            if (length > (ulong)destination.Length) return OperationStatus.DestinationTooSmall;
            from.Advance(consumed);
            written = from.Peek(destination[..(int)length]);
            from.Advance(written);
            return OperationStatus.Done;
        }

        /// <summary>Fills the destination with the next bytes, or copies none if fewer are left.</summary>
        public OperationStatus TryReadBytes(scoped Span<byte> destination)
        {
            if (destination.Length > from.Remaining) return OperationStatus.NeedMoreData;
            from.Advance(from.Peek(destination));
            return OperationStatus.Done;
        }

        /// <summary>Reads a text of WriteText as a string.</summary>
        public OperationStatus TryReadText(out string? text)
        {
            text = null;
            Span<byte> prefix = stackalloc byte[PackedLength.MaxSize];
            OperationStatus status = PackedLength.Read(prefix[..from.Peek(prefix)], out ulong wide, out int consumed);
            if (status != OperationStatus.Done) return status;
            if (wide > (ulong)from.MaxLength) return OperationStatus.InvalidData;
            if (wide > (ulong)(from.Remaining - consumed)) return OperationStatus.NeedMoreData;
            // No array holds so many bytes, so nobody wrote such a text.
            if (wide > (ulong)(Array.MaxLength - consumed)) return OperationStatus.InvalidData;
            int length = (int)wide, size = consumed + length;
            if (from.Unread.Length >= size) text = Utf8Text.Read(from.Unread.Slice(consumed, length));
            else
            {
                byte[] whole = ArrayPool<byte>.Shared.Rent(size);
                from.Peek(whole.AsSpan(0, size));
                text = Utf8Text.Read(whole.AsSpan(consumed, length));
                ArrayPool<byte>.Shared.Return(whole);
            }
            if (text is null) return OperationStatus.InvalidData;
            from.Advance(size);
            return OperationStatus.Done;
        }

        /// <summary>Fills <paramref name="values"/> with numbers of WriteVarints. If it fails, their content has no meaning.</summary>
        [OverloadResolutionPriority(1)]
        public OperationStatus TryReadVarints(scoped Span<uint> values) => ReadMany<TReader, uint, Varints32>(ref from, values);

        /// <inheritdoc cref="TryReadVarints{TReader}(ref TReader, Span{uint})"/>
        public OperationStatus TryReadVarints(scoped Span<ulong> values) => ReadMany<TReader, ulong, Varints64>(ref from, values);

        /// <inheritdoc cref="TryReadVarints{TReader}(ref TReader, Span{uint})"/>
        /// <remarks>A number that does not fit an int is InvalidData.</remarks>
        public OperationStatus TryReadVarints(scoped Span<int> values) => ReadMany<TReader, int, VarintsInt32>(ref from, values);

        /// <inheritdoc cref="TryReadVarints{TReader}(ref TReader, Span{uint})"/>
        /// <remarks>A number that does not fit a long is InvalidData.</remarks>
        public OperationStatus TryReadVarints(scoped Span<long> values) => ReadMany<TReader, long, VarintsInt64>(ref from, values);

        /// <summary>Fills <paramref name="values"/> with numbers of WriteZigZags. If it fails, their content has no meaning.</summary>
        [OverloadResolutionPriority(1)]
        public OperationStatus TryReadZigZags(scoped Span<long> values) => ReadMany<TReader, long, ZigZags64>(ref from, values);

        /// <inheritdoc cref="TryReadZigZags{TReader}(ref TReader, Span{long})"/>
        /// <remarks>A number that does not fit an int is InvalidData.</remarks>
        public OperationStatus TryReadZigZags(scoped Span<int> values) => ReadMany<TReader, int, ZigZags32>(ref from, values);

        /// <summary>Fills <paramref name="values"/> with a batch of WriteUIntBatch. If it fails, their content has no meaning.</summary>
        public OperationStatus TryReadUIntBatch(scoped Span<uint> values) => ReadMany<TReader, uint, Batch>(ref from, values);

        /// <summary>Reads a number of WriteSortableUInt, ascending or descending.</summary>
        public OperationStatus TryReadSortableUInt(out ulong value, bool descending)
        {
            Span<byte> part = stackalloc byte[SortableUInt.MaxSize];
            OperationStatus status = SortableKey.ReadUInt(part[..from.Peek(part)], out value, out int consumed, descending);
            from.Advance(consumed);
            return status;
        }

        /// <summary>Reads a signed number of WriteSortableInt.</summary>
        public OperationStatus TryReadSortableInt(out long value, bool descending = false)
        {
            Span<byte> part = stackalloc byte[SortableKey.MaxSizeOfInt];
            OperationStatus status = SortableKey.ReadInt(part[..from.Peek(part)], out value, out int consumed, descending);
            from.Advance(consumed);
            return status;
        }

        /// <summary>Reads a double of WriteSortableDouble.</summary>
        public OperationStatus TryReadSortableDouble(out double value, bool descending = false)
        {
            Span<byte> part = stackalloc byte[SortableKey.SizeOfDouble];
            OperationStatus status = SortableKey.ReadDouble(part[..from.Peek(part)], out value, out int consumed, descending);
            from.Advance(consumed);
            return status;
        }

        /// <summary>Reads a block of WriteSortableBlock into <paramref name="destination"/>.</summary>
        public OperationStatus TryReadSortableBlock(scoped Span<byte> destination, out int written, bool descending = false)
        {
            bool isLimited = from.MaxLength < destination.Length;
            if (isLimited) destination = destination[..from.MaxLength];
            OperationStatus status = SortableKey.ReadBlock(from.Unread, destination, out written, out int consumed, descending);
            if (status == OperationStatus.NeedMoreData && from.GoesOn)
            {
                // A part has at most two bytes for each byte of the block, and two for its end.
                byte[] whole = Gather(ref from, 2L * destination.Length + 2, out int size);
                status = SortableKey.ReadBlock(whole.AsSpan(0, size), destination, out written, out consumed, descending);
                ArrayPool<byte>.Shared.Return(whole);
            }
            if (status == OperationStatus.DestinationTooSmall && isLimited) return OperationStatus.InvalidData;
            from.Advance(consumed);
            return status;
        }

        /// <summary>Reads a text of WriteSortableText.</summary>
        public OperationStatus TryReadSortableText(out string? text, bool descending = false)
        {
            OperationStatus status = SortableKey.ReadText(from.Unread, from.MaxLength, out text, out int consumed, descending);
            // Nobody knows where the text ends. Each turn gathers twice as many bytes, so the work is in proportion to the text and not to
            // the source.
            bool goesOn = from.GoesOn;
            for (long most = 256; status == OperationStatus.NeedMoreData && goesOn; most *= 2)
            {
                byte[] whole = Gather(ref from, most, out int size);
                status = SortableKey.ReadText(whole.AsSpan(0, size), from.MaxLength, out text, out consumed, descending);
                ArrayPool<byte>.Shared.Return(whole);
                goesOn = size == most;
            }
            from.Advance(consumed);
            return status;
        }

        /// <summary>Copies the payload of a frame of WriteFrame.</summary>
        public OperationStatus TryReadFrame(scoped Span<byte> destination, long position, out int written, uint seed = 0)
        {
            written = 0;
            Span<byte> header = stackalloc byte[Frame.HeaderSize];
            OperationStatus status = Frame.ReadHeader(header[..from.Peek(header)], position, out int length);
            if (status != OperationStatus.Done) return status;
            if (length > from.MaxLength) return OperationStatus.InvalidData;
            if (length > from.Remaining - Frame.HeaderSize) return OperationStatus.NeedMoreData;
            if (length > destination.Length) return OperationStatus.DestinationTooSmall;
            byte[] whole = Gather(ref from, Frame.HeaderSize + (long)length, out int size);
            status = Frame.Read(whole.AsSpan(0, size), position, out ReadOnlySpan<byte> payload, out int consumed, seed);
            payload.CopyTo(destination);
            written = payload.Length;
            ArrayPool<byte>.Shared.Return(whole);
            from.Advance(consumed);
            return status;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static OperationStatus ReadNumber<TReader, T, TForm>(ref TReader from, out T value)
        where TReader : struct, IReader, allows ref struct
        where TForm : INumberForm<T>
    {
        OperationStatus status = TForm.Read(from.Unread, out value, out int consumed);
        if (status == OperationStatus.NeedMoreData && from.GoesOn) return ReadNumberAcross<TReader, T, TForm>(ref from, out value);
        from.Advance(consumed);
        return status;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static OperationStatus ReadNumberAcross<TReader, T, TForm>(ref TReader from, out T value)
        where TReader : struct, IReader, allows ref struct
        where TForm : INumberForm<T>
    {
        Span<byte> bytes = stackalloc byte[PackedLength.MaxSize];
        OperationStatus status = TForm.Read(bytes[..from.Peek(bytes)], out value, out int consumed);
        from.Advance(consumed);
        return status;
    }

    // Reads the numbers where they lie. If a segment ends among them, it copies as many bytes as they can have at most, and reads those.
    private static OperationStatus ReadMany<TReader, T, TMany>(ref TReader from, scoped Span<T> values)
        where TReader : struct, IReader, allows ref struct
        where TMany : IMany<T>
    {
        OperationStatus status = TMany.Read(from.Unread, values, out int consumed);
        if (status == OperationStatus.NeedMoreData && from.GoesOn)
        {
            byte[] whole = Gather(ref from, TMany.MaxSize(values.Length), out int size);
            status = TMany.Read(whole.AsSpan(0, size), values, out consumed);
            ArrayPool<byte>.Shared.Return(whole);
        }
        if (status == OperationStatus.Done) from.Advance(consumed);
        return status;
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

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static OperationStatus ReadAcross<TReader, T>(ref TReader from, out T value)
        where TReader : struct, IReader, allows ref struct
        where T : unmanaged
    {
        T whole = default;
        value = default;
        Span<byte> bytes = MemoryMarshal.AsBytes(new Span<T>(ref whole));
        if (from.Peek(bytes) < sizeof(T)) return OperationStatus.NeedMoreData;
        if (typeof(T) == typeof(bool) && bytes[0] > 1) return OperationStatus.InvalidData;
        value = whole;
        from.Advance(sizeof(T));
        return OperationStatus.Done;
    }
}
