namespace MemPrims.Records;

/// <summary>What went wrong with a mapped file, where, and what to do.</summary>
public sealed class MappedFileException : IOException
{
    internal MappedFileException(MappedFileReason reason, string path, string what, long? page = null, ulong? expected = null,
        ulong? actual = null, Exception? inner = null)
        : base($"{path}: {what}{Details(page, expected, actual)} [{reason}]", inner) =>
        (Reason, Path, What, Page, Expected, Actual) = (reason, path, what, page, expected, actual);

    // The message without path and numbers.
    internal string What { get; }

    /// <summary>The kind of the error.</summary>
    public MappedFileReason Reason { get; }

    /// <summary>The file.</summary>
    public string Path { get; }

    /// <summary>The logical page, where one is concerned.</summary>
    public long? Page { get; }

    /// <summary>The number that should have been there.</summary>
    public ulong? Expected { get; }

    /// <summary>The number that was there.</summary>
    public ulong? Actual { get; }

    private static string Details(long? page, ulong? expected, ulong? actual)
    {
        string?[] all = [page is null ? null : $"page {page}", expected is null ? null : $"expected 0x{expected:x}",
            actual is null ? null : $"found 0x{actual:x}"];
        string told = string.Join(", ", all.Where(static detail => detail is not null));
        return told.Length == 0 ? "" : $" ({told})";
    }
}
