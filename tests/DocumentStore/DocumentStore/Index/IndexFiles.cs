namespace DocumentStore.Index;

/// <summary>What there is of a path of the definition.</summary>
/// <param name="Path">The path.</param>
/// <param name="Tree">From value and number of a document to its place, where the path is an index.</param>
/// <param name="Facet">The documents of each value, where the path is a facet.</param>
internal sealed record IndexedField(string Path, SortedTree? Tree, FacetField? Facet);

/// <summary>
/// What the worker has made of the log: trees, and facets, which are changed in memory and saved in a tree now and then with their place
/// in the log. So the trees may be ahead. Threads: any number of readers, or one writer.
/// </summary>
internal sealed class IndexFiles : IDisposable
{
    private const string TreesFrom = "trees from";

    private readonly TreeFile _file;
    private readonly SortedTree _images;

    /// <exception cref="DamagedDataException">The facets are damaged.</exception>
    public IndexFiles(string path, Definition definition, long end)
    {
        _file = new(path, end, waits: TimeSpan.FromSeconds(60));
        (Ids, Failed, _images) = (_file.Tree("ids"), _file.Tree("failed"), _file.Tree("images"));
        Position = _file.Position;
        IsLevel = Position > _file[TreesFrom];
        Documents = _images.TryGet("documents"u8, out ReadOnlySpan<byte> image) ? IdSet.Deserialize(image) : new();
        Fields = [.. definition.Paths.Select(path => new IndexedField(path,
            definition.Indexes.Contains(path) ? _file.Tree("by " + path) : null,
            definition.Facets.Contains(path) ? OpenFacet(path) : null))];
    }

    /// <summary>The facets have all changes of the log up to here.</summary>
    public long Position { get; private set; }

    /// <summary>Whether the trees are as far as the facets. Only then queries agree with themselves.</summary>
    public bool IsLevel { get; private set; }

    /// <summary>The place of each document by its number.</summary>
    public SortedTree Ids { get; }

    /// <summary>Why a document could not be read and has no values, by its number.</summary>
    public SortedTree Failed { get; }

    /// <summary>The numbers of all documents.</summary>
    public IdSet Documents { get; }

    /// <summary>In the order of the definition's paths.</summary>
    public IndexedField[] Fields { get; }

    public IndexedField Field(string path) => Array.Find(Fields, one => one.Path == path)!;

    /// <summary>What there is, for the statistics.</summary>
    public List<(string Name, long Entries)> Entries()
    {
        List<(string, long)> all = [("documents", Ids.Count), ("documents that cannot be read", Failed.Count)];
        foreach (IndexedField field in Fields)
        {
            if (field.Tree is { } tree) all.Add(($"index {field.Path}", tree.Count));
            if (field.Facet is { } facet) all.Add(($"facet {field.Path}", facet.ValueCount));
        }
        return all;
    }

    /// <summary>
    /// Changes trees and facets. A worker that is killed meanwhile leaves the trees with some of the changes; the next one brings the
    /// facets there, and makes this change again, or one that goes at least as far.
    /// </summary>
    /// <param name="change">Makes the changes from <see cref="Position"/> on; returns their end.</param>
    public void Change(Func<long, long> change)
    {
        bool becomesLevel = Position >= _file[TreesFrom];
        if (becomesLevel) _file[TreesFrom] = Position;
        Position = change(Position);
        IsLevel |= becomesLevel;
    }

    /// <summary>Saves the facets as images. A worker that dies here leaves some of them ahead, too, which does no harm.</summary>
    public void SaveFacets()
    {
        _images.Set("documents"u8, Documents.ToByteArray());
        foreach (IndexedField field in Fields)
            if (field.Facet is { } facet) _images.Set(TreeFile.Utf8("facet " + field.Path), facet.ToByteArray());
        _file.Position = Position;
    }

    /// <summary>Brings all to the disk.</summary>
    public void Save()
    {
        SaveFacets();
        _file.Save();
    }

    public void Dispose() => _file.Dispose();

    private FacetField OpenFacet(string path) =>
        _images.TryGet(TreeFile.Utf8("facet " + path), out ReadOnlySpan<byte> image) ? FacetField.Open(image.ToArray()) : new();
}
