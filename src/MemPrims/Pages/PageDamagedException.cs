namespace MemPrims.Pages;

/// <summary>Bytes that should be a sorted page, or a tree of them, are damaged or something else.</summary>
public sealed class PageDamagedException : IOException
{
    internal PageDamagedException(string message, long page = -1, int offset = -1)
        : base($"{message}{Place(page, offset)}. The bytes are damaged or no sorted page: restore them or build the index again.") =>
        (Page, Offset, _what) = (page, offset, message);

    private readonly string _what;

    /// <summary>The same, of a page in a store.</summary>
    internal PageDamagedException In(uint page) => new(_what, page, Offset);

    /// <summary>The number of the page in its store; -1 where the page is not of a store.</summary>
    public long Page { get; }

    /// <summary>The byte in the page at which it shows; -1 where it is none in particular.</summary>
    public int Offset { get; }

    private static string Place(long page, int offset) => (page, offset) switch
    {
        (< 0, < 0) => "",
        (< 0, _) => $" (at byte {offset} of the page)",
        (_, < 0) => $" (page {page})",
        _ => $" (page {page}, byte {offset})",
    };
}
