namespace MemPrims.Pages;

/// <summary>Bytes that should be a sorted page, or a tree of them, are damaged or something else. The offset is in the page;
/// -1 where the damage shows at no byte in particular.</summary>
public sealed class PageDamagedException : DamagedDataException
{
    internal PageDamagedException(string message, long page = -1, int offset = -1)
        : base($"{message}{Place(page, offset)}. The bytes are damaged or no sorted page: restore them or build the index again, "
            + "in a new file (MappedPages.Create or OpenOrCreate).",
            offset) =>
        (Page, _what) = (page, message);

    private PageDamagedException(string message) : base(message, 0) => (Page, _what) = (-1, message);

    private readonly string _what;

    // What was opened is nothing of ours, and so not damaged.
    internal static PageDamagedException OtherFile(string message) => new(message) { IsOtherFile = true };

    internal bool IsOtherFile { get; private init; }

    // The same, of a page in a store.
    internal PageDamagedException In(uint page) => new(_what, page, (int)Offset);

    /// <summary>The number of the page in its store; -1 where the page is not of a store.</summary>
    public long Page { get; }

    private static string Place(long page, int offset) => (page, offset) switch
    {
        (page: < 0, offset: < 0) => "",
        (page: < 0, _) => $" (at byte {offset} of the page)",
        (_, < 0) => $" (page {page})",
        _ => $" (page {page}, byte {offset})",
    };
}
