using System.Diagnostics;
using DocumentStore.Index;

namespace DocumentStore;

/// <summary>
/// Documents by their keys, in a folder. A change is on the disk when its call returns; the indexes follow in a process of their own.
/// Threads: any number; changes take turns, and reading waits only for the last step of a change. One process has a collection open.
/// </summary>
public sealed class Collection : IDisposable
{
    private readonly CollectionOptions _options;
    private readonly LogFile _log;
    private readonly KeyIndex _keys = null!;
    private readonly Changes _changes = null!;
    private readonly Worker _worker = null!;
    private readonly Pins _pins = new();
    private readonly Lock _compacting = new();
    private int _disposals;

    private Collection(string folder, Definition? definition, CollectionOptions options)
    {
        definition?.Check();
        if (definition is null && (!Directory.Exists(folder) || Compaction.FilesOf(folder).Length == 0)) throw None(folder);
        _options = options;
        _log = LogFile.OpenOrCreate(folder, new() { WriterTimeout = options.WaitForOther, FileBytes = options.LogFileBytes });
        try
        {
            // What a process that died was making in the place of a file of pages.
            foreach (string left in Directory.GetFiles(_log.FolderPath, new string('?', 32) + ".new")) File.Delete(left);
            _keys = new(_log);
            _changes = new(_log, _keys, () => _worker?.Feed());
            bool isKnown = TryRead([], out ReadOnlySpan<byte> known);
            if (definition is not null && !known.SequenceEqual(definition.ToJson())) Commit(Batch.Of(definition.ToJson()));
            Definition = definition ?? (isKnown ? Definition.FromJson(known) : throw None(folder));
            string indexes = Definition.IndexName;
            _worker = new(_log, () => [.. options.Worker, .. IndexWorker.Arguments(_log.FolderPath, indexes, _keys.Find([]).Place)]);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public Definition Definition { get; }

    /// <summary>How many documents there are.</summary>
    public long Count => _keys.Count - 1;

    /// <summary>The end of the last change: for <see cref="WaitForIndex"/>.</summary>
    public long End => _log.SyncedEnd;

    /// <summary>How many bytes of the log no document needs any more.</summary>
    public long Superseded => _log.End - _log.Start - _keys.Living;

    public int? WorkerProcessId => _worker.ProcessId;

    /// <summary>Opens the collection of a folder. With a definition it is made where there is none, and takes on the definition.</summary>
    /// <exception cref="ArgumentException">No collection can have the definition, or its schema has no such fields.</exception>
    /// <exception cref="IOException">The folder has none and there is no definition, or another process has it open.</exception>
    public static Collection Open(string folder, Definition? definition = null, CollectionOptions? options = null) =>
        new(folder, definition, options ?? new());

    /// <summary>Puts one document in. A batch is faster: each call waits for the disk.</summary>
    /// <inheritdoc cref="Commit"/>
    public long Put(string key, ReadOnlyMemory<byte> content) => Commit(new Batch().Put(key, content));

    /// <summary>Takes one document out.</summary>
    /// <inheritdoc cref="Commit"/>
    public long Delete(string key) => Commit(new Batch().Delete(key));

    /// <summary>Makes all changes of a batch, or none of them. They are on the disk when it returns.</summary>
    /// <returns>A position, for <see cref="WaitForIndex"/>.</returns>
    /// <exception cref="IOException">The disk fails. The next Open tells whether the changes are kept.</exception>
    public long Commit(Batch batch)
    {
        ArgumentNullException.ThrowIfNull(batch);
        return _changes.Make(batch);
    }

    /// <summary>Finds a document. Its content lies in mapped memory, and stays there until the collection is closed, or compacted while
    /// nobody has a <see cref="Pin"/> from before.</summary>
    public bool TryGet(string key, out ReadOnlySpan<byte> content)
    {
        ArgumentNullException.ThrowIfNull(key);
        content = default;
        return key.Length > 0 && TryRead(Batch.Encode(key), out content);
    }

    /// <summary>Looks in the indexes, which may be behind: the result says where they are, and <see cref="WaitForIndex"/> waits.</summary>
    /// <exception cref="ArgumentException">The definition has no such index or facet.</exception>
    public QueryResult Find(Query query)
    {
        ArgumentNullException.ThrowIfNull(query);
        query.Check(Definition);
        using Pin _ = Pin();
        return _worker.Ask(Request.Query, _options.Timeout, (ref from) => QueryResult.Read(ref from, query, _log), query.Write);
    }

    /// <summary>
    /// What is found from now on stays where it is until the pin is disposed. Only who compacts beside readers needs it.
    /// </summary>
    public Pin Pin() => new(_pins);

    /// <summary>Returns when the indexes have all changes up to a position that a change returned.</summary>
    /// <exception cref="TimeoutException">They have not come so far.</exception>
    public void WaitForIndex(long position, TimeSpan timeout)
    {
        long start = Stopwatch.GetTimestamp();
        while (IndexedTo(timeout - Stopwatch.GetElapsedTime(start)) < position) Thread.Sleep(1);

        long IndexedTo(TimeSpan left) => _worker.Ask(Request.State, left, static (ref from) => (long)from.ReadVarint());
    }

    /// <summary>The entries of each index, and the values of each facet, as a worker has told last.</summary>
    /// <exception cref="IOException">None has begun.</exception>
    public IReadOnlyList<(string Name, long Entries)> Statistics() => IndexStatistics.Read(_log.FolderPath);

    /// <summary>
    /// Writes the documents in the older files of the log again at its end, and drops these files: of what is
    /// <see cref="Superseded"/> as much remains as fits into a file. Changes and queries go on beside it. A crash at any moment does no
    /// harm.
    /// </summary>
    /// <exception cref="TimeoutException">A pin or the worker has held it up. The next call goes on from there.</exception>
    /// <exception cref="IOException">The disk fails, or is full. The next Open has all that was committed.</exception>
    public void Compact()
    {
        lock (_compacting) new Compaction(_log, _keys, _changes, _worker, _pins, _options.Timeout).Run();
    }

    /// <summary>Compares the log, the keys and all indexes with each other. Changes wait for it; queries go on.</summary>
    /// <returns>The first thing that is wrong; null where nothing is.</returns>
    public string? Verify() => _changes.Hold(() =>
    {
        _log.Verify();
        if ((_keys.Check() ?? _worker.Verify(_options.Timeout)) is { } wrong) return wrong;
        long documents = Statistics()[0].Entries;
        return documents == Count ? null : $"The indexes have {documents} documents, and the keys {Count}.";
    });

    /// <summary>Closes the collection; the worker saves its files and ends.</summary>
    public void Dispose()
    {
        if (Interlocked.Increment(ref _disposals) > 1) return;
        // Opening may have failed before they were there.
        _changes?.Close();
        _worker?.Dispose();
        _keys?.Dispose();
        _log.Dispose();
    }

    private bool TryRead(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> content)
    {
        int reader = _pins.Enter();
        try
        {
            long place = _keys.Find(key).Place;
            content = place == 0 ? default : DocumentFrame.At(_log, place).Content;
            return place != 0;
        }
        finally
        {
            _pins.Leave(reader);
        }
    }

    private static FileNotFoundException None(string folder) => new($"{Path.GetFullPath(folder)} has no collection.");
}
