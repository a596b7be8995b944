using System.Text;
using MemPrims.Buffers;
using MemPrims.Codecs;
using MemPrims.Pages;
using MemPrims.Records;

namespace DocumentStore;

/// <summary>
/// Where each document is, by its key: the engine's own index, so that what was committed is found at once. Threads: any number find,
/// beside one that changes; each takes the lock for a moment.
/// </summary>
internal sealed class KeyIndex : IDisposable
{
    private readonly Lock _lock = new();
    private readonly MappedPages _pages;
    private readonly SortedTree _keys, _state;

    /// <summary>Opens the index and brings it to the end of the log.</summary>
    public KeyIndex(string path, LogFile log)
    {
        _pages = MappedPages.OpenOrCreate(path);
        if (State().Position > log.End)
        {
            // It is of another log.
            _pages.Dispose();
            _pages = MappedPages.Create(path);
        }
        (_keys, _state) = (_pages.Tree("keys"u8), _pages.Tree("state"u8));
        (NextId, long position) = State();
        if (position == log.End) return;
        DocumentFrame.Replay(log, position, log.End, int.MaxValue, (place, frame) => Note(frame.Key, frame.Id, place, frame.IsDelete));
        Store(_state, "to"u8, NextId, log.End);
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

    /// <summary>The number of a document and its place in the log; the place is 0 where there is none.</summary>
    public (uint Id, long Place) Find(ReadOnlySpan<byte> key)
    {
        lock (_lock) return _keys.TryGet(key, out ReadOnlySpan<byte> entry) ? Entry(entry) : default;
    }

    /// <summary>Takes in the changes of a batch, whose end in the log is given.</summary>
    public void Apply(List<Change> changes, long end)
    {
        lock (_lock)
        {
            foreach (Change change in changes) Note(change.Key, change.Id, change.Place, change.IsDelete);
            Store(_state, "to"u8, NextId, end);
        }
    }

    /// <summary>Compares with the documents, while nobody changes them: null, or what is wrong.</summary>
    public string? Check(LogFile log)
    {
        _keys.Verify();
        SortedCursor each = _keys.Scan();
        while (each.Next())
        {
            (uint id, long place) = Entry(each.Value);
            DocumentFrame frame = DocumentFrame.Decode(log.Read(place));
            if (frame.Id != id || frame.IsDelete || !frame.Key.SequenceEqual(each.Key))
                return $"The key {Encoding.UTF8.GetString(each.Key)} leads to another document.";
        }
        return null;
    }

    /// <summary>Brings all to the disk.</summary>
    public void Dispose()
    {
        lock (_lock) _pages.Dispose();
    }

    private void Note(ReadOnlySpan<byte> key, uint id, long place, bool isDelete)
    {
        NextId = Math.Max(NextId, id + 1);
        if (isDelete) _keys.Remove(key);
        else Store(_keys, key, id, place);
    }

    /// <summary>It has the form of an entry: the next number, and the end of what was taken in.</summary>
    private (uint NextId, long Position) State() =>
        _pages.Tree("state"u8).TryGet("to"u8, out ReadOnlySpan<byte> entry) ? Entry(entry) : default;

    private static (uint Id, long Place) Entry(ReadOnlySpan<byte> entry)
    {
        SpanReader from = new(entry);
        return (from.ReadVarintUInt32(), (long)from.ReadVarint());
    }

    private static void Store(SortedTree tree, ReadOnlySpan<byte> key, uint id, long place)
    {
        Span<byte> entry = stackalloc byte[2 * Varint.MaxSize];
        int length = Varint.Write(entry, id);
        length += Varint.Write(entry[length..], (ulong)place);
        tree.Set(key, entry[..length]);
    }
}
