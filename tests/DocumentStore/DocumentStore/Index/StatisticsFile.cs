using MemPrims.Records;

namespace DocumentStore.Index;

/// <summary>What is known of an index or a facet.</summary>
/// <param name="Name">The path; empty for the documents as a whole.</param>
/// <param name="Entries">Entries of an index, values of a facet, or documents.</param>
/// <param name="Failed">Documents that could not be read, so that no index has them.</param>
/// <param name="Rebuilt">How often it was built again.</param>
public sealed record IndexState(string Name, bool IsFacet, long Entries, long Position, long Failed, int Rebuilt, string LastError);

/// <summary>The records of <see cref="IndexStatistics"/>: one for the documents, then one for each index and each facet.</summary>
internal sealed class StatisticsFile : IDisposable
{
    private const string Name = "statistics";

    // They can be told again from the indexes, so no power loss is worth a sync.
    private static readonly MappedFileOptions s_options = new() { Durability = Durability.ProcessCrash };

    private readonly MappedFile<IndexStatistics> _file;

    public StatisticsFile(string folder, Definition definition, bool isRebuilt)
    {
        string path = Path.Combine(folder, Name);
        string[] names = ["", .. definition.Indexes, .. definition.Facets];
        if (!Read(folder, definition).Select(static state => state.Name).SequenceEqual(names)) File.Delete(path);
        _file = MappedFile<IndexStatistics>.OpenOrCreate(path, s_options);
        using WriteTransaction<IndexStatistics> tx = _file.BeginWrite();
        for (int i = 0; i < names.Length; i++)
        {
            IndexStatistics one = i < _file.Count ? tx[i] : tx.Append(out _);
            one.Name = names[i].Length <= 40 ? names[i] : names[i][..40];
            if (isRebuilt) one.Rebuilt++;
        }
        tx.Commit();
    }

    public void Write(Indexer index, long failed, string? error)
    {
        string[] indexes = index.Definition.Indexes;
        using WriteTransaction<IndexStatistics> tx = _file.BeginWrite();
        for (int i = 0; i < _file.Count; i++)
        {
            IndexStatistics one = tx[i];
            one.Entries = i == 0 ? index.File["ids"].Count
                : i <= indexes.Length ? index.Tree(indexes[i - 1]).Count : index.Facets.Fields[i - 1 - indexes.Length].ValueCount;
            one.Position = i <= indexes.Length ? index.File.Position : index.Facets.Position;
            one.Changed = DateTime.UtcNow;
            if (i == 0) one.Failed = failed;
            if (i == 0 && error is not null) one.LastError = error.Length <= 80 ? error : error[..80];
        }
        tx.Commit();
    }

    /// <summary>What a worker has written, whether one runs or not; nothing where there is no file that can be read.</summary>
    public static List<IndexState> Read(string folder, Definition definition)
    {
        List<IndexState> states = [];
        try
        {
            using MappedFile<IndexStatistics> file = MappedFile<IndexStatistics>.OpenRead(Path.Combine(folder, Name), s_options);
            for (int i = 0; i < file.Count; i++)
                states.Add(file.Read(i, i > definition.Indexes.Length, static (one, isFacet) => new IndexState(one.Name, isFacet,
                    one.Entries,
                    one.Position, one.Failed, one.Rebuilt, one.LastError)));
        }
        catch (IOException)
        {
            // The worker makes a new one.
        }
        return states;
    }

    public void Dispose() => _file.Dispose();
}

/// <summary>The statistics of an index: written by the worker, read by anybody beside it, without a lock.</summary>
[MappedRecord(0xD0C5)]
internal readonly ref partial struct IndexStatistics
{
    [Field(0)] public partial long Entries { get; set; }
    [Field(1)] public partial long Position { get; set; }
    [Field(2)] public partial long Failed { get; set; }
    [Field(3)] public partial DateTime Changed { get; set; }
    [Field(4)] public partial int Rebuilt { get; set; }
    [Utf8(5, Max = 128)] public partial string Name { get; set; }
    [Utf8(6, Max = 256)] public partial string LastError { get; set; }
}
