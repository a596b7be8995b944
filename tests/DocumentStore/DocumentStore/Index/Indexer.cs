using System.Buffers.Binary;
using System.Text;

namespace DocumentStore.Index;

/// <summary>
/// Brings the changes of the log into the indexes and facets. To apply a piece of the log to them twice does no harm, once its last change
/// has been applied again. Threads: one; all but the changes may run beside a check.
/// </summary>
internal sealed class Indexer : IDisposable
{
    private const int Slice = 500, SaveFacetsAfter = 100_000;

    private readonly FieldReader _reader;
    private readonly MappedFile<IndexStatistics> _statistics;
    private readonly List<(int Path, FieldValue Value)> _values = [];
    private readonly byte[] _entry = new byte[FieldValue.MostKey + sizeof(uint)];
    private int _unsaved;

    public Indexer(string folder, long definition)
    {
        Log = LogFile.OpenRead(folder);
        Definition = Definition.FromJson(DocumentFrame.At(Log, definition).Content);
        _reader = new(Definition);
        Files = new(PathIn(folder, definition), Definition, Log.End);
        // Those of other definitions.
        foreach (string other in Directory.GetFiles(folder, "index-*"))
            if (other != PathIn(folder, definition)) File.Delete(other);
        _statistics = IndexStatistics.Create(folder);
        IndexStatistics.Write(_statistics, Files.Entries());
    }

    public LogFile Log { get; }

    public Definition Definition { get; }

    public IndexFiles Files { get; }

    /// <summary>Up to where all is indexed.</summary>
    public long Position => Files.Position;

    public bool IsSaved { get; private set; } = true;

    /// <summary>The index of each definition, whose place in the log is given, has a file of its own.</summary>
    public static string PathIn(string folder, long definition) => Path.Combine(folder, $"index-{definition}");

    /// <summary>Goes on until the facets have all that the trees have. A worker that was killed cannot have gone beyond the end.</summary>
    public void MakeLevel(long end)
    {
        while (!Files.IsLevel && Position < end) Advance(end);
    }

    /// <summary>Takes in the next changes before the end.</summary>
    public void Advance(long end)
    {
        IsSaved = false;
        Files.Change(position => DocumentFrame.Replay(Log, position, end, Slice, Apply));
        if (_unsaved >= SaveFacetsAfter)
        {
            Files.SaveFacets();
            _unsaved = 0;
        }
        IndexStatistics.Write(_statistics, Files.Entries());
    }

    /// <summary>Brings all to the disk.</summary>
    public void Save()
    {
        if (!IsSaved) Files.Save();
        (_unsaved, IsSaved) = (0, true);
    }

    public void Dispose()
    {
        Files.Dispose();
        _statistics.Dispose();
        Log.Dispose();
    }

    private void Apply(long position, DocumentFrame frame)
    {
        if (frame.Key.IsEmpty) return;
        _unsaved++;
        Span<byte> id = stackalloc byte[sizeof(uint)], place = stackalloc byte[Varint.MaxSize];
        BinaryPrimitives.WriteUInt32BigEndian(id, frame.Id);
        place = place[..Varint.Write(place, (ulong)position)];
        if (frame.Previous != 0) Remove(frame.Id, id, DocumentFrame.At(Log, frame.Previous).Content);
        if (frame.IsDelete)
        {
            Files.Ids.Remove(id);
            Files.Documents.Remove(frame.Id);
            return;
        }
        Files.Ids.Set(id, place);
        Files.Documents.Add(frame.Id);
        if (_reader.Read(frame.Content, _values) is { } error) Files.Failed.Set(id, Encoding.UTF8.GetBytes(error));
        foreach ((int path, FieldValue value) in _values)
        {
            Files.Fields[path].Tree?.Set(Entry(value, id), place);
            Files.Fields[path].Facet?.Add(frame.Id, value.Name);
        }
    }

    private void Remove(uint number, ReadOnlySpan<byte> id, ReadOnlySpan<byte> content)
    {
        if (_reader.Read(content, _values) is not null) Files.Failed.Remove(id);
        foreach ((int path, FieldValue value) in _values) Files.Fields[path].Tree?.Remove(Entry(value, id));
        foreach (IndexedField field in Files.Fields) field.Facet?.Remove(number);
    }

    private ReadOnlySpan<byte> Entry(FieldValue value, ReadOnlySpan<byte> id)
    {
        value.Key.CopyTo(_entry, 0);
        id.CopyTo(_entry.AsSpan(value.Key.Length));
        return _entry.AsSpan(0, value.Key.Length + id.Length);
    }
}
