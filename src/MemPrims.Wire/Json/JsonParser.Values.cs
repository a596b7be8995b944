namespace MemPrims.Wire;

// Single values: messages, numbers as tokens or in strings, names of enum values, text, base64.
internal ref partial struct JsonParser
{
    // False for an unknown name of an enum value that the options want skipped.
    private bool TryValue(MessageField field, int depth, out Slot slot)
    {
        slot = default;
        switch (field.Kind)
        {
            case FieldKind.Message or FieldKind.Group:
                Message inner = field.MessageType!.New();
                Message(inner, depth - 1);
                slot.Ref = inner;
                return true;
            case FieldKind.String:
                slot.Ref = Text("text");
                return true;
            case FieldKind.Bytes:
                slot.Set(Base64(Text("base64")));
                return true;
            case FieldKind.Bool:
                if (_json.TokenType is not (JsonTokenType.True or JsonTokenType.False))
                    throw Fault($"true or false is expected, not {Found}");
                slot.Bits = _json.TokenType == JsonTokenType.True ? 1u : 0;
                return true;
            case FieldKind.Enum:
                return TryEnum(field, out slot.Bits);
            case FieldKind.Double or FieldKind.Float:
                slot.Bits = Float(field.Kind);
                return true;
            default:
                slot.Bits = Integer(field.Kind);
                return true;
        }
    }

    private readonly string Text(string what)
    {
        if (_json.TokenType != JsonTokenType.String) throw Fault($"{what} is expected, not {Found}");
        return Text();
    }

    private readonly ulong Integer(FieldKind kind)
    {
        if (!JsonNumbers.TryParseInteger(kind, Number(), out ulong bits)) throw NoNumber(kind);
        return bits;
    }

    private readonly ulong Float(FieldKind kind)
    {
        ReadOnlySpan<byte> text = Number();
        if (_json.TokenType == JsonTokenType.String && JsonNumbers.TryNamed(kind, text, out ulong bits)) return bits;
        if (!JsonNumbers.TryParseFloat(kind, text, out bits)) throw NoNumber(kind);
        return bits;
    }

    private readonly WireException NoNumber(FieldKind kind) => Fault(
        $"'{PathText.Shown(Encoding.UTF8.GetString(Number()))}' is no {kind.ToString().ToLowerInvariant()}, or out of its range");

    // The digits of a number, or of a string that holds one.
    private readonly ReadOnlySpan<byte> Number()
    {
        if (_json.TokenType is not (JsonTokenType.Number or JsonTokenType.String)) throw Fault($"a number is expected, not {Found}");
        return _json.ValueIsEscaped ? Encoding.UTF8.GetBytes(Text()) : _json.ValueSpan;
    }

    private readonly bool TryEnum(MessageField field, out ulong bits)
    {
        EnumType type = field.EnumType!;
        bits = 0;
        string given;
        if (_json.TokenType == JsonTokenType.String)
        {
            given = Text();
            if (type.TryGetNumber(given, out int number))
            {
                bits = (ulong)number;
                return true;
            }
            given = $"'{PathText.Shown(given)}'";
        }
        else
        {
            if (_json.TokenType == JsonTokenType.Number) bits = Integer(FieldKind.Int32);
            else if (_json.TokenType != JsonTokenType.Null || type.FullName != WellKnownTypes.NullValue)
                throw Fault($"the name or number of an enum value is expected, not {Found}");
            // Null, too, has to be declared: a schema may have a closed NullValue of its own, without a 0.
            if (!type.IsClosed || type.Has((int)bits)) return true;
            given = $"{(int)bits}";
        }
        return options.IgnoreUnknown ? false : throw Fault($"{type.FullName} has no value {given}. {Ignores}");
    }

    // Both alphabets. Padding may be left out as a whole, not in part.
    private readonly byte[] Base64(string text)
    {
        string standard = text.TrimEnd('=').Replace('-', '+').Replace('_', '/');
        int padding = text.Length - standard.Length;
        bool isPadded = padding == 0 ? standard.Length % 4 != 1 : padding <= 2 && text.Length % 4 == 0;
        if (!isPadded || standard.AsSpan().IndexOfAnyExcept(s_base64) >= 0) throw Fault("this is no base64");
        return Convert.FromBase64String(standard.PadRight((standard.Length + 3) / 4 * 4, '='));
    }

    private static readonly SearchValues<char> s_base64 =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
}
