using DocumentStore.Index;
using MemPrims.Buffers;
using MemPrims.Channels;
using MemPrims.Records;

namespace DocumentStore;

/// <summary>
/// Documents by their keys, in a folder. A change is on the disk when its call returns; the indexes follow in a process of their own.
/// Threads: any number; changes take turns, and reading waits only for the last step of a change. One process has a collection open.
/// </summary>
public sealed class Collection : IDisposable
{
    private readonly string _folder;
    private readonly LogFile _log;
    private readonly KeyIndex _keys;
    private readonly WorkerProcess _worker;
    private readonly Lock _changing = new();
    private Exception? _broken;

    private Collection(string folder, Definition? definition, CollectionOptions options)
    {
        _folder = Path.GetFullPath(folder);
        definition?.Reader();
        Definition = definition ?? Definition.Load(_folder) ?? throw new FileNotFoundException($"{_folder} has no collection.");
        try
        {
            _log = LogFile.OpenOrCreate(_folder, new() { WriterTimeout = options.WaitForOther });
        }
        catch (MappedFileException e) when (e.Reason == MappedFileReason.Locked)
        {
            throw new IOException($"{_folder} is open in another process. Close it there first.", e);
        }
        try
        {
            if (Definition.Load(_folder)?.Stamp != Definition.Stamp) Definition.Save(_folder);
            _keys = new(_folder, _log);
        }
        catch
        {
            _log.Dispose();
            throw;
        }
        _worker = new(_folder, options, () => _log.SyncedEnd);
    }

    public Definition Definition { get; }

    /// <summary>How many documents there are.</summary>
    public long Count => _keys.Count;

    /// <summary>The end of the last change: for <see cref="WaitForIndex"/>.</summary>
    public long End => _log.SyncedEnd;

    /// <summary>What opening found in the log.</summary>
    public LogRecovery Recovery => _log.Recovery;

    /// <summary>The number of the worker's process, where one runs.</summary>
    public int? WorkerProcessId => _worker.ProcessId;

    /// <summary>Opens the collection of a folder. With a definition it is made where there is none, and takes on the definition.</summary>
    /// <exception cref="ArgumentException">The schema of the definition has no such fields.</exception>
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
    /// <exception cref="IOException">The disk is full or fails. Whether the changes were kept, the next Open tells; until then this
    /// collection only reads.</exception>
    public long Commit(Batch batch)
    {
        lock (_changing)
        {
            if (_broken is not null) throw new IOException("An earlier change has failed. Open the collection again to change it.",
                _broken);
            try
            {
                List<Change> changes = batch.AppendTo(_log, _keys);
                if (changes.Count == 0) return _log.SyncedEnd;
                _log.Sync();
                long end = _log.End;
                _keys.Apply(changes, end);
                _worker.Feed(end);
                return end;
            }
            catch (Exception e)
            {
                _broken = e;
                throw;
            }
        }
    }

    /// <summary>Finds a document. Its content lies in mapped memory, and stays there as long as the collection is open.</summary>
    public bool TryGet(string key, out ReadOnlySpan<byte> content)
    {
        long place = _keys.Find(key).Place;
        content = place == 0 ? default : DocumentFrame.Decode(_log.Read(place)).Content;
        return place != 0;
    }

    /// <summary>Looks in the indexes. They may be behind: see <see cref="QueryResult.IndexedTo"/> and <see
    /// cref="WaitForIndex"/>.</summary>
    /// <exception cref="ArgumentException">The definition has no such index or facet.</exception>
    public QueryResult Find(Query query)
    {
        query.Check(Definition);
        using SegmentList request = new();
        query.Write(request);
        using IpcMessage answer = _worker.Ask(Request.Query, request.AsSequence());
        return QueryResult.Read(answer.Payload.Span, query, _log);
    }

    /// <summary>Returns when the indexes have all changes up to a position that a change returned.</summary>
    /// <exception cref="TimeoutException">They have not come so far.</exception>
    public void WaitForIndex(long position, TimeSpan timeout)
    {
        for (long start = Environment.TickCount64; IndexedTo() is var at && at < position; Thread.Sleep(1))
            if (Environment.TickCount64 - start > timeout.TotalMilliseconds)
                throw new TimeoutException($"The indexes are at {at} of {position} after {timeout.TotalSeconds:0.#} s.");
    }

    /// <summary>How far the indexes have come.</summary>
    public long IndexedTo()
    {
        using IpcMessage answer = _worker.Ask(Request.State);
        return (long)new SpanReader(answer.Payload.Span).ReadVarint();
    }

    /// <summary>What the worker tells of its indexes.</summary>
    public IReadOnlyList<IndexState> Statistics() => StatisticsFile.Read(_folder, Definition);

    /// <summary>Compares the log, the keys and all indexes with each other. The indexes must have come to the end.</summary>
    /// <returns>The first thing that is wrong; null where nothing is.</returns>
    public string? Verify()
    {
        _log.Verify();
        if (_keys.Check(_log) is { } wrong) return wrong;
        using IpcMessage answer = _worker.Ask(Request.Verify);
        SpanReader from = new(answer.Payload.Span);
        (_, long documents, string found) = (from.ReadVarint(), (long)from.ReadVarint(), from.ReadText());
        return found.Length > 0 ? found : documents == Count ? null : $"The indexes have {documents} documents, and the keys {Count}.";
    }

    /// <summary>Closes the collection; the worker saves its files and ends.</summary>
    public void Dispose()
    {
        _worker.Dispose();
        lock (_changing)
        {
            _broken = new ObjectDisposedException(nameof(Collection));
            _keys.Dispose();
            _log.Dispose();
        }
    }
}
