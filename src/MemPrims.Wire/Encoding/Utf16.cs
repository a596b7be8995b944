namespace MemPrims.Wire;

// Text of .NET, which may have half of a surrogate pair. UTF-8 has no form for that.
internal static class Utf16
{
    // Whether every surrogate has its other half.
    public static bool IsWhole(ReadOnlySpan<char> text) => FirstHalf(text) < 0;

    // Where the first half of a pair is that has no other half; -1 if there is none.
    public static int FirstHalf(ReadOnlySpan<char> text)
    {
        for (int start = 0, at; (at = text[start..].IndexOfAnyInRange('\ud800', '\udfff')) >= 0; start += at + 2)
            if (start + at + 1 == text.Length || !char.IsSurrogatePair(text[start + at], text[start + at + 1])) return start + at;
        return -1;
    }
}
