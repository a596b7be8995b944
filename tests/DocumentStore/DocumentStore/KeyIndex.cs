using System.Text;

namespace DocumentStore;

/// <summary>
/// Where each document is, by its key: the engine's own index, so that what was committed is found at once. Threads: any number find,
/// beside one that changes; each takes the lock for a moment.
/// </summary>
internal sealed class KeyIndex : IDisposable
{
    private readonly Lock _lock = new();
    private readonly LogFile _log;
    private readonly TreeFile _file;
    private readonly SortedTree _keys;
    private long _living;

    public KeyIndex(LogFile log)
    {
        _log = log;
        _file = new(Path.Combine(log.FolderPath, "keys.pages"), log);
        _keys = _file.Tree("keys");
        NextId = (uint)_file["next"];
        CatchUp(log.End);
        // A process that died may have left its last changes in the tree, and then they were made again: only now they are counted.
        _living = 0;
        SortedCursor each = _keys.Scan();
        while (each.Next()) _living += Entry(each.Value).Size;
    }

    /// <summary>No document has had this number.</summary>
    public uint NextId { get; private set; }

    public long Count
    {
        get
        {
            lock (_lock) return _keys.Count;
        }
    }

    /// <summary>How many bytes of the log the documents take.</summary>
    public long Living
    {
        get
        {
            lock (_lock) return _living;
        }
    }

    /// <summary>The number of a document and its place in the log; the place is 0 where there is none.</summary>
    public (uint Id, long Place) Find(ReadOnlySpan<byte> key)
    {
        lock (_lock)
        {
            (uint id, long place, _) = TryFind(key);
            return (id, place);
        }
    }

    /// <summary>Takes in the changes of the log up to an end, which is on the disk.</summary>
    public void CatchUp(long end)
    {
        lock (_lock)
        {
            if (_file.Position == end) return;
            DocumentFrame.Replay(_log, _file.Position, end, int.MaxValue, Note);
            (_file["next"], _file.Position) = (NextId, end);
        }
    }

    /// <summary>Compares with the documents, while nobody changes them: null, or what is wrong.</summary>
    public string? Check()
    {
        _keys.Verify();
        SortedCursor each = _keys.Scan();
        while (each.Next())
        {
            (uint id, long place, _) = Entry(each.Value);
            DocumentFrame frame = DocumentFrame.At(_log, place);
            if (frame.Id != id || frame.IsDelete || !frame.Key.SequenceEqual(each.Key))
                return $"The key {Encoding.UTF8.GetString(each.Key)} leads to another document.";
        }
        return null;
    }

    /// <summary>Brings all to the disk.</summary>
    public void Dispose()
    {
        lock (_lock) _file.Dispose();
    }

    private (uint Id, long Place, long Size) TryFind(ReadOnlySpan<byte> key) =>
        _keys.TryGet(key, out ReadOnlySpan<byte> entry) ? Entry(entry) : default;

    private void Note(long place, long size, DocumentFrame frame)
    {
        NextId = Math.Max(NextId, frame.Id + 1);
        if (frame.Previous != 0) _living -= TryFind(frame.Key).Size;
        if (frame.IsDelete)
        {
            _keys.Remove(frame.Key);
            return;
        }
        _living += size;
        Span<byte> entry = stackalloc byte[3 * Varint.MaxSize];
        int length = Varint.Write(entry, frame.Id);
        length += Varint.Write(entry[length..], (ulong)place);
        length += Varint.Write(entry[length..], (ulong)size);
        _keys.Set(frame.Key, entry[..length]);
    }

    private static (uint Id, long Place, long Size) Entry(ReadOnlySpan<byte> entry)
    {
        SpanReader from = new(entry);
        return (from.ReadVarintUInt32(), (long)from.ReadVarint(), (long)from.ReadVarint());
    }
}
