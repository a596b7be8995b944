namespace MemPrims.Tool.Output;

// Text of files, as it can be shown: a name or a value must not move the cursor, color the terminal, begin a line, or turn the direction
// of what follows. Such characters become `\u{1B}`.
internal static class Printable
{
    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public static string Text(string text) => Escaped(text, static c => $"\\u{{{(int)c:X}}}");

    // The same for JSON, in which such a character lies inside a string.
    public static string Json(string json) => Escaped(json, static c => c is '\n' or '\r' ? c.ToString() : $"\\u{(int)c:X4}");

    // Bytes as text in quotes where all of it can be shown, else as 0x and digits. No two are alike.
    public static string Bytes(ReadOnlySpan<byte> bytes)
    {
        try
        {
            string text = s_strict.GetString(bytes);
            return text.Any(IsHarmful) ? Hex(bytes) : $"\"{text}\"";
        }
        catch (DecoderFallbackException)
        {
            return Hex(bytes);
        }
    }

    public static string Hex(ReadOnlySpan<byte> bytes) => $"0x{Convert.ToHexString(bytes)}";

    private static string Escaped(string text, Func<char, string> escape)
    {
        if (!text.Any(IsHarmful)) return text;
        StringBuilder escaped = new(text.Length + 16);
        foreach (char c in text)
            if (IsHarmful(c)) escaped.Append(escape(c));
            else escaped.Append(c);
        return escaped.ToString();
    }

    private static bool IsHarmful(char c) => char.GetUnicodeCategory(c) is UnicodeCategory.Control or UnicodeCategory.Format
        or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;
}
