namespace DocumentStore.Index;

/// <summary>What there is of a path of the definition.</summary>
/// <param name="Path">The path.</param>
/// <param name="Tree">From value and number of a document to its place, where the path is an index.</param>
/// <param name="Facet">The documents of each value, where the path is a facet.</param>
internal sealed record IndexedField(string Path, SortedTree? Tree, FacetField? Facet)
{
    private byte[] Image => TreeFile.Utf8("facet " + Path);

    /// <summary>For the statistics.</summary>
    public IEnumerable<(string Name, long Entries)> Entries
    {
        get
        {
            if (Tree is not null) yield return ($"index {Path}", Tree.Count);
            if (Facet is not null) yield return ($"facet {Path}", Facet.ValueCount);
        }
    }

    public static IndexedField Open(Definition definition, string path, TreeFile file, SortedTree images)
    {
        IndexedField field = new(path, definition.Indexes.Contains(path) ? file.Tree("by " + path) : null, null);
        if (!definition.Facets.Contains(path)) return field;
        return field with { Facet = images.TryGet(field.Image, out ReadOnlySpan<byte> image) ? FacetField.Open(image.ToArray()) : new() };
    }

    public void Save(SortedTree images)
    {
        if (Facet is not null) images.Set(Image, Facet.ToByteArray());
    }
}
