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
