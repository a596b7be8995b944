using System.Globalization;
using System.Text;

namespace MemPrims.Wire;

/// <summary>Numbers of JSON, as tokens or in strings: integers may be written as 1.0 or 1e2 where they are whole.</summary>
internal static class JsonNumbers
{
    private const NumberStyles Style = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;

    // Whole numbers of 64 bits have 20 digits; a decimal keeps 28.
    private const int MostDigits = 28;

    /// <summary>The bits of a number of an integral kind; false where it is none, or out of range.</summary>
    public static bool TryParseInteger(FieldKind kind, ReadOnlySpan<byte> text, out ulong bits)
    {
        bits = 0;
        if (!IsNumber(text)) return false;
        string digits = Encoding.ASCII.GetString(text);
        decimal value;
        if (long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long whole)) value = whole;
        else if (text.Length > MostDigits || !decimal.TryParse(digits, Style, CultureInfo.InvariantCulture, out value) || decimal.Truncate(value) != value) return false;
        (decimal least, decimal most) = kind switch
        {
            FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64 => (long.MinValue, (decimal)long.MaxValue),
            FieldKind.UInt64 or FieldKind.Fixed64 => (0, ulong.MaxValue),
            FieldKind.UInt32 or FieldKind.Fixed32 => (0, uint.MaxValue),
            _ => (int.MinValue, int.MaxValue),
        };
        if (value < least || value > most) return false;
        bits = value < 0 ? (ulong)(long)value : (ulong)value;
        return true;
    }

    public static bool TryParseFloat(FieldKind kind, ReadOnlySpan<byte> text, out ulong bits)
    {
        bits = 0;
        if (!IsNumber(text) || !double.TryParse(text, Style, CultureInfo.InvariantCulture, out double value) || !double.IsFinite(value)) return false;
        return TryBits(kind, value, text, out bits);
    }

    public static bool TryNamed(FieldKind kind, ReadOnlySpan<byte> text, out ulong bits)
    {
        double value = text.SequenceEqual("NaN"u8) ? double.NaN : text.SequenceEqual("Infinity"u8) ? double.PositiveInfinity : double.NegativeInfinity;
        bits = kind == FieldKind.Float ? BitConverter.SingleToUInt32Bits((float)value) : BitConverter.DoubleToUInt64Bits(value);
        return !double.IsNegativeInfinity(value) || text.SequenceEqual("-Infinity"u8);
    }

    private static bool TryBits(FieldKind kind, double value, ReadOnlySpan<byte> text, out ulong bits)
    {
        bits = BitConverter.DoubleToUInt64Bits(value);
        if (kind != FieldKind.Float) return true;
        // From the text, not from the double: that would round twice.
        float single = float.Parse(text, Style, CultureInfo.InvariantCulture);
        bits = BitConverter.SingleToUInt32Bits(single);
        return float.IsFinite(single);
    }

    // JSON's grammar: no sign but a minus, no leading zeros, digits on both sides of the point.
    private static bool IsNumber(ReadOnlySpan<byte> text)
    {
        int at = text.StartsWith("-"u8) ? 1 : 0, start = at;
        if (!Digits(text, ref at) || (text[start] == '0' && at > start + 1)) return false;
        if (at < text.Length && text[at] == '.')
        {
            at++;
            if (!Digits(text, ref at)) return false;
        }
        if (at < text.Length && (text[at] | 0x20) == (byte)'e')
        {
            at++;
            if (at < text.Length && (text[at] == (byte)'+' || text[at] == (byte)'-')) at++;
            if (!Digits(text, ref at)) return false;
        }
        return at == text.Length;
    }

    private static bool Digits(ReadOnlySpan<byte> text, ref int at)
    {
        int start = at;
        while (at < text.Length && text[at] is >= (byte)'0' and <= (byte)'9') at++;
        return at > start;
    }
}
