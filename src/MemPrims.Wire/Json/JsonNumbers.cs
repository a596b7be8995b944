namespace MemPrims.Wire;

// Numbers of JSON, as tokens or in strings: integers may be written as 1.0 or 1e2, as long as their value is whole.
internal static class JsonNumbers
{
    private const NumberStyles Style = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;

    // The bits of a number of an integral kind; false if it is no integer, or out of range. Digits count, however they are written.
    public static bool TryParseInteger(FieldKind kind, ReadOnlySpan<byte> text, out ulong bits)
    {
        bits = 0;
        if (!IsNumber(text) || !Int128.TryParse(text, Style, CultureInfo.InvariantCulture, out Int128 number)) return false;
        (Int128 least, Int128 most) = kind switch
        {
            FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64 => ((Int128)long.MinValue, (Int128)long.MaxValue),
            FieldKind.UInt64 or FieldKind.Fixed64 => ((Int128)0, (Int128)ulong.MaxValue),
            FieldKind.UInt32 or FieldKind.Fixed32 => ((Int128)0, (Int128)uint.MaxValue),
            _ => ((Int128)int.MinValue, (Int128)int.MaxValue),
        };
        bits = (ulong)number;
        return number >= least && number <= most;
    }

    // The same for the key of a map: true, false, or digits alone, without point and exponent.
    public static bool TryParseKey(FieldKind kind, ReadOnlySpan<byte> text, out ulong bits)
    {
        bits = text.SequenceEqual("true"u8) ? 1u : 0;
        if (kind == FieldKind.Bool) return bits != 0 || text.SequenceEqual("false"u8);
        return text.IndexOfAny((byte)'.', (byte)'e', (byte)'E') < 0 && TryParseInteger(kind, text, out bits);
    }

    // From the text, not from a double: that would round a float twice.
    public static bool TryParseFloat(FieldKind kind, ReadOnlySpan<byte> text, out ulong bits) =>
        kind == FieldKind.Double ? TryParse<double>(text, out bits) : TryParse<float>(text, out bits);

    private static bool TryParse<T>(ReadOnlySpan<byte> text, out ulong bits)
        where T : INumberBase<T>
    {
        bits = 0;
        if (!IsNumber(text)) return false;
        T value = T.Parse(text, Style, CultureInfo.InvariantCulture);
        bits = Scalars.ToBits(value);
        return T.IsFinite(value);
    }

    public static bool TryNamed(FieldKind kind, ReadOnlySpan<byte> text, out ulong bits)
    {
        double value = text.SequenceEqual("NaN"u8) ? double.NaN : text.SequenceEqual("Infinity"u8) ? double.PositiveInfinity
            : text.SequenceEqual("-Infinity"u8) ? double.NegativeInfinity : 0;
        bits = kind == FieldKind.Float ? Scalars.ToBits((float)value) : Scalars.ToBits(value);
        return value != 0;
    }

    // By JSON's grammar: no sign but a minus, no leading zeros, digits on both sides of the point. Nothing around it.
    private static bool IsNumber(ReadOnlySpan<byte> text)
    {
        Utf8JsonReader json = new(text);
        try
        {
            return json.Read() && json.TokenType == JsonTokenType.Number && json.ValueSpan.Length == text.Length;
        }
        catch (JsonException)
        {
            return false;
        }
    }
}
