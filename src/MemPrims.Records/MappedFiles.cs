using MemPrims.Records.Maintenance;

namespace MemPrims.Records;

/// <summary>Tools for files of mapped records that nobody need have open. Each may be called from any thread.</summary>
public static class MappedFiles
{
    /// <summary>
    /// Rewrites a file of an older version of the record in the newest one. New fields get their defaults. The file is copied, synced and
    /// renamed: whoever has the old one open goes on reading that. Nothing happens to a file of the newest version. A file of several
    /// names (hard links) is refused, since the others would go on naming the old one.
    /// </summary>
    public static void Upgrade<T>(string path, MappedFileOptions? options = null) where T : IMappedRecord<T>, allows ref struct =>
        Upgrader<T>.Run(path, options ?? MappedFileOptions.Default);

    /// <summary>
    /// Rewrites the file without its free records, in the newest version, as <see cref="Upgrade"/> does. The records after a free one
    /// move down, so that <b>their ids change</b>: what is returned has for each old id the new one, or -1 where the record was free.
    /// </summary>
    public static IReadOnlyList<int> Compact<T>(string path, MappedFileOptions? options = null)
        where T : IMappedRecord<T>, allows ref struct
    {
        List<int> newIds = [];
        Upgrader<T>.Run(path, options ?? MappedFileOptions.Default, newIds);
        return newIds;
    }

    /// <summary>
    /// Copies what is whole out of a damaged file into a new one, each record under its id, and tells what was lost: lost records are
    /// there with default values. A program that wants scans to pass over them frees the ids of <see cref="SalvageReport.Lost"/> in the
    /// new file, once nothing refers to them. Needs no valid meta. A file in which nothing is whole is refused. What the disk cannot read
    /// is not whole.
    /// </summary>
    public static SalvageReport Salvage<T>(string damagedPath, string newPath, MappedFileOptions? options = null)
        where T : IMappedRecord<T>, allows ref struct =>
        Salvager<T>.Run(damagedPath, newPath, options ?? MappedFileOptions.Default);

    /// <summary>Opens the file for reading and checks all of it, as <see cref="MappedFile{T}.Verify"/> does.</summary>
    public static void Verify<T>(string path, IProgress<VerifyProgress>? progress = null, CancellationToken cancellation = default)
        where T : IMappedRecord<T>, allows ref struct
    {
        using MappedFile<T> file = MappedFile<T>.OpenRead(path);
        file.Verify(progress, cancellation);
    }

    /// <summary>Opens the file for reading and copies it, as <see cref="MappedFile{T}.CopyTo"/> does.</summary>
    public static void CopyTo<T>(string path, string newPath) where T : IMappedRecord<T>, allows ref struct
    {
        using MappedFile<T> file = MappedFile<T>.OpenRead(path);
        file.CopyTo(newPath);
    }
}

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
