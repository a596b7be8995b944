using MemPrims.Codecs;

namespace MemPrims.Buffers;

// Numbers that are not negative, as varints. Signed ones have the bits of unsigned ones.
internal readonly unsafe struct VarintForm<T> : IBulk<T>
    where T : unmanaged
{
    public static bool IsSupported =>
        typeof(T) == typeof(uint) || typeof(T) == typeof(ulong) || typeof(T) == typeof(int) || typeof(T) == typeof(long);

    public static int Size(T value) =>
        Varint.Size(sizeof(T) == sizeof(uint) ? Unsafe.BitCast<T, uint>(value) : Unsafe.BitCast<T, ulong>(value));

    public static int IndexOfRefused(ReadOnlySpan<T> values) =>
        typeof(T) == typeof(int) ? MemoryMarshal.Cast<T, int>(values).IndexOfAnyExceptInRange(0, int.MaxValue)
        : typeof(T) == typeof(long) ? MemoryMarshal.Cast<T, long>(values).IndexOfAnyExceptInRange(0, long.MaxValue) : -1;

    public static OperationStatus WriteMany(ReadOnlySpan<T> values, Span<byte> destination, out int count, out int written) =>
        sizeof(T) == sizeof(uint) ? Varint.WriteMany(MemoryMarshal.Cast<T, uint>(values), destination, out count, out written)
        : Varint.WriteMany(MemoryMarshal.Cast<T, ulong>(values), destination, out count, out written);

    public static OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<T> values, out int consumed, out int count)
    {
        OperationStatus status = sizeof(T) == sizeof(uint)
            ? Varint.ReadMany(source, MemoryMarshal.Cast<T, uint>(values), out consumed, out count)
            : Varint.ReadMany(source, MemoryMarshal.Cast<T, ulong>(values), out consumed, out count);
        return IndexOfRefused(values[..count]) < 0 ? status : OperationStatus.InvalidData;
    }
}
