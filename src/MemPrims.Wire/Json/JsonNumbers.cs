using System.Globalization;

namespace MemPrims.Wire;

// Numbers of JSON, as tokens or in strings: integers may be written as 1.0 or 1e2, as long as their value is whole.
internal static class JsonNumbers
{
    // Whole numbers of 64 bits have at most 20 digits.
    private const int MostDigits = 20;

    private const NumberStyles Style = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;

    // The bits of a number of an integral kind; false if it is no integer, or out of range. Digits count, however they are written.
    public static bool TryParseInteger(FieldKind kind, ReadOnlySpan<byte> text, out ulong bits)
    {
        bits = 0;
        if (!IsNumber(text) || !TryWhole(text, out bool isNegative, out ulong size)) return false;
        (ulong below, ulong most) = kind switch
        {
            FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64 => (1ul << 63, (ulong)long.MaxValue),
            FieldKind.UInt64 or FieldKind.Fixed64 => (0ul, ulong.MaxValue),
            FieldKind.UInt32 or FieldKind.Fixed32 => (0ul, uint.MaxValue),
            _ => (1ul << 31, (ulong)int.MaxValue),
        };
        if (size > (isNegative ? below : most)) return false;
        bits = isNegative ? 0 - size : size;
        return true;
    }

    // The same for the key of a map: digits alone, without point and exponent.
    public static bool TryParseKey(FieldKind kind, ReadOnlySpan<byte> text, out ulong bits)
    {
        bits = 0;
        return text.IndexOfAny((byte)'.', (byte)'e', (byte)'E') < 0 && TryParseInteger(kind, text, out bits);
    }

    // The digits are taken without the point and the zeros at their end, which count into the exponent. Whole is what has no negative
    // exponent left.
    private static bool TryWhole(ReadOnlySpan<byte> number, out bool isNegative, out ulong size)
    {
        isNegative = number[0] == (byte)'-';
        size = 0;
        int e = number.IndexOfAny((byte)'e', (byte)'E');
        ReadOnlySpan<byte> digits = (e < 0 ? number : number[..e])[(isNegative ? 1 : 0)..];
        if (digits.IndexOfAnyInRange((byte)'1', (byte)'9') < 0) return true;
        long exponent = e < 0 ? 0 : ParseExponent(number[(e + 1)..]);
        int point = digits.IndexOf((byte)'.');
        if (point >= 0) exponent -= digits.Length - point - 1;
        for (; digits[^1] is (byte)'0' or (byte)'.'; digits = digits[..^1])
            if (digits[^1] == (byte)'0') exponent++;
        if (exponent is < 0 or > MostDigits) return false;
        foreach (byte digit in digits)
            if (digit != (byte)'.' && !TryAppend(ref size, digit - (byte)'0')) return false;
        for (; exponent > 0; exponent--)
            if (!TryAppend(ref size, 0)) return false;
        return true;
    }

    private static bool TryAppend(ref ulong size, int digit)
    {
        ulong high = Math.BigMul(size, 10, out ulong low);
        size = low + (uint)digit;
        return high == 0 && size >= low;
    }

    // An exponent with more digits than fit is as good as one that just does not fit: no text has so many digits to make up for it.
    private static long ParseExponent(ReadOnlySpan<byte> text)
    {
        long value = 0;
        foreach (byte digit in text)
            if (digit is >= (byte)'0' and <= (byte)'9' && value < 1L << 40) value = value * 10 + digit - (byte)'0';
        return text[0] == (byte)'-' ? -value : value;
    }

    public static bool TryParseFloat(FieldKind kind, ReadOnlySpan<byte> text, out ulong bits)
    {
        bits = 0;
        if (!IsNumber(text) || !double.TryParse(text, Style, CultureInfo.InvariantCulture, out double value) || !double.IsFinite(value))
            return false;
        return TryBits(kind, value, text, out bits);
    }

    public static bool TryNamed(FieldKind kind, ReadOnlySpan<byte> text, out ulong bits)
    {
        double value = text.SequenceEqual("NaN"u8) ? double.NaN : text.SequenceEqual("Infinity"u8) ? double.PositiveInfinity
            : double.NegativeInfinity;
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
