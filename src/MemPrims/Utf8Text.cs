using System.Text;
using System.Text.Unicode;

namespace MemPrims;

// Text as UTF-8, strict in both directions: half of a surrogate pair cannot be written, and bytes that are not UTF-8 cannot be read. Short
// ASCII text takes a path of its own, AsciiText.
internal static unsafe class Utf8Text
{
    // What a text of at most so many bytes becomes is converted on the stack, in one pass. Longer ones are checked first.
    private const int LongestOnStack = 256;

    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    // How many bytes the text takes.
    // Throws ArgumentException: The text has half of a surrogate pair. It is told by its name at the caller's.
    public static int Size(ReadOnlySpan<char> text, [CallerArgumentExpression(nameof(text))] string? name = null)
    {
        try
        {
            return s_strict.GetByteCount(text);
        }
        catch (EncoderFallbackException e)
        {
            throw new ArgumentException(
                $"The text has half of a surrogate pair, U+{(int)e.CharUnknown:X4}, at {e.Index}, which UTF-8 cannot express.", name, e);
        }
    }

    // The text as bytes.
    // Throws ArgumentException: The text has half of a surrogate pair.
    public static byte[] Bytes(string text, [CallerArgumentExpression(nameof(text))] string? name = null)
    {
        byte[] bytes = new byte[Size(text, name)];
        s_strict.GetBytes(text, bytes);
        return bytes;
    }

    // Writes the text. `size` is what Size says.
    public static void Write(byte* to, int size, ReadOnlySpan<char> text) => s_strict.GetBytes(text, new Span<byte>(to, size));

    // Writes a text of at most 84 characters, after its length in one byte if `withLength`. Returns where it ends. Null: the text is
    // longer, has half of a surrogate pair, or may not fit before `end`. Then nothing counts as written.
    public static byte* TryWriteShort(byte* at, byte* end, ReadOnlySpan<char> text, bool withLength)
    {
        long room = end - at - (withLength ? 1 : 0);
        byte* to = withLength ? at + 1 : at;
        if (room < text.Length) return null;
        int size = text.Length;
        if (!AsciiText.TryWrite(to, text))
        {
            // Three bytes a character at most, so the length is below 255, and takes one byte.
            if (size > 84 || room < 3 * size) return null;
            Span<byte> bytes = new(to, 3 * size);
            if (Utf8.FromUtf16(text, bytes, out _, out size, replaceInvalidSequences: false) != OperationStatus.Done) return null;
        }
        if (withLength) *at = (byte)size;
        return to + size;
    }

    // The text; null if the bytes are not UTF-8.
    public static string? Read(ReadOnlySpan<byte> source)
    {
        if (AsciiText.TryRead(source) is { } ascii) return ascii;
        if (source.Length > LongestOnStack) return Utf8.IsValid(source) ? Encoding.UTF8.GetString(source) : null;
        // No text has more characters than bytes.
        Span<char> chars = stackalloc char[LongestOnStack];
        return Utf8.ToUtf16(source, chars, out _, out int length, replaceInvalidSequences: false) == OperationStatus.Done
            ? new(chars[..length]) : null;
    }
}
