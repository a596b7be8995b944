using System.Buffers.Binary;
using MemPrims;
using MemPrims.Pages;
using MemPrims.Records;
using MemPrims.Sets;

namespace DocumentStore.Index;

/// <summary>Compares what the worker keeps with the documents in the log.</summary>
internal static class IndexCheck
{
    /// <returns>The first thing that is wrong; null where nothing is.</returns>
    public static string? Run(Indexer index, LogFile log)
    {
        string[] paths = index.Definition.Paths;
        IFieldReader reader = index.Definition.Reader();
        FieldValues values = new();
        HashSet<string> seen = [];
        // How many entries the documents call for, of each path.
        long[] expected = new long[paths.Length];
        try
        {
            index.File.Verify();
            foreach (FacetField field in index.Facets.Fields) field.Verify();
            SortedCursor each = index.File["ids"].Scan();
            while (each.Next())
            {
                uint id = BinaryPrimitives.ReadUInt32BigEndian(each.Key);
                DocumentFrame frame = DocumentFrame.Decode(log.Read(QueryRunner.PlaceIn(each.Value)));
                if (frame.Id != id || frame.IsDelete) return $"Document {id} leads to the frame of another.";
                if (!index.Facets.Documents.Contains(id)) return $"Document {id} is not in the set of all.";
                reader.Read(frame.Content, values);
                seen.Clear();
                for (int i = 0; i < values.Count; i++)
                {
                    int path = values.PathOf(i);
                    if (!seen.Add($"{path} {Convert.ToHexString(values.Key(i))}")) continue;
                    expected[path]++;
                    if (index.TreeOf[path] is { } tree && !(tree.TryGet([.. values.Key(i), .. each.Key], out ReadOnlySpan<byte> place)
                        && place.SequenceEqual(each.Value))) return $"Index {paths[path]} lacks document {id}.";
                    if (index.FacetOf[path] is { } facet && !facet.Documents(values.Name(i)).Contains(id))
                        return $"Facet {paths[path]} lacks document {id}.";
                }
            }
            if (index.Facets.Documents.Count != index.File["ids"].Count) return "The set of all has documents that are not there.";
            for (int path = 0; path < paths.Length; path++)
            {
                if (index.TreeOf[path] is { } tree && tree.Count != expected[path])
                    return $"Index {paths[path]} has {tree.Count} entries, and the documents {expected[path]}.";
                if (index.FacetOf[path]?.Top(index.Facets.Documents, int.MaxValue).Sum(static value => (long)value.Count) is { } there
                    && there != expected[path]) return $"Facet {paths[path]} has values that no document has.";
            }
            return null;
        }
        catch (DamagedDataException e)
        {
            return e.Message;
        }
    }
}
