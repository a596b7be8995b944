namespace MemPrims.Wire;

// Text of .NET, which may have half of a surrogate pair. UTF-8 has no form for that.
internal static class Utf16
{
    // Whether every surrogate has its other half.
    public static bool IsWhole(ReadOnlySpan<char> text)
    {
        int at = text.IndexOfAnyInRange('\ud800', '\udfff');
        while (at >= 0)
        {
            if (at + 1 == text.Length || !char.IsSurrogatePair(text[at], text[at + 1])) return false;
            text = text[(at + 2)..];
            at = text.IndexOfAnyInRange('\ud800', '\udfff');
        }
        return true;
    }
}
