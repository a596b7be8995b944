namespace MemPrims;

// 16 bytes.
internal readonly struct Bytes128(Vector128<byte> value) : IVector<Bytes128>
{
    private readonly Vector128<byte> _value = value;

    public static int Size => 16;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes128 Load(ref byte block, nint offset) => new(Vector128.LoadUnsafe(ref block, (nuint)offset));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Bytes128 vector, ref byte block, nint offset) => vector._value.StoreUnsafe(ref block, (nuint)offset);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes128 Difference(Bytes128 left, Bytes128 right) => new(left._value ^ right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes128 Either(Bytes128 left, Bytes128 right) => new(left._value | right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(Bytes128 vector) => vector._value == Vector128<byte>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Bytes128 left, Bytes128 right) =>
        ~Vector128.Equals(left._value, right._value).ExtractMostSignificantBits() & 0xFFFF;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong GreaterBytes(Bytes128 left, Bytes128 right) =>
        ~Vector128.Equals(Vector128.Min(left._value, right._value), left._value).ExtractMostSignificantBits() & 0xFFFF;
}
