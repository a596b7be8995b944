namespace MemPrims;

// The word of 8 bytes as the narrowest vector: the scalar tier runs the same loops with it.
internal readonly struct Bytes64(ulong value) : IVector<Bytes64>
{
    private readonly ulong _value = value;

    public static int Size => sizeof(ulong);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes64 Load(ref byte block, nint offset) => new(Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref block, offset)));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Bytes64 vector, ref byte block, nint offset) =>
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref block, offset), vector._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes64 Difference(Bytes64 left, Bytes64 right) => new(left._value ^ right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes64 Either(Bytes64 left, Bytes64 right) => new(left._value | right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(Bytes64 vector) => vector._value == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Bytes64 left, Bytes64 right) => DifferentBytes(left._value, right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong GreaterBytes(Bytes64 left, Bytes64 right) => GreaterBytes(left._value, right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(ulong left, ulong right) =>
        left == right ? 0 : 1ul << (BitOperations.TrailingZeroCount(left ^ right) >> 3);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong GreaterBytes(ulong left, ulong right) =>
        DifferentBytes(left, right)
        & (0ul - Unsafe.BitCast<bool, byte>(BinaryPrimitives.ReverseEndianness(left) > BinaryPrimitives.ReverseEndianness(right)));
}
