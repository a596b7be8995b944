namespace MemPrims;

// 64 bytes.
internal readonly struct Bytes512(Vector512<byte> value) : IVector<Bytes512>
{
    private readonly Vector512<byte> _value = value;

    public static int Size => 64;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes512 Load(ref byte block, nint offset) => new(Vector512.LoadUnsafe(ref block, (nuint)offset));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Bytes512 vector, ref byte block, nint offset) => vector._value.StoreUnsafe(ref block, (nuint)offset);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes512 Difference(Bytes512 left, Bytes512 right) => new(left._value ^ right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes512 Either(Bytes512 left, Bytes512 right) => new(left._value | right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(Bytes512 vector) => vector._value == Vector512<byte>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Bytes512 left, Bytes512 right) =>
        Avx512BW.CompareNotEqual(left._value, right._value).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong GreaterBytes(Bytes512 left, Bytes512 right) =>
        Avx512BW.CompareGreaterThan(left._value, right._value).ExtractMostSignificantBits();
}
