using MemPrims.Sets;

namespace MemPrims.Tool.Files;

// The image of a facet field.
internal sealed class FacetsFile(string path) : StoredFile
{
    public override string Kind => "an image of a facet field";

    public override void Describe(Report report)
    {
        using MappedBytes bytes = new(path);
        FacetField field = Open(bytes, validate: false);
        report.Add("values", field.ValueCount);
        report.Add("documents", field.DocumentCount);
    }

    public override void Verify(Report report, Action<long, long> progress)
    {
        using MappedBytes bytes = new(path);
        FacetField field = Open(bytes, validate: true);
        field.Verify();
        report.Add("values checked", field.ValueCount);
        report.Add("documents checked", field.DocumentCount);
    }

    public override void WriteTo(Dump dump)
    {
        using MappedBytes bytes = new(path);
        FacetField field = Open(bytes, validate: true);
        for (int ordinal = 0; ordinal < field.ValueCount && !dump.IsFull; ordinal++)
        {
            byte[] name = field.Utf8Name(ordinal).ToArray();
            dump.Line(("value", name), ("documents", field.CountOf(name)));
        }
    }

    private FacetField Open(MappedBytes bytes, bool validate)
    {
        if (bytes.Length > int.MaxValue)
            throw new DamagedDataException($"{path}: no image of a facet field has {bytes.Length} bytes. Restore it.", int.MaxValue);
        bytes.RequireAll();
        return FacetField.Open(bytes.Handle, 0, bytes.Length, validate);
    }
}
