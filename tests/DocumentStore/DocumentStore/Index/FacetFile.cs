using System.Buffers;
using MemPrims;
using MemPrims.Buffers;
using MemPrims.Records;
using MemPrims.Sets;

namespace DocumentStore.Index;

/// <summary>
/// The facets of a collection and the set of its documents, in memory; saved now and then as one file, with the place in the log up to
/// which they are. Threads: one.
/// </summary>
internal sealed class FacetFile
{
    private readonly string _path, _stamp;

    private FacetFile(string path, string stamp, int fields)
    {
        (_path, _stamp) = (path, stamp);
        Fields = [.. Enumerable.Range(0, fields).Select(static _ => new FacetField())];
    }

    public long Position { get; set; }

    public FacetField[] Fields { get; }

    /// <summary>The numbers of all documents.</summary>
    public IdSet Documents { get; private set; } = new();

    /// <summary>Facets without a document.</summary>
    public static FacetFile New(string path, string stamp, int fields) => new(path, stamp, fields);

    /// <summary>Opens what was saved; begins anew where that is damaged, or was made for something else.</summary>
    public static FacetFile Open(string path, string stamp, int fields)
    {
        FacetFile facets = new(path, stamp, fields);
        if (!File.Exists(path)) return facets;
        byte[] image = File.ReadAllBytes(path);
        try
        {
            SpanReader from = new(image);
            if (from.ReadText() != stamp) return facets;
            long position = (long)from.ReadVarint();
            facets.Documents = IdSet.Deserialize(from.ReadBlock());
            for (int i = 0; i < fields; i++)
            {
                int length = from.ReadBlock().Length;
                facets.Fields[i] = FacetField.Open(image.AsMemory((int)from.Position - length, length));
            }
            facets.Position = position;
            return facets;
        }
        catch (DamagedDataException)
        {
            return new(path, stamp, fields);
        }
    }

    public void Save() => Files.Replace(_path, file =>
    {
        using SegmentList image = new();
        using (Appender to = new(image))
        {
            to.WriteText(_stamp);
            to.WriteVarint((ulong)Position);
            to.WriteBlock(Documents.ToByteArray());
            foreach (FacetField field in Fields) to.WriteBlock(field.ToByteArray());
            to.Commit();
        }
        foreach (ReadOnlyMemory<byte> piece in image.AsSequence()) file.Write(piece.Span);
    });
}
