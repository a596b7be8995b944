namespace MemPrims.Records;

/// <summary>How far a <c>Verify</c> is.</summary>
/// <param name="Pages">Checked so far.</param>
/// <param name="Total">To be checked.</param>
public readonly record struct VerifyProgress(int Pages, int Total);
