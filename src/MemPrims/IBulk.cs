using System.Buffers;

namespace MemPrims;

/// <summary>Numbers that are written and read many at a time. The answers are those of <see cref="Codecs.Varint"/>.</summary>
internal interface IBulk<T>
{
    static abstract int Size(T value);

    static abstract OperationStatus WriteMany(ReadOnlySpan<T> values, Span<byte> destination, out int count, out int written);

    static abstract OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<T> values, out int consumed, out int count);
}
