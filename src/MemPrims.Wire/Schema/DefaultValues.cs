namespace MemPrims.Wire;

// Reads the default of a proto2 field, which descriptors keep as text: numbers in decimal, bytes with C escapes.
internal static class DefaultValues
{
    public static FieldDefault Parse(MessageField field, byte[] raw)
    {
        string text = new UTF8Encoding(false, true).GetString(raw);
        return field.Kind switch
        {
            FieldKind.String => new(0, text, raw),
            FieldKind.Bytes => new(0, "", Unescape(raw)),
            _ => FieldDefault.Zero with { Bits = Bits(field, text, raw) },
        };
    }

    private static ulong Bits(MessageField field, string text, byte[] raw)
    {
        CultureInfo culture = CultureInfo.InvariantCulture;
        return field.Kind switch
        {
            FieldKind.Double => BitConverter.DoubleToUInt64Bits(Named(text) ?? double.Parse(text, culture)),
            FieldKind.Float => BitConverter.SingleToUInt32Bits((float?)Named(text) ?? float.Parse(text, culture)),
            FieldKind.Enum => field.EnumType!.TryGetNumber(text, out int number) ? (ulong)number : throw new FormatException(),
            _ => JsonNumbers.TryParseKey(field.Kind, raw, out ulong bits) ? bits : throw new FormatException(),
        };
    }

    private static double? Named(string text) => text switch
    {
        "inf" => double.PositiveInfinity,
        "-inf" => double.NegativeInfinity,
        "nan" or "-nan" => double.NaN,
        _ => null,
    };

    private static byte[] Unescape(byte[] text)
    {
        List<byte> bytes = [];
        for (int i = 0; i < text.Length; i++)
        {
            if (text[i] != '\\')
            {
                bytes.Add(text[i]);
                continue;
            }
            if (++i == text.Length) throw new FormatException();
            char escape = (char)text[i];
            bool isHex = escape is 'x' or 'X';
            if (isHex || escape is >= '0' and <= '7')
            {
                int start = isHex ? ++i : i, end = Math.Min(i + (isHex ? 2 : 3), text.Length), value = 0;
                for (; i < end && (isHex ? char.IsAsciiHexDigit((char)text[i]) : text[i] is >= (byte)'0' and <= (byte)'7'); i++)
                    value = value * (isHex ? 16 : 8) + Uri.FromHex((char)text[i]);
                if (i == start) throw new FormatException();
                i--;
                bytes.Add((byte)value);
            }
            else
            {
                bytes.Add(escape switch
                {
                    'a' => 7,
                    'b' => 8,
                    't' => 9,
                    'n' => 10,
                    'v' => 11,
                    'f' => 12,
                    'r' => 13,
                    '\\' or '\'' or '"' or '?' => (byte)escape,
                    _ => throw new FormatException(),
                });
            }
        }
        return [.. bytes];
    }
}
