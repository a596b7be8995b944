using System.Buffers.Binary;
using System.Text;
using MemPrims.Codecs;
using MemPrims.Pages;
using MemPrims.Records;
using MemPrims.Sets;

namespace DocumentStore.Index;

/// <summary>
/// Brings the changes of the log into the indexes and facets. A worker that was killed leaves the trees ahead of the facets, and in the
/// middle of a batch. The next one applies all changes from the facets' place on: to apply a piece of the log to the trees twice does no
/// harm, once its last change has been applied again. Threads: one; all but the changes may run beside a check.
/// </summary>
internal sealed class Indexer : IDisposable
{
    private const int Slice = 500, SaveFacetsAfter = 100_000;

    private readonly FieldReader _reader;
    private readonly MappedFile<IndexStatistics> _statistics;
    private readonly SortedTree?[] _trees;
    private readonly FacetField?[] _facets;
    private readonly List<(int Path, FieldValue Value)> _values = [];
    private readonly byte[] _entry = new byte[FieldValue.MostKey + sizeof(uint)];
    private int _unsaved;
    private bool _isWhole;

    public Indexer(string folder, long definition)
    {
        Log = LogFile.OpenRead(folder);
        Definition = Definition.FromJson(DocumentFrame.Decode(Log.Read(definition)).Content);
        _reader = new(Definition);
        Files = new(PathIn(folder, definition), Definition, Log.End);
        _isWhole = Position == 0 && Files.Ids.Count == 0;
        // Those of other definitions.
        foreach (string other in Directory.GetFiles(folder, "index-*"))
            if (other != PathIn(folder, definition)) File.Delete(other);
        _trees = [.. Definition.Paths.Select(path => Definition.Indexes.Contains(path) ? Files.Index(path) : null)];
        _facets = [.. Definition.Paths.Select(path => Definition.Facets.Contains(path) ? Files.Facet(path) : null)];
        _statistics = IndexStatistics.Create(folder);
        IndexStatistics.Write(_statistics, Files.Entries);
    }

    public LogFile Log { get; }

    public Definition Definition { get; }

    public IndexFiles Files { get; }

    /// <summary>The index of a path of the definition; null where it has none.</summary>
    public SortedTree? TreeOf(int path) => _trees[path];

    /// <inheritdoc cref="TreeOf"/>
    public FacetField? FacetOf(int path) => _facets[path];

    /// <summary>Up to where all is indexed.</summary>
    public long Position => Files.Position;

    public bool IsSaved { get; private set; } = true;

    /// <summary>The index of each definition, whose place in the log is given, has a file of its own.</summary>
    public static string PathIn(string folder, long definition) => Path.Combine(folder, $"index-{definition}");

    /// <summary>Goes on until the trees have nothing that the facets lack. A worker that was killed cannot have gone beyond the
    /// end.</summary>
    public void MakeWhole(long end)
    {
        while (!_isWhole && Position < end) Advance(end);
        _isWhole = true;
    }

    /// <summary>Takes in the next changes before the end, or all.</summary>
    public void Advance(long end)
    {
        IsSaved = false;
        Files.Position = DocumentFrame.Replay(Log, Position, end, Slice, Apply);
        if (_unsaved >= SaveFacetsAfter)
        {
            Files.SaveFacets();
            _unsaved = 0;
        }
        IndexStatistics.Write(_statistics, Files.Entries);
    }

    /// <summary>Brings all to the disk.</summary>
    public void Save()
    {
        Files.Save();
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
        if (frame.Previous != 0) Remove(frame.Id, id, DocumentFrame.Decode(Log.Read(frame.Previous)).Content);
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
            _trees[path]?.Set(Entry(value, id), place);
            _facets[path]?.Add(frame.Id, value.Name);
        }
    }

    private void Remove(uint number, ReadOnlySpan<byte> id, ReadOnlySpan<byte> content)
    {
        if (_reader.Read(content, _values) is not null) Files.Failed.Remove(id);
        foreach ((int path, FieldValue value) in _values) _trees[path]?.Remove(Entry(value, id));
        foreach (FacetField field in Files.Facets) field.Remove(number);
    }

    private ReadOnlySpan<byte> Entry(FieldValue value, ReadOnlySpan<byte> id)
    {
        value.Key.CopyTo(_entry, 0);
        id.CopyTo(_entry.AsSpan(value.Key.Length));
        return _entry.AsSpan(0, value.Key.Length + id.Length);
    }
}
