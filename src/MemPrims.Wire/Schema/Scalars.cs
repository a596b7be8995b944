namespace MemPrims.Wire;

// A scalar in a slot is 64 bits: varints exactly as they are written (so a negative int32 is sign-extended), signed zigzag kinds as their
// value, fixed kinds and floats as their bits.
internal static class Scalars
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T FromBits<T>(ulong bits)
    {
        if (typeof(T) == typeof(int)) return (T)(object)(int)bits;
        if (typeof(T) == typeof(long)) return (T)(object)(long)bits;
        if (typeof(T) == typeof(uint)) return (T)(object)(uint)bits;
        if (typeof(T) == typeof(ulong)) return (T)(object)bits;
        if (typeof(T) == typeof(bool)) return (T)(object)(bits != 0);
        if (typeof(T) == typeof(float)) return (T)(object)BitConverter.UInt32BitsToSingle((uint)bits);
        if (typeof(T) == typeof(double)) return (T)(object)BitConverter.UInt64BitsToDouble(bits);
        int number = (int)bits;
        return Unsafe.As<int, T>(ref number);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong ToBits<T>(T value)
    {
        if (typeof(T) == typeof(int)) return (ulong)(int)(object)value!;
        if (typeof(T) == typeof(long)) return (ulong)(long)(object)value!;
        if (typeof(T) == typeof(uint)) return (uint)(object)value!;
        if (typeof(T) == typeof(ulong)) return (ulong)(object)value!;
        if (typeof(T) == typeof(bool)) return (bool)(object)value! ? 1u : 0u;
        if (typeof(T) == typeof(float)) return BitConverter.SingleToUInt32Bits((float)(object)value!);
        if (typeof(T) == typeof(double)) return BitConverter.DoubleToUInt64Bits((double)(object)value!);
        return (ulong)Unsafe.As<T, int>(ref value);
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
        if (TypeOf(field.Kind) is { } scalar)
            return type == scalar || (field.Kind == FieldKind.Enum && type.IsEnum && Enum.GetUnderlyingType(type) == typeof(int))
                || type == typeof(object);
        return field.Kind switch
        {
            FieldKind.String => type == typeof(string) || type == typeof(ReadOnlyMemory<byte>) || type == typeof(object),
            FieldKind.Bytes => type == typeof(byte[]) || type == typeof(ReadOnlyMemory<byte>) || type == typeof(object),
            _ => type == typeof(Message) || type == typeof(object),
        };
    }
}
