using System.Buffers.Binary;
using MemPrims.Codecs;
using MemPrims.Pages;
using MemPrims.Records;
using MemPrims.Sets;

namespace DocumentStore.Index;

/// <summary>
/// Brings the changes of the log into the indexes and facets: a tree for each index, from value and number of a document to its place; a
/// tree of the places of documents by their numbers, a facet field for each facet. Threads: one.
/// </summary>
internal sealed class Indexer : IDisposable
{
    private const int Slice = 500, SaveFacetsAfter = 100_000;

    private readonly LogFile _log;
    private readonly IFieldReader _reader;
    private readonly StatisticsFile _statistics;
    private readonly FieldValues _old = new(), _new = new();
    private readonly byte[] _key = new byte[2 * FieldValue.MostText + 16];
    private int _unsaved;
    private bool _isLevel;
    private long _failed;
    private string? _lastError;

    public Indexer(string folder)
    {
        Definition = Definition.Load(folder) ?? throw new FileNotFoundException("The folder has no collection.", folder);
        _reader = Definition.Reader();
        _log = LogFile.OpenRead(folder);
        string stamp = Definition.Stamp;
        File = IndexFile.Open(Path.Combine(folder, "index.pages"), stamp, _log.End, ["ids", .. Definition.Indexes.Select(TreeName)]);
        Facets = FacetFile.Open(Path.Combine(folder, "facets"), stamp, Definition.Facets.Length);
        // Facets that are ahead of trees made anew would wait for them: both begin at the start then.
        if (File.Renewed is not null) Facets = FacetFile.New(Path.Combine(folder, "facets"), stamp, Definition.Facets.Length);
        string[] paths = Definition.Paths;
        TreeOf = [.. paths.Select(path => Definition.Indexes.Contains(path) ? Tree(path) : null)];
        FacetOf = [.. paths.Select(path => Definition.Facets.Contains(path) ? Facet(path) : null)];
        (_failed, _lastError) = (File.Extra, File.Renewed);
        _statistics = new(folder, Definition, File.Renewed is not null);
    }

    public Definition Definition { get; }

    public IndexFile File { get; }

    public FacetFile Facets { get; }

    /// <summary>Up to where all is indexed.</summary>
    public long Position => Math.Min(File.Position, Facets.Position);

    public bool IsSaved { get; private set; } = true;

    /// <summary>The index and the facet of each path of the definition; null where it has none.</summary>
    public SortedTree?[] TreeOf { get; }

    /// <inheritdoc cref="TreeOf"/>
    public FacetField?[] FacetOf { get; }

    public SortedTree Tree(string index) => File[TreeName(index)];

    public FacetField Facet(string facet) => Facets.Fields[Array.IndexOf(Definition.Facets, facet)];

    /// <summary>Makes whole what a worker that died has left: facets behind the trees, and trees with a part of some batch.</summary>
    public void Level(long end)
    {
        while (File.Position != Facets.Position) Advance(Math.Max(File.Position, Facets.Position));
        if (!_isLevel) Advance(end);
        _isLevel = true;
    }

    /// <summary>Takes in some of the changes up to the end: from one place always as many, or more where the log has more.</summary>
    public void Advance(long end)
    {
        (long trees, long facets) = (File.Position, Facets.Position);
        IsSaved = false;
        long position = DocumentFrame.Replay(_log, Position, end, Slice, (at, frame) => Apply(at, frame, at >= trees, at >= facets));
        // What is behind the last whole batch was never acknowledged.
        if (position == Position && _log.End >= end) position = end;
        if (position > trees) File.Applied(position, _failed);
        if (position > facets) Facets.Position = position;
        if (_unsaved >= SaveFacetsAfter)
        {
            Facets.Save();
            _unsaved = 0;
        }
        _statistics.Write(this, _failed, _lastError);
    }

    /// <summary>Brings all to the disk.</summary>
    public void Checkpoint()
    {
        Facets.Save();
        File.Checkpoint();
        (_unsaved, IsSaved) = (0, true);
    }

    /// <summary>Compares all with the documents: null, or what is wrong.</summary>
    public string? Check() => IndexCheck.Run(this, _log);

    public void Dispose()
    {
        File.Dispose();
        _statistics.Dispose();
        _log.Dispose();
    }

    private static string TreeName(string path) => "by " + path;

    private void Apply(long position, DocumentFrame frame, bool trees, bool facets)
    {
        _unsaved++;
        _new.Clear();
        // A document that cannot be read is kept, and has no values.
        if (!frame.IsDelete && _reader.Read(frame.Content, _new) is { } error && trees) (_failed, _lastError) = (_failed + 1, error);
        if (trees) ApplyToTrees(position, frame);
        if (facets) ApplyToFacets(frame);
    }

    private void ApplyToTrees(long position, DocumentFrame frame)
    {
        Span<byte> id = stackalloc byte[4], place = stackalloc byte[Varint.MaxSize];
        BinaryPrimitives.WriteUInt32BigEndian(id, frame.Id);
        place = place[..Varint.Write(place, (ulong)position)];
        if (frame.Previous != 0)
        {
            _reader.Read(DocumentFrame.Decode(_log.Read(frame.Previous)).Content, _old);
            for (int i = 0; i < _old.Count; i++) TreeOf[_old.PathOf(i)]?.Remove(Key(_old.Key(i), id));
        }
        for (int i = 0; i < _new.Count; i++) TreeOf[_new.PathOf(i)]?.Set(Key(_new.Key(i), id), place);
        if (frame.IsDelete) File["ids"].Remove(id);
        else File["ids"].Set(id, place);
    }

    private void ApplyToFacets(DocumentFrame frame)
    {
        if (frame.IsDelete) Facets.Documents.Remove(frame.Id);
        else Facets.Documents.Add(frame.Id);
        if (frame.Previous != 0)
            foreach (FacetField field in Facets.Fields) field.Remove(frame.Id);
        for (int i = 0; i < _new.Count; i++)
            FacetOf[_new.PathOf(i)]?.Add(frame.Id, _new.Name(i));
    }

    private ReadOnlySpan<byte> Key(ReadOnlySpan<byte> value, ReadOnlySpan<byte> id)
    {
        value.CopyTo(_key);
        id.CopyTo(_key.AsSpan(value.Length));
        return _key.AsSpan(0, value.Length + id.Length);
    }
}
