namespace MemPrims;

// 32 bytes.
internal readonly struct Bytes256(Vector256<byte> value) : IVector<Bytes256>
{
    private readonly Vector256<byte> _value = value;

    public static int Size => 32;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes256 Load(ref byte block, nint offset) => new(Vector256.LoadUnsafe(ref block, (nuint)offset));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Bytes256 vector, ref byte block, nint offset) => vector._value.StoreUnsafe(ref block, (nuint)offset);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes256 Difference(Bytes256 left, Bytes256 right) => new(left._value ^ right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Bytes256 Either(Bytes256 left, Bytes256 right) => new(left._value | right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(Bytes256 vector) => vector._value == Vector256<byte>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Bytes256 left, Bytes256 right) =>
        ~Vector256.Equals(left._value, right._value).ExtractMostSignificantBits();

    // Bit i is set where byte i differs in the first pair or in the second one.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Bytes256 left, Bytes256 right, Bytes256 left2, Bytes256 right2) =>
        ~(Vector256.Equals(left._value, right._value) & Vector256.Equals(left2._value, right2._value)).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong GreaterBytes(Bytes256 left, Bytes256 right) =>
        ~Vector256.Equals(Vector256.Min(left._value, right._value), left._value).ExtractMostSignificantBits();
}
