namespace DocumentStore.Index;

/// <summary>What is known of an index or a facet: its entries or values. Written by the worker, read by anybody beside it, without a
/// lock.</summary>
[MappedRecord(0xD0C5)]
internal readonly ref partial struct IndexStatistics
{
    // They can be told again from the indexes, so no power loss is worth a sync.
    private static readonly MappedFileOptions s_options = new() { Durability = Durability.ProcessCrash };

    [Field(0)] public partial long Entries { get; set; }
    [Utf8(1, Max = 256)] public partial string Name { get; set; }

    /// <summary>Each worker makes the file anew, and gives it its name once all is in: who reads meanwhile has the one before.</summary>
    public static MappedFile<IndexStatistics> Create(string folder, Indexes indexes)
    {
        string beside = PathIn(folder) + ".new";
        File.Delete(beside);
        using (MappedFile<IndexStatistics> file = MappedFile<IndexStatistics>.Create(beside, s_options)) Write(file, indexes);
        File.Move(beside, PathIn(folder), overwrite: true);
        return MappedFile<IndexStatistics>.Open(PathIn(folder), s_options);
    }

    public static void Write(MappedFile<IndexStatistics> file, Indexes indexes)
    {
        List<(string Name, long Entries)> all = [("documents", indexes.Ids.Count),
            ("documents that cannot be read", indexes.Unreadable.Count), .. indexes.Fields.SelectMany(static one => one.Entries)];
        using WriteTransaction<IndexStatistics> tx = file.BeginWrite();
        for (int i = 0; i < all.Count; i++)
        {
            IndexStatistics one = i < file.Count ? tx[i] : tx.Append(out _);
            (one.Name, one.Entries) = all[i];
        }
        tx.Commit();
    }

    public static List<(string Name, long Entries)> Read(string folder)
    {
        using MappedFile<IndexStatistics> file = MappedFile<IndexStatistics>.OpenRead(PathIn(folder), s_options);
        return [.. Enumerable.Range(0, file.Count).Select(i => file.Read(i, static one => (one.Name, one.Entries)))];
    }

    private static string PathIn(string folder) => Path.Combine(folder, "statistics");
}
