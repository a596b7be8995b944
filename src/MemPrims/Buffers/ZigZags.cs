using System.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>Signed numbers as varints of their ZigZag.</summary>
internal readonly struct ZigZags : IBulk<int>, IBulk<long>
{
    public static int Size(int value) => Varint.SizeZigZag(value);

    public static int Size(long value) => Varint.SizeZigZag(value);

    public static OperationStatus WriteMany(ReadOnlySpan<int> values, Span<byte> destination, out int count, out int written) =>
        Varint.WriteManyZigZag(values, destination, out count, out written);

    public static OperationStatus WriteMany(ReadOnlySpan<long> values, Span<byte> destination, out int count, out int written) =>
        Varint.WriteManyZigZag(values, destination, out count, out written);

    public static OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<int> values, out int consumed, out int count) =>
        Varint.ReadManyZigZag(source, values, out consumed, out count);

    public static OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<long> values, out int consumed, out int count) =>
        Varint.ReadManyZigZag(source, values, out consumed, out count);
}
