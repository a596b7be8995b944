using System.Buffers.Binary;

namespace DocumentStore.Index;

/// <summary>
/// What the worker makes of the log: trees, and facets, which are changed in memory and saved in a tree now and then. A worker that was
/// killed leaves the trees ahead of the facets, and in the middle of a batch. The next one applies all changes from the facets' place on:
/// to apply a piece of the log to the trees twice does no harm, once its last change has been applied again. Threads: one; all but the
/// changes may run beside a check.
/// </summary>
internal sealed class Indexes : IDisposable
{
    private const int Slice = 500, SaveFacetsAfter = 100_000;

    // The number in the file that says from where the trees were being changed.
    private const string TreesFrom = "trees from";

    private readonly TreeFile _file;
    private readonly SortedTree _images;
    private readonly FieldReader _reader;
    private readonly MappedFile<IndexStatistics> _statistics;
    private readonly List<(int Path, FieldValue Value)> _values = [];
    private int _unsaved;
    private bool _isLevel;

    /// <exception cref="DamagedDataException">The facets are damaged.</exception>
    public Indexes(string folder, string name, long definition)
    {
        Log = LogFile.OpenRead(folder);
        Definition = Definition.FromJson(DocumentFrame.At(Log, definition).Content);
        _reader = new(Definition);
        string path = Path.Combine(folder, name);
        _file = new(path, Log, waits: TimeSpan.FromSeconds(60));
        // A compaction has moved documents to the end, so what was there in between has never been.
        if (_file.IsNew && Compaction.FilesOf(folder)[0] > 0) _file[TreesFrom] = Log.End;
        (Ids, Unreadable, _images) = (_file.Tree("ids"), _file.Tree("unreadable"), _file.Tree("images"));
        Position = _file.Position;
        _isLevel = Position > _file[TreesFrom];
        Documents = _images.TryGet("documents"u8, out ReadOnlySpan<byte> image) ? IdSet.Deserialize(image) : new();
        Fields = [.. Definition.Paths.Select(path => IndexedField.Open(Definition, path, _file, _images))];
        foreach (string ofOtherDefinition in Directory.GetFiles(folder, "index-*").Except([path])) File.Delete(ofOtherDefinition);
        _statistics = IndexStatistics.Create(folder, this);
    }

    public LogFile Log { get; private set; }

    public Definition Definition { get; }

    /// <summary>The facets have all changes of the log up to here, and the trees at least these.</summary>
    public long Position { get; private set; }

    /// <summary>And these are on the disk up to here.</summary>
    public long SavedTo => _file.SavedTo;

    public bool IsSaved => SavedTo == Position;

    /// <summary>The place of each document by its number.</summary>
    public SortedTree Ids { get; }

    /// <summary>Documents that could not be read and have no values, by their numbers.</summary>
    public SortedTree Unreadable { get; }

    /// <summary>The numbers of all documents.</summary>
    public IdSet Documents { get; }

    /// <summary>In the order of the definition's paths.</summary>
    public IndexedField[] Fields { get; }

    public IndexedField Field(string path) => Array.Find(Fields, one => one.Path == path)!;

    /// <summary>Goes on until the facets have all that the trees have: only then queries agree with themselves.</summary>
    public void MakeLevel(long end)
    {
        while (!_isLevel && Position < end) Advance(end);
    }

    /// <summary>Takes in the next changes before the end.</summary>
    public void Advance(long end)
    {
        // What a killed worker had begun is done again here, or more.
        bool becomesLevel = Position >= _file[TreesFrom];
        if (becomesLevel) _file[TreesFrom] = Position;
        Position = DocumentFrame.Replay(Log, Position, end, Slice, Apply);
        _isLevel |= becomesLevel;
        if (_unsaved >= SaveFacetsAfter) SaveFacets();
        IndexStatistics.Write(_statistics, this);
    }

    /// <summary>Brings all to the disk.</summary>
    public void Save()
    {
        if (IsSaved) return;
        SaveFacets();
        _file.Save();
    }

    /// <summary>Lets go of the files of the log that a compaction has dropped.</summary>
    public void OpenLogAgain()
    {
        Log.Dispose();
        Log = LogFile.OpenRead(Log.FolderPath);
        // The files stay mapped, and so on the disk, until the old log is collected.
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }

    public void Dispose()
    {
        _file.Dispose();
        _statistics.Dispose();
        Log.Dispose();
    }

    /// <summary>A worker that dies here leaves some of the images ahead, too, which does no harm.</summary>
    private void SaveFacets()
    {
        _images.Set("documents"u8, Documents.ToByteArray());
        foreach (IndexedField field in Fields) field.Save(_images);
        (_file.Position, _unsaved) = (Position, 0);
    }

    private void Apply(long position, long size, DocumentFrame frame)
    {
        if (frame.Key.IsEmpty) return;
        _unsaved++;
        Span<byte> id = stackalloc byte[sizeof(uint)], place = stackalloc byte[Varint.MaxSize];
        BinaryPrimitives.WriteUInt32BigEndian(id, frame.Id);
        place = place[..Varint.Write(place, (ulong)position)];
        // What a compaction has dropped was never in these indexes: they were saved before, or have begun after it.
        if (frame.Previous >= Log.Start && !frame.IsMoved)
        {
            if (!_reader.TryRead(DocumentFrame.At(Log, frame.Previous).Content, _values)) Unreadable.Remove(id);
            foreach ((int path, FieldValue value) in _values) Fields[path].Tree?.Remove([.. value.Key, .. id]);
            foreach (IndexedField field in Fields) field.Facet?.Remove(frame.Id);
        }
        if (frame.IsDelete)
        {
            Ids.Remove(id);
            Documents.Remove(frame.Id);
            return;
        }
        Ids.Set(id, place);
        Documents.Add(frame.Id);
        if (!_reader.TryRead(frame.Content, _values)) Unreadable.Set(id, []);
        foreach ((int path, FieldValue value) in _values)
        {
            Fields[path].Tree?.Set([.. value.Key, .. id], place);
            Fields[path].Facet?.Add(frame.Id, value.Name);
        }
    }
}
