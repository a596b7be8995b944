using System.Text;
using MemPrims.Buffers;
using MemPrims.Codecs;
using MemPrims.Pages;
using MemPrims.Records;

namespace DocumentStore.Index;

/// <summary>A change of one document that is in the log.</summary>
internal readonly record struct Change(byte[] Key, uint Id, long Place, bool IsDelete);

/// <summary>
/// Where each document is, by its key: the engine's own index, so that what was committed is found at once. Threads: any number find,
/// beside one that changes.
/// </summary>
internal sealed class KeyIndex : IDisposable
{
    private readonly IndexFile _file;
    private readonly SortedTree _tree;
    private readonly ReaderWriterLockSlim _lock = new();

    /// <summary>Opens the index and brings it to the end of the log.</summary>
    public KeyIndex(string folder, LogFile log)
    {
        _file = IndexFile.Open(Path.Combine(folder, "keys.pages"), "keys", log.End, "keys");
        _tree = _file["keys"];
        NextId = (uint)_file.Extra;
        if (_file.Position == log.End) return;
        DocumentFrame.Replay(log, _file.Position, log.End, int.MaxValue, (place, frame) =>
            Note(frame.Key, frame.Id, place, frame.IsDelete));
        _file.Applied(log.End, NextId);
    }

    /// <summary>No document has had this number.</summary>
    public uint NextId { get; private set; }

    public long Count => Locked(static tree => tree.Count);

    /// <summary>The number of a document and its place in the log; the place is 0 where there is none.</summary>
    public (uint Id, long Place) Find(string key)
    {
        Span<byte> utf8 = stackalloc byte[Batch.MostKey * 3];
        utf8 = utf8[..Encoding.UTF8.GetBytes(key.AsSpan(0, Math.Min(key.Length, Batch.MostKey)), utf8)];
        _lock.EnterReadLock();
        try
        {
            return _tree.TryGet(utf8, out ReadOnlySpan<byte> entry) ? Entry(entry) : default;
        }
        finally
        {
            _lock.ExitReadLock();
        }
    }

    /// <summary>Takes in the changes of a batch, whose end in the log is given.</summary>
    public void Apply(List<Change> changes, long end)
    {
        _lock.EnterWriteLock();
        try
        {
            foreach (Change change in changes) Note(change.Key, change.Id, change.Place, change.IsDelete);
            _file.Applied(end, NextId);
        }
        finally
        {
            _lock.ExitWriteLock();
        }
    }

    /// <summary>Compares with the documents: null, or what is wrong.</summary>
    public string? Check(LogFile log) => Locked(tree =>
    {
        _file.Verify();
        SortedCursor each = tree.Scan();
        while (each.Next())
        {
            (uint id, long place) = Entry(each.Value);
            DocumentFrame frame = DocumentFrame.Decode(log.Read(place));
            if (frame.Id != id || frame.IsDelete || !frame.Key.SequenceEqual(each.Key))
                return $"The key {Encoding.UTF8.GetString(each.Key)} leads to another document.";
        }
        return null;
    });

    /// <summary>Brings all to the disk.</summary>
    public void Dispose()
    {
        _lock.EnterWriteLock();
        _file.Checkpoint();
        _file.Dispose();
        _lock.ExitWriteLock();
    }

    private static (uint Id, long Place) Entry(ReadOnlySpan<byte> entry)
    {
        SpanReader from = new(entry);
        return (from.ReadVarintUInt32(), (long)from.ReadVarint());
    }

    private void Note(ReadOnlySpan<byte> key, uint id, long place, bool isDelete)
    {
        NextId = Math.Max(NextId, id + 1);
        Span<byte> entry = stackalloc byte[2 * Varint.MaxSize];
        int length = Varint.Write(entry, id);
        length += Varint.Write(entry[length..], (ulong)place);
        if (isDelete) _tree.Remove(key);
        else _tree.Set(key, entry[..length]);
    }

    private T Locked<T>(Func<SortedTree, T> read)
    {
        _lock.EnterReadLock();
        try
        {
            return read(_tree);
        }
        finally
        {
            _lock.ExitReadLock();
        }
    }
}
