using System.Buffers;

namespace MemPrims.Codecs;

/// <summary>Numbers that are written and read many at a time. The answers are those of <see cref="Varint"/>'s own members.</summary>
internal interface IBulk<T>
{
    static abstract int Size(T value);

    static abstract OperationStatus WriteMany(ReadOnlySpan<T> values, Span<byte> destination, out int count, out int written);

    static abstract OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<T> values, out int consumed, out int count);
}

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
