namespace MemPrims.Records;

/// <summary>Records that follow each other.</summary>
/// <param name="First">The first one's id.</param>
/// <param name="Count">How many.</param>
/// <param name="Why">What was wrong.</param>
public readonly record struct RecordRange(int First, int Count, string Why)
{
    /// <summary>The ids, and what was wrong.</summary>
    public override string ToString() => $"{First}..{First + Count - 1}: {Why}";
}
