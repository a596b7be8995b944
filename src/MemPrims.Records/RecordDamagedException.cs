namespace MemPrims.Records;

/// <summary>A file of records is damaged: what shows it, where, and what to do.</summary>
public sealed class RecordDamagedException : DamagedDataException
{
    internal RecordDamagedException(MappedFileReason reason, string path, string what, long? page = null, ulong? expected = null,
        ulong? actual = null, Exception? inner = null)
        : base(MappedFileException.Text(reason, path, what, page, expected, actual), inner: inner) =>
        (Reason, Path, What, Page, Expected, Actual) = (reason, path, what, page, expected, actual);

    // The message without path and numbers.
    internal string What { get; }

    /// <summary>What is damaged: Truncated, DamagedMeta, DamagedPage or DamagedRecord.</summary>
    public MappedFileReason Reason { get; }

    /// <summary>The file.</summary>
    public string Path { get; }

    /// <summary>The logical page, where one is concerned.</summary>
    public long? Page { get; }

    /// <summary>The number that should have been there.</summary>
    public ulong? Expected { get; }

    /// <summary>The number that was there.</summary>
    public ulong? Actual { get; }
}
