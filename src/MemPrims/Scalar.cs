namespace MemPrims;

// Which types are written as they lie in memory: those without padding, whose layout is the same on every machine. The JIT decides the
// tests below when it compiles, so they cost nothing.
internal static class Scalar
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Is<T>()
        where T : unmanaged => typeof(T).IsPrimitive || typeof(T).IsEnum || typeof(T) == typeof(Guid) || typeof(T) == typeof(Int128)
            || typeof(T) == typeof(UInt128) || typeof(T) == typeof(Half);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Require<T>()
        where T : unmanaged
    {
        if (!Is<T>()) Refuse(typeof(T));
    }

    // Reverses the bytes of a number. Those of a Guid are put in the order of its text.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe T Swap<T>(T value)
        where T : unmanaged
    {
        Require<T>();
        if (typeof(T) == typeof(Guid)) return Unsafe.BitCast<Guid, T>(new(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value)),
            bigEndian: true));
        return sizeof(T) switch
        {
            1 => value,
            2 => Unsafe.BitCast<ushort, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, ushort>(value))),
            4 => Unsafe.BitCast<uint, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, uint>(value))),
            8 => Unsafe.BitCast<ulong, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, ulong>(value))),
            _ => Unsafe.BitCast<UInt128, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, UInt128>(value))),
        };
    }

    [DoesNotReturn]
    public static void Refuse(Type type) =>
        throw new NotSupportedException($"{type} is not a primitive, an enum, Guid, Int128, UInt128 or Half, and may have padding bytes. "
            + (type == typeof(decimal) ? "Write the four numbers of decimal.GetBits."
                : type == typeof(DateTime) || type == typeof(DateTimeOffset) || type == typeof(TimeSpan) ? "Write its Ticks."
                : "Write its fields one by one, or make it IEncodable. The codec AnyBytes writes it as it lies in memory."));
}
