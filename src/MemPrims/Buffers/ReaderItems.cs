using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Every item that the appenders write, read by both readers: what WriteX wrote, TryReadX reads, with a status. Numbers and texts also
/// have
/// ReadX, which throws.
/// <see cref="OperationStatus.NeedMoreData"/>: the source ends before the item does; <see cref="OperationStatus.InvalidData"/>: no such
/// item is ever written. Neither moves the reader.
/// </summary>
public static unsafe class ReaderItems
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
            value = Unsafe.ReadUnaligned<T>(ref MemoryMarshal.GetReference(unread));
            if (typeof(T) == typeof(bool) && unread[0] > 1) return OperationStatus.InvalidData;
            from.Advance(sizeof(T));
            return OperationStatus.Done;
        }

        /// <inheritdoc cref="TryRead"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public T Read<T>()
            where T : unmanaged
        {
            OperationStatus status = TryRead(ref from, out T value);
            if (status != OperationStatus.Done) Fail(ref from, status, typeof(T).Name);
            return value;
        }

        /// <summary>The same with the high byte first; a Guid in the order of its text.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryReadBigEndian<T>(out T value)
            where T : unmanaged
        {
            OperationStatus status = TryRead(ref from, out value);
            if (status == OperationStatus.Done) value = Scalar.Swap(value);
            return status;
        }

        /// <inheritdoc cref="TryReadBigEndian"/>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public T ReadBigEndian<T>()
            where T : unmanaged => Scalar.Swap(Read<TReader, T>(ref from));

        /// <summary>Reads a struct as it lay in memory, padding and all. Any bytes are taken for one.</summary>
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
        public OperationStatus TryReadVarint(out ulong value) => ReadNumber<TReader, VarintForm>(ref from, out value);

        /// <summary>Reads a <see cref="Varint"/>.</summary>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ulong ReadVarint()
        {
            OperationStatus status = TryReadVarint(ref from, out ulong value);
            if (status != OperationStatus.Done) Fail(ref from, status, "varint");
            return value;
        }

        /// <summary>Reads a <see cref="PackedLength"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryReadPackedLength(out ulong value) => ReadNumber<TReader, PackedLengthForm>(ref from, out value);

        /// <summary>Reads a <see cref="PackedLength"/>.</summary>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ulong ReadPackedLength()
        {
            OperationStatus status = TryReadPackedLength(ref from, out ulong value);
            if (status != OperationStatus.Done) Fail(ref from, status, "packed length");
            return value;
        }

        /// <summary>Reads a <see cref="SortableUInt"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryReadSortableUInt(out ulong value) => ReadNumber<TReader, SortableUIntForm>(ref from, out value);

        /// <summary>Reads a <see cref="SortableUInt"/>.</summary>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ulong ReadSortableUInt()
        {
            OperationStatus status = TryReadSortableUInt(ref from, out ulong value);
            if (status != OperationStatus.Done) Fail(ref from, status, "sortable number");
            return value;
        }

        /// <summary>Reads a signed number that WriteZigZag wrote.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public OperationStatus TryReadZigZag(out long value)
        {
            OperationStatus status = TryReadVarint(ref from, out ulong folded);
            value = Varint.UnZigZag(folded);
            return status;
        }

        /// <summary>Reads a signed number that WriteZigZag wrote.</summary>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public long ReadZigZag() => Varint.UnZigZag(ReadVarint(ref from));

        /// <summary>Reads the number that all the bytes left are.</summary>
        public OperationStatus TryReadLastUInt(out ulong value)
        {
            Span<byte> bytes = stackalloc byte[LastUInt.MaxSize + 1];
            OperationStatus status = LastUInt.Read(bytes[..from.Peek(bytes)], out value, out int consumed);
            if (status == OperationStatus.Done) from.Advance(consumed);
            return status;
        }

        /// <summary>Reads the number that all the bytes left are.</summary>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        public ulong ReadLastUInt()
        {
            OperationStatus status = TryReadLastUInt(ref from, out ulong value);
            if (status != OperationStatus.Done) Fail(ref from, status, "last number");
            return value;
        }

        /// <summary>Reads the length before a block or a text, and refuses one above <see cref="IReader.MaxLength"/>.</summary>
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
        /// Copies a block of WriteBlock. <see cref="OperationStatus.DestinationTooSmall"/>: it is longer than the destination.
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

        /// <summary>Copies the next bytes, all that the destination takes, or none.</summary>
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
            // No array holds it, so no string of ours was ever written so long.
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

        /// <summary>Reads a text of WriteText as a string.</summary>
        /// <exception cref="DamagedDataException">There is no such item here.</exception>
        public string ReadText()
        {
            OperationStatus status = TryReadText(ref from, out string? text);
            if (status != OperationStatus.Done) Fail(ref from, status, "text");
            return text!;
        }

        /// <summary>Fills <paramref name="values"/> with numbers of WriteVarints; on anything but Done the reader has not moved.</summary>
        [OverloadResolutionPriority(1)]
        public OperationStatus TryReadVarints(scoped Span<uint> values)
        {
            OperationStatus status = Varint.ReadMany(from.Unread, values, out int consumed, out _);
            if (status == OperationStatus.NeedMoreData && from.GoesOn)
            {
                byte[] whole = Gather(ref from, (long)Varint.MaxSize32 * values.Length, out int size);
                status = Varint.ReadMany(whole.AsSpan(0, size), values, out consumed, out _);
                ArrayPool<byte>.Shared.Return(whole);
            }
            if (status == OperationStatus.Done) from.Advance(consumed);
            return status;
        }

        /// <summary>Fills <paramref name="values"/> with numbers of WriteVarints; on anything but Done the reader has not moved.</summary>
        public OperationStatus TryReadVarints(scoped Span<ulong> values)
        {
            OperationStatus status = Varint.ReadMany(from.Unread, values, out int consumed, out _);
            if (status == OperationStatus.NeedMoreData && from.GoesOn)
            {
                byte[] whole = Gather(ref from, (long)Varint.MaxSize * values.Length, out int size);
                status = Varint.ReadMany(whole.AsSpan(0, size), values, out consumed, out _);
                ArrayPool<byte>.Shared.Return(whole);
            }
            if (status == OperationStatus.Done) from.Advance(consumed);
            return status;
        }

        /// <summary>Fills <paramref name="values"/> with numbers of WriteZigZags; on anything but Done the reader has not moved.</summary>
        public OperationStatus TryReadZigZags(scoped Span<long> values)
        {
            OperationStatus status = TryReadVarints(ref from, MemoryMarshal.Cast<long, ulong>(values));
            if (status == OperationStatus.Done)
                foreach (ref long value in values) value = Varint.UnZigZag((ulong)value);
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
                // At most two bytes for each of the block, and two for its end: what is longer is told as such.
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
            // Where the text ends is not known beforehand. Twice as many bytes each time: the work stays in proportion to the text, not
            // to the source.
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

        /// <summary>
        /// Fills <paramref name="values"/> with a batch of WriteUIntBatch; on anything but Done the reader has not moved.
        /// </summary>
        public OperationStatus TryReadUIntBatch(scoped Span<uint> values)
        {
            OperationStatus status = UIntBatch.ReadMany(from.Unread, values, out int consumed, out _);
            if (status == OperationStatus.NeedMoreData && from.GoesOn)
            {
                byte[] whole = Gather(ref from, UIntBatch.MaxSize(values.Length), out int size);
                status = UIntBatch.ReadMany(whole.AsSpan(0, size), values, out consumed, out _);
                ArrayPool<byte>.Shared.Return(whole);
            }
            if (status == OperationStatus.Done) from.Advance(consumed);
            return status;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static OperationStatus ReadNumber<TReader, TForm>(ref TReader from, out ulong value)
        where TReader : struct, IReader, allows ref struct
        where TForm : INumberForm
    {
        OperationStatus status = TForm.Read(from.Unread, out value, out int consumed);
        if (status == OperationStatus.NeedMoreData && from.GoesOn) return ReadNumberAcross<TReader, TForm>(ref from, out value);
        from.Advance(consumed);
        return status;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static OperationStatus ReadNumberAcross<TReader, TForm>(ref TReader from, out ulong value)
        where TReader : struct, IReader, allows ref struct
        where TForm : INumberForm
    {
        Span<byte> bytes = stackalloc byte[PackedLength.MaxSize];
        OperationStatus status = TForm.Read(bytes[..from.Peek(bytes)], out value, out int consumed);
        from.Advance(consumed);
        return status;
    }

    // The next bytes side by side, as many as there are and as an item can have at most.
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

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Fail<TReader>(ref TReader from, OperationStatus status, string item)
        where TReader : struct, IReader, allows ref struct => throw ReadErrors.Of(status, item, from.Position, from.Remaining);

    private interface INumberForm
    {
        static abstract OperationStatus Read(ReadOnlySpan<byte> source, out ulong value, out int consumed);
    }

    private readonly struct VarintForm : INumberForm
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static OperationStatus Read(ReadOnlySpan<byte> source, out ulong value, out int consumed) => Varint.Read(source,
            out value, out consumed);
    }

    private readonly struct PackedLengthForm : INumberForm
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static OperationStatus Read(ReadOnlySpan<byte> source, out ulong value, out int consumed) => PackedLength.Read(source,
            out value, out consumed);
    }

    private readonly struct SortableUIntForm : INumberForm
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static OperationStatus Read(ReadOnlySpan<byte> source, out ulong value, out int consumed) => SortableUInt.Read(source,
            out value, out consumed);
    }
}
