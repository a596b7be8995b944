using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

// What the generic reads need to know of a format: how one number is read, or many.
public static unsafe partial class ReaderItems
{
    private interface INumberForm<T>
    {
        static abstract OperationStatus Read(ReadOnlySpan<byte> source, out T value, out int consumed);
    }

    private readonly struct VarintForm : INumberForm<ulong>
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static OperationStatus Read(ReadOnlySpan<byte> source, out ulong value, out int consumed) =>
            Varint.Read(source, out value, out consumed);
    }

    private readonly struct VarintUInt32Form : INumberForm<uint>
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static OperationStatus Read(ReadOnlySpan<byte> source, out uint value, out int consumed) =>
            Varint.Read32(source, out value, out consumed);
    }

    private readonly struct VarintInt32Form : INumberForm<int>
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static OperationStatus Read(ReadOnlySpan<byte> source, out int value, out int consumed)
        {
            OperationStatus status = Varint.Read32(source, out uint wide, out consumed);
            value = (int)wide;
            if (value >= 0) return status;
            value = consumed = 0;
            return OperationStatus.InvalidData;
        }
    }

    private readonly struct PackedLengthForm : INumberForm<ulong>
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static OperationStatus Read(ReadOnlySpan<byte> source, out ulong value, out int consumed) =>
            PackedLength.Read(source, out value, out consumed);
    }

    private readonly struct SortableUIntForm : INumberForm<ulong>
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static OperationStatus Read(ReadOnlySpan<byte> source, out ulong value, out int consumed) =>
            SortableUInt.Read(source, out value, out consumed);
    }

    private interface IMany<T>
    {
        /// <summary>The most bytes that so many numbers have.</summary>
        static abstract long MaxSize(int count);

        static abstract OperationStatus Read(ReadOnlySpan<byte> source, Span<T> values, out int consumed);
    }

    private readonly struct Varints32 : IMany<uint>
    {
        public static long MaxSize(int count) => (long)Varint.MaxSize32 * count;

        public static OperationStatus Read(ReadOnlySpan<byte> source, Span<uint> values, out int consumed) =>
            Varint.ReadMany(source, values, out consumed, out _);
    }

    private readonly struct VarintsInt32 : IMany<int>
    {
        public static long MaxSize(int count) => Varints32.MaxSize(count);

        public static OperationStatus Read(ReadOnlySpan<byte> source, Span<int> values, out int consumed)
        {
            OperationStatus status = Varints32.Read(source, MemoryMarshal.Cast<int, uint>(values), out consumed);
            if (status != OperationStatus.Done || !values.ContainsAnyExceptInRange(0, int.MaxValue)) return status;
            return OperationStatus.InvalidData;
        }
    }

    private readonly struct Varints64 : IMany<ulong>
    {
        public static long MaxSize(int count) => (long)Varint.MaxSize * count;

        public static OperationStatus Read(ReadOnlySpan<byte> source, Span<ulong> values, out int consumed) =>
            Varint.ReadMany(source, values, out consumed, out _);
    }

    private readonly struct VarintsInt64 : IMany<long>
    {
        public static long MaxSize(int count) => Varints64.MaxSize(count);

        public static OperationStatus Read(ReadOnlySpan<byte> source, Span<long> values, out int consumed)
        {
            OperationStatus status = Varints64.Read(source, MemoryMarshal.Cast<long, ulong>(values), out consumed);
            if (status != OperationStatus.Done || !values.ContainsAnyExceptInRange(0, long.MaxValue)) return status;
            return OperationStatus.InvalidData;
        }
    }

    private readonly struct ZigZags64 : IMany<long>
    {
        public static long MaxSize(int count) => Varints64.MaxSize(count);

        public static OperationStatus Read(ReadOnlySpan<byte> source, Span<long> values, out int consumed) =>
            Varint.ReadManyZigZag(source, values, out consumed, out _);
    }

    private readonly struct ZigZags32 : IMany<int>
    {
        public static long MaxSize(int count) => Varints32.MaxSize(count);

        public static OperationStatus Read(ReadOnlySpan<byte> source, Span<int> values, out int consumed) =>
            Varint.ReadManyZigZag(source, values, out consumed, out _);
    }

    private readonly struct Batch : IMany<uint>
    {
        public static long MaxSize(int count) => UIntBatch.MaxSize(count);

        public static OperationStatus Read(ReadOnlySpan<byte> source, Span<uint> values, out int consumed) =>
            UIntBatch.ReadMany(source, values, out consumed, out _);
    }
}
