namespace MemPrims.Records;

/// <summary>What a <c>Salvage</c> found.</summary>
public sealed class SalvageReport
{
    internal SalvageReport(int records, IReadOnlyList<RecordRange> lost, IReadOnlyList<RecordRange> stale, bool metaWasWhole) =>
        (Records, Lost, Stale, MetaWasWhole) = (records, lost, stale, metaWasWhole);

    /// <summary>In the new file, lost ones included: ids are kept.</summary>
    public int Records { get; }

    /// <summary>Records without any whole copy; in the new file they have default values.</summary>
    public IReadOnlyList<RecordRange> Lost { get; }

    /// <summary>Records of which only a copy that is not the newest was whole, or of which nothing says that it is the newest.</summary>
    public IReadOnlyList<RecordRange> Stale { get; }

    /// <summary>Whether a valid meta said which copies are the newest. Without one, each page's newest whole copy was taken.</summary>
    public bool MetaWasWhole { get; }

    /// <summary>How many records have no whole copy.</summary>
    public int LostRecords => Lost.Sum(range => range.Count);

    /// <summary>The report in one line, with every range.</summary>
    public override string ToString() =>
        $"{Records} records, {LostRecords} lost [{string.Join(", ", Lost)}], {Stale.Sum(range => range.Count)} stale "
            + $"[{string.Join(", ", Stale)}], meta {(MetaWasWhole ? "whole" : "damaged")}";
}
