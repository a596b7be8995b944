using MemPrims.Codecs;

namespace MemPrims.Buffers;

// Signed numbers, as varints of their ZigZag.
internal readonly unsafe struct ZigZagForm<T> : IBulk<T>
    where T : unmanaged
{
    public static bool IsSupported => typeof(T) == typeof(int) || typeof(T) == typeof(long);

    public static int Size(T value) =>
        Varint.Size(Varint.ZigZag(sizeof(T) == sizeof(int) ? Unsafe.BitCast<T, int>(value) : Unsafe.BitCast<T, long>(value)));

    public static OperationStatus WriteMany(ReadOnlySpan<T> values, Span<byte> destination, out int count, out int written) =>
        sizeof(T) == sizeof(int)
            ? Varint.Write<int, Varint.Signed32>(MemoryMarshal.Cast<T, int>(values), destination, out count, out written)
            : Varint.Write<long, Varint.Signed>(MemoryMarshal.Cast<T, long>(values), destination, out count, out written);

    public static OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<T> values, out int consumed, out int count) =>
        sizeof(T) == sizeof(int)
            ? Varint.Read<int, Varint.Signed32>(source, MemoryMarshal.Cast<T, int>(values), out consumed, out count)
            : Varint.Read<long, Varint.Signed>(source, MemoryMarshal.Cast<T, long>(values), out consumed, out count);
}
