using System.Text;
using MemPrims;
using MemPrims.Buffers;
using MemPrims.Pages;
using MemPrims.Sets;

namespace DocumentStore.Index;

/// <summary>
/// What the worker has made of the log, in a file that can be deleted at any time: trees, and facets, which are changed in memory and
/// saved now and then with their place in the log. So the trees may be ahead of it. Threads: any number of readers, or one writer.
/// </summary>
internal sealed class IndexFiles : IDisposable
{
    private static readonly TimeSpan s_formerWorker = TimeSpan.FromSeconds(60);

    private readonly Definition _definition;
    private readonly MappedPages _pages;
    private readonly SortedTree _saved;

    /// <summary>Opens the file, or begins anew where it has nothing that can be used.</summary>
    /// <param name="path">The file.</param>
    /// <param name="definition">What is indexed.</param>
    /// <param name="end">The end of the log; the file of another log may be ahead of it.</param>
    /// <exception cref="DamagedDataException">The facets are damaged.</exception>
    public IndexFiles(string path, Definition definition, long end)
    {
        _definition = definition;
        _pages = OpenPages(path);
        if (PositionIn(_pages) > end)
        {
            _pages.Dispose();
            _pages = MappedPages.Create(path);
        }
        Ids = _pages.Tree("ids"u8);
        Failed = _pages.Tree("failed"u8);
        Indexes = [.. definition.Indexes.Select(path => _pages.Tree(Utf8("by " + path)))];
        _saved = _pages.Tree("saved"u8);
        Position = PositionIn(_pages);
        Documents = _saved.TryGet("documents"u8, out ReadOnlySpan<byte> image) ? IdSet.Deserialize(image) : new();
        Facets = [.. definition.Facets.Select(path =>
            _saved.TryGet(Utf8("facet " + path), out ReadOnlySpan<byte> image) ? FacetField.Open(image.ToArray()) : new FacetField())];
    }

    /// <summary>The facets have all changes of the log up to here.</summary>
    public long Position { get; set; }

    /// <summary>The place of each document by its number.</summary>
    public SortedTree Ids { get; }

    /// <summary>Why a document could not be read and has no values, by its number.</summary>
    public SortedTree Failed { get; }

    /// <summary>For each index a tree from value and number of a document to its place.</summary>
    public SortedTree[] Indexes { get; }

    public FacetField[] Facets { get; }

    /// <summary>The numbers of all documents.</summary>
    public IdSet Documents { get; }

    /// <summary>What there is, for the statistics.</summary>
    public IEnumerable<(string Name, long Entries)> Entries =>
    [
        ("documents", Ids.Count), ("documents that cannot be read", Failed.Count),
        .. _definition.Indexes.Select((path, i) => ($"index {path}", Indexes[i].Count)),
        .. _definition.Facets.Select((path, i) => ($"facet {path}", (long)Facets[i].ValueCount)),
    ];

    public SortedTree Index(string path) => Indexes[Array.IndexOf(_definition.Indexes, path)];

    public FacetField Facet(string path) => Facets[Array.IndexOf(_definition.Facets, path)];

    /// <summary>Saves the facets as images. A worker that dies here leaves some of them ahead, too, which does no harm.</summary>
    public void SaveFacets()
    {
        _saved.Set("documents"u8, Documents.ToByteArray());
        foreach (string path in _definition.Facets) _saved.Set(Utf8("facet " + path), Facet(path).ToByteArray());
        _saved.Set("position"u8, BitConverter.GetBytes(Position));
    }

    /// <summary>Brings all to the disk.</summary>
    public void Save()
    {
        SaveFacets();
        _pages.Checkpoint((ulong)Position);
    }

    public void Dispose() => _pages.Dispose();

    private static long PositionIn(MappedPages pages) =>
        pages.Tree("saved"u8).TryGet("position"u8, out ReadOnlySpan<byte> position) ? BitConverter.ToInt64(position) : 0;

    /// <summary>The worker of an engine that was killed saves its file before it ends.</summary>
    private static MappedPages OpenPages(string path)
    {
        for (long start = Environment.TickCount64; ; Thread.Sleep(5))
        {
            try
            {
                return MappedPages.OpenOrCreate(path);
            }
            catch (IOException) when (Environment.TickCount64 - start < s_formerWorker.TotalMilliseconds)
            {
            }
        }
    }

    private static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text);
}
