namespace MemPrims.Wire;

// A scalar in a slot is 64 bits: varints exactly as they are written (so a negative int32 is sign-extended), signed zigzag kinds as their
// value, fixed kinds and floats as their bits.
internal static class Scalars
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T FromBits<T>(ulong bits)
    {
        if (typeof(T) == typeof(bool)) return (T)(object)(bits != 0);
        return Unsafe.SizeOf<T>() == sizeof(ulong) ? Unsafe.BitCast<ulong, T>(bits) : Unsafe.BitCast<uint, T>((uint)bits);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong ToBits<T>(T value)
    {
        if (typeof(T) == typeof(bool)) return (bool)(object)value! ? 1u : 0u;
        if (typeof(T) == typeof(uint) || typeof(T) == typeof(float)) return Unsafe.BitCast<T, uint>(value);
        return Unsafe.SizeOf<T>() == sizeof(ulong) ? Unsafe.BitCast<T, ulong>(value) : (ulong)Unsafe.BitCast<T, int>(value);
    }

    public static object Box(FieldKind kind, ulong bits) => kind switch
    {
        FieldKind.Double => FromBits<double>(bits),
        FieldKind.Float => FromBits<float>(bits),
        FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64 => (long)bits,
        FieldKind.UInt64 or FieldKind.Fixed64 => bits,
        FieldKind.UInt32 or FieldKind.Fixed32 => (uint)bits,
        FieldKind.Bool => bits != 0,
        _ => (int)bits,
    };

    public static ulong Unbox(object value) => value switch
    {
        double number => ToBits(number),
        float number => ToBits(number),
        long number => ToBits(number),
        ulong number => number,
        uint number => number,
        bool flag => flag ? 1u : 0,
        _ => ToBits((int)value),
    };

    // The bits of a number as it is encoded.
    public static ulong OfWire(FieldKind kind, ulong raw) => kind switch
    {
        FieldKind.SInt32 => (ulong)(long)(int)Codecs.Varint.UnZigZag((uint)raw),
        FieldKind.SInt64 => (ulong)Codecs.Varint.UnZigZag(raw),
        FieldKind.Int32 or FieldKind.Enum or FieldKind.SFixed32 => (ulong)(int)raw,
        FieldKind.UInt32 => (uint)raw,
        FieldKind.Bool => raw != 0 ? 1u : 0,
        _ => raw,
    };

    // The .NET type of a scalar kind; null for text, bytes and messages.
    public static Type? TypeOf(FieldKind kind) => kind switch
    {
        FieldKind.Double => typeof(double),
        FieldKind.Float => typeof(float),
        FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64 => typeof(long),
        FieldKind.UInt64 or FieldKind.Fixed64 => typeof(ulong),
        FieldKind.UInt32 or FieldKind.Fixed32 => typeof(uint),
        FieldKind.Bool => typeof(bool),
        FieldKind.Int32 or FieldKind.SInt32 or FieldKind.SFixed32 or FieldKind.Enum => typeof(int),
        _ => null,
    };

    public static WireType WireTypeOf(FieldKind kind) => kind switch
    {
        FieldKind.Double or FieldKind.Fixed64 or FieldKind.SFixed64 => WireType.Fixed64,
        FieldKind.Float or FieldKind.Fixed32 or FieldKind.SFixed32 => WireType.Fixed32,
        FieldKind.String or FieldKind.Bytes or FieldKind.Message => WireType.Bytes,
        FieldKind.Group => WireType.StartGroup,
        _ => WireType.Varint,
    };

    // Whether T is how a field's values are read and set.
    public static bool Fits<T>(MessageField field)
    {
        Type type = typeof(T);
        return type == typeof(object) || field.Kind switch
        {
            FieldKind.String => type == typeof(string) || type == typeof(ReadOnlyMemory<byte>),
            FieldKind.Bytes => type == typeof(byte[]) || type == typeof(ReadOnlyMemory<byte>),
            FieldKind.Message or FieldKind.Group => type == typeof(Message),
            FieldKind.Enum when type.IsEnum => Enum.GetUnderlyingType(type) == typeof(int),
            var kind => type == TypeOf(kind),
        };
    }
}
