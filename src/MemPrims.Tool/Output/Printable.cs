using System.Text.RegularExpressions;

namespace MemPrims.Tool.Output;

// Text of files, as it can be shown: a name or a value must not move the cursor, color the terminal, begin a line, or turn the direction
// of what follows. Such characters become `\u{1B}`.
internal static partial class Printable
{
    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public static string Text(string text) => Harmful().Replace(text, static c => $"\\u{{{(int)c.ValueSpan[0]:X}}}");

    // The same for JSON, in which such a character lies inside a string.
    public static string Json(string json) =>
        Harmful().Replace(json, static c => c.Value is "\n" or "\r" ? c.Value : $"\\u{(int)c.ValueSpan[0]:X4}");

    // Bytes as text in quotes where all of it can be shown, else as 0x and digits. No two are alike.
    public static string Bytes(ReadOnlySpan<byte> bytes)
    {
        try
        {
            string text = s_strict.GetString(bytes);
            return Harmful().IsMatch(text) ? Hex(bytes) : $"\"{text}\"";
        }
        catch (DecoderFallbackException)
        {
            return Hex(bytes);
        }
    }

    public static string Hex(ReadOnlySpan<byte> bytes) => $"0x{Convert.ToHexString(bytes)}";

    // Controls, formats, and what separates lines and paragraphs.
    [GeneratedRegex(@"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]")]
    private static partial Regex Harmful();
}
