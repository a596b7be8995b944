namespace MemPrims.Records;

/// <summary>What a <c>Salvage</c> found.</summary>
/// <param name="Records">In the new file, lost ones included: ids are kept.</param>
/// <param name="Lost">Records without any whole copy; in the new file they have default values.</param>
/// <param name="Stale">Records of which only a copy that is not the newest was whole, or of which nothing says that it is the
/// newest.</param>
/// <param name="MetaWasWhole">Whether a valid meta said which copies are the newest. Without one, the newest whole copy of each page was
/// taken.</param>
public sealed record SalvageReport(int Records, IReadOnlyList<RecordRange> Lost, IReadOnlyList<RecordRange> Stale, bool MetaWasWhole)
{
    /// <summary>How many records have no whole copy.</summary>
    public int LostRecords => Lost.Sum(range => range.Count);

    /// <summary>The report in one line, with every range.</summary>
    public override string ToString() =>
        $"{Records} records, {LostRecords} lost [{string.Join(", ", Lost)}], {Stale.Sum(range => range.Count)} stale "
            + $"[{string.Join(", ", Stale)}], meta {(MetaWasWhole ? "whole" : "damaged")}";
}

/// <summary>Records that follow each other.</summary>
/// <param name="First">The first one's id.</param>
/// <param name="Count">How many.</param>
/// <param name="Why">What was wrong.</param>
public readonly record struct RecordRange(int First, int Count, string Why)
{
    /// <summary>The ids, and what was wrong.</summary>
    public override string ToString() => $"{First}..{First + Count - 1}: {Why}";
}
