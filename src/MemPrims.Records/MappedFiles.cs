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
}
