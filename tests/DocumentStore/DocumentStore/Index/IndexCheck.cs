using System.Buffers.Binary;
using MemPrims;
using MemPrims.Pages;
using MemPrims.Sets;

namespace DocumentStore.Index;

/// <summary>Compares what the worker keeps with the documents in the log. Threads: beside others that read.</summary>
internal static class IndexCheck
{
    /// <returns>The first thing that is wrong; null where nothing is.</returns>
    public static string? Run(Indexer index)
    {
        IndexFiles files = index.Files;
        string[] paths = index.Definition.Paths;
        FieldReader reader = new(index.Definition);
        List<(int Path, FieldValue Value)> values = [];
        // How many values the documents have, of each path.
        long[] expected = new long[paths.Length];
        try
        {
            foreach (SortedTree tree in (SortedTree[])[files.Ids, files.Failed, .. files.Indexes]) tree.Verify();
            foreach (FacetField field in files.Facets) field.Verify();
            SortedCursor each = files.Ids.Scan();
            while (each.Next())
            {
                uint id = BinaryPrimitives.ReadUInt32BigEndian(each.Key);
                DocumentFrame frame = DocumentFrame.Decode(index.Log.Read(QueryRunner.PlaceIn(each.Value)));
                if (frame.Id != id || frame.IsDelete) return $"Document {id} leads to the frame of another.";
                if (!files.Documents.Contains(id)) return $"Document {id} is not in the set of all.";
                bool isRead = reader.Read(frame.Content, values) is null;
                if (files.Failed.TryGet(each.Key, out _) == isRead) return $"Document {id} can be read, or not; its entry says otherwise.";
                foreach ((int path, FieldValue value) in values.DistinctBy(static one => (one.Path, Convert.ToHexString(one.Value.Key))))
                {
                    expected[path]++;
                    if (index.TreeOf(path) is { } tree && !(tree.TryGet([.. value.Key, .. each.Key], out ReadOnlySpan<byte> place)
                        && place.SequenceEqual(each.Value))) return $"Index {paths[path]} lacks document {id}.";
                    if (index.FacetOf(path) is { } facet && !facet.Documents(value.Name).Contains(id))
                        return $"Facet {paths[path]} lacks document {id}.";
                }
            }
            if (files.Documents.Count != files.Ids.Count) return "The set of all has documents that are not there.";
            for (int path = 0; path < paths.Length; path++)
            {
                if (index.TreeOf(path) is { } tree && tree.Count != expected[path])
                    return $"Index {paths[path]} has {tree.Count} entries, and the documents {expected[path]}.";
                if (index.FacetOf(path)?.Top(files.Documents, int.MaxValue).Sum(static value => (long)value.Count) is { } there
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
