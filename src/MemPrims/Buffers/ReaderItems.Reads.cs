using System.Buffers;
using System.Runtime.CompilerServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

// The reads that throw: one for each TryRead.
public static unsafe partial class ReaderItems
{
    extension<TReader>(ref TReader from)
        where TReader : struct, IReader, allows ref struct
    {
        /// <inheritdoc cref="TryRead"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public T Read<T>()
            where T : unmanaged
        {
            OperationStatus status = TryRead(ref from, out T value);
            if (status != OperationStatus.Done) Fail(ref from, status, typeof(T).Name);
            return value;
        }

        /// <inheritdoc cref="TryReadBigEndian"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public T ReadBigEndian<T>()
            where T : unmanaged => Scalar.Swap(Read<TReader, T>(ref from));

        /// <inheritdoc cref="TryReadWithPadding"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public T ReadWithPadding<T>()
            where T : unmanaged
        {
            OperationStatus status = TryReadWithPadding(ref from, out T value);
            if (status != OperationStatus.Done) Fail(ref from, status, typeof(T).Name);
            return value;
        }

        /// <inheritdoc cref="TryReadVarint"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ulong ReadVarint()
        {
            OperationStatus status = TryReadVarint(ref from, out ulong value);
            if (status != OperationStatus.Done) Fail(ref from, status, "varint");
            return value;
        }

        /// <inheritdoc cref="TryReadVarintUInt32"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public uint ReadVarintUInt32()
        {
            OperationStatus status = TryReadVarintUInt32(ref from, out uint value);
            if (status != OperationStatus.Done) Fail(ref from, status, "varint of 32 bits");
            return value;
        }

        /// <inheritdoc cref="TryReadVarintInt32"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public int ReadVarintInt32()
        {
            OperationStatus status = TryReadVarintInt32(ref from, out int value);
            if (status != OperationStatus.Done) Fail(ref from, status, "varint that fits an int");
            return value;
        }

        /// <inheritdoc cref="TryReadZigZag"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public long ReadZigZag() => Varint.UnZigZag(ReadVarint(ref from));

        /// <inheritdoc cref="TryReadPackedLength"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ulong ReadPackedLength()
        {
            OperationStatus status = TryReadPackedLength(ref from, out ulong value);
            if (status != OperationStatus.Done) Fail(ref from, status, "packed length");
            return value;
        }

        /// <inheritdoc cref="TryReadSortableUInt{TReader}(ref TReader, out ulong)"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ulong ReadSortableUInt()
        {
            OperationStatus status = TryReadSortableUInt(ref from, out ulong value);
            if (status != OperationStatus.Done) Fail(ref from, status, "sortable number");
            return value;
        }

        /// <inheritdoc cref="TryReadSortableUInt{TReader}(ref TReader, out ulong, bool)"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public ulong ReadSortableUInt(bool descending)
        {
            OperationStatus status = TryReadSortableUInt(ref from, out ulong value, descending);
            if (status != OperationStatus.Done) Fail(ref from, status, "sortable number");
            return value;
        }

        /// <inheritdoc cref="TryReadLastUInt"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public ulong ReadLastUInt()
        {
            OperationStatus status = TryReadLastUInt(ref from, out ulong value);
            if (status != OperationStatus.Done) Fail(ref from, status, "last number");
            return value;
        }

        /// <inheritdoc cref="TryReadLength"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public int ReadLength()
        {
            OperationStatus status = TryReadLength(ref from, out int value);
            if (status != OperationStatus.Done) Fail(ref from, status, "length");
            return value;
        }

        /// <inheritdoc cref="TryReadBlock"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        /// <exception cref="ArgumentException">The destination is too short.</exception>
        public int ReadBlock(scoped Span<byte> destination)
        {
            OperationStatus status = TryReadBlock(ref from, destination, out int written);
            if (status != OperationStatus.Done) Fail(ref from, status, "block");
            return written;
        }

        /// <inheritdoc cref="TryReadBytes"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public void ReadBytes(scoped Span<byte> destination)
        {
            OperationStatus status = TryReadBytes(ref from, destination);
            if (status != OperationStatus.Done) Fail(ref from, status, "run of bytes");
        }

        /// <inheritdoc cref="TryReadText"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public string ReadText()
        {
            OperationStatus status = TryReadText(ref from, out string? value);
            if (status != OperationStatus.Done) Fail(ref from, status, "text");
            return value!;
        }

        /// <inheritdoc cref="TryReadVarints{TReader}(ref TReader, Span{uint})"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        [OverloadResolutionPriority(1)]
        public void ReadVarints(scoped Span<uint> values)
        {
            OperationStatus status = TryReadVarints(ref from, values);
            if (status != OperationStatus.Done) Fail(ref from, status, "list of varints");
        }

        /// <inheritdoc cref="TryReadVarints{TReader}(ref TReader, Span{ulong})"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public void ReadVarints(scoped Span<ulong> values)
        {
            OperationStatus status = TryReadVarints(ref from, values);
            if (status != OperationStatus.Done) Fail(ref from, status, "list of varints");
        }

        /// <inheritdoc cref="TryReadVarints{TReader}(ref TReader, Span{int})"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public void ReadVarints(scoped Span<int> values)
        {
            OperationStatus status = TryReadVarints(ref from, values);
            if (status != OperationStatus.Done) Fail(ref from, status, "list of varints");
        }

        /// <inheritdoc cref="TryReadVarints{TReader}(ref TReader, Span{long})"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public void ReadVarints(scoped Span<long> values)
        {
            OperationStatus status = TryReadVarints(ref from, values);
            if (status != OperationStatus.Done) Fail(ref from, status, "list of varints");
        }

        /// <inheritdoc cref="TryReadZigZags{TReader}(ref TReader, Span{long})"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        [OverloadResolutionPriority(1)]
        public void ReadZigZags(scoped Span<long> values)
        {
            OperationStatus status = TryReadZigZags(ref from, values);
            if (status != OperationStatus.Done) Fail(ref from, status, "list of varints");
        }

        /// <inheritdoc cref="TryReadZigZags{TReader}(ref TReader, Span{int})"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public void ReadZigZags(scoped Span<int> values)
        {
            OperationStatus status = TryReadZigZags(ref from, values);
            if (status != OperationStatus.Done) Fail(ref from, status, "list of varints");
        }

        /// <inheritdoc cref="TryReadUIntBatch"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public void ReadUIntBatch(scoped Span<uint> values)
        {
            OperationStatus status = TryReadUIntBatch(ref from, values);
            if (status != OperationStatus.Done) Fail(ref from, status, "batch");
        }

        /// <inheritdoc cref="TryReadSortableInt"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public long ReadSortableInt(bool descending = false)
        {
            OperationStatus status = TryReadSortableInt(ref from, out long value, descending);
            if (status != OperationStatus.Done) Fail(ref from, status, "sortable number");
            return value;
        }

        /// <inheritdoc cref="TryReadSortableDouble"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public double ReadSortableDouble(bool descending = false)
        {
            OperationStatus status = TryReadSortableDouble(ref from, out double value, descending);
            if (status != OperationStatus.Done) Fail(ref from, status, "sortable double");
            return value;
        }

        /// <inheritdoc cref="TryReadSortableBlock"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        /// <exception cref="ArgumentException">The destination is too short.</exception>
        public int ReadSortableBlock(scoped Span<byte> destination, bool descending = false)
        {
            OperationStatus status = TryReadSortableBlock(ref from, destination, out int written, descending);
            if (status != OperationStatus.Done) Fail(ref from, status, "sortable block");
            return written;
        }

        /// <inheritdoc cref="TryReadSortableText"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        public string ReadSortableText(bool descending = false)
        {
            OperationStatus status = TryReadSortableText(ref from, out string? value, descending);
            if (status != OperationStatus.Done) Fail(ref from, status, "sortable text");
            return value!;
        }

        /// <inheritdoc cref="TryReadFrame"/>
        /// <exception cref="DamagedDataException">The source ends too soon, or has no such item here.</exception>
        /// <exception cref="ArgumentException">The destination is too short.</exception>
        public int ReadFrame(scoped Span<byte> destination, long position, uint seed = 0)
        {
            OperationStatus status = TryReadFrame(ref from, destination, position, out int written, seed);
            if (status != OperationStatus.Done) Fail(ref from, status, "frame");
            return written;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Fail<TReader>(ref TReader from, OperationStatus status, string item)
        where TReader : struct, IReader, allows ref struct
    {
        if (status == OperationStatus.DestinationTooSmall) throw ReadErrors.TooSmall(item, from.Position);
        throw ReadErrors.Of(status, item, from.Position, from.Remaining);
    }
}
