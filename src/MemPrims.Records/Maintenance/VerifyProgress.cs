namespace MemPrims.Records;

/// <summary>How far a <c>Verify</c> is.</summary>
public readonly struct VerifyProgress
{
    internal VerifyProgress(int pages, int total) => (Pages, Total) = (pages, total);

    /// <summary>Checked so far.</summary>
    public int Pages { get; }

    /// <summary>To be checked.</summary>
    public int Total { get; }
}
