using System.Text;

namespace MemPrims;

/// <summary>
/// Text as UTF-8, strict in both directions: half of a surrogate pair has no bytes, and bytes that are not UTF-8 have no text.
/// </summary>
internal static unsafe class Utf8Text
{
    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>The bytes that the text takes.</summary>
    /// <exception cref="ArgumentException">Half of a surrogate pair.</exception>
    public static int Size(ReadOnlySpan<char> text) => s_strict.GetByteCount(text);

    public static void Write(byte* to, int size, ReadOnlySpan<char> text) => s_strict.GetBytes(text, new Span<byte>(to, size));

    /// <summary>The text; null where the bytes are not UTF-8.</summary>
    public static string? Read(ReadOnlySpan<byte> source) =>
        System.Text.Unicode.Utf8.IsValid(source) ? s_strict.GetString(source) : null;
}
