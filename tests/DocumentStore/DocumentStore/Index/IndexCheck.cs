using System.Buffers.Binary;

namespace DocumentStore.Index;

/// <summary>Compares what the worker keeps with the documents in the log. Threads: beside others that read.</summary>
internal static class IndexCheck
{
    /// <returns>The first thing that is wrong; null where nothing is.</returns>
    public static string? Run(Indexer index)
    {
        try
        {
            return CheckDocuments(index, index.Files);
        }
        catch (DamagedDataException e)
        {
            return e.Message;
        }
    }

    private static string? CheckDocuments(Indexer index, IndexFiles files)
    {
        files.Ids.Verify();
        FieldReader reader = new(index.Definition);
        List<(int Path, FieldValue Value)> values = [];
        // What the documents have, of each path.
        long[] entries = new long[files.Fields.Length];
        FacetField[] facets = [.. files.Fields.Select(static _ => new FacetField())];
        SortedCursor each = files.Ids.Scan();
        while (each.Next())
        {
            uint id = BinaryPrimitives.ReadUInt32BigEndian(each.Key);
            DocumentFrame frame = DocumentFrame.At(index.Log, QueryRunner.PlaceIn(each.Value));
            if (frame.Id != id || frame.IsDelete) return $"Document {id} leads to the frame of another.";
            if (!files.Documents.Contains(id)) return $"Document {id} is not in the set of all.";
            bool isRead = reader.Read(frame.Content, values) is null;
            if (files.Failed.TryGet(each.Key, out _) == isRead) return $"Document {id} can be read, or not; its entry says otherwise.";
            foreach ((int path, FieldValue value) in values.DistinctBy(static one => (one.Path, Convert.ToHexString(one.Value.Key))))
            {
                entries[path]++;
                facets[path].Add(id, value.Name);
                if (files.Fields[path].Tree is not { } tree) continue;
                bool isThere = tree.TryGet([.. value.Key, .. each.Key], out ReadOnlySpan<byte> place);
                if (!isThere || !place.SequenceEqual(each.Value)) return $"Index {files.Fields[path].Path} lacks document {id}.";
            }
        }
        if (files.Documents.Count != files.Ids.Count) return "The set of all has documents that are not there.";
        for (int i = 0; i < entries.Length; i++)
        {
            (string path, SortedTree? tree, FacetField? facet) = files.Fields[i];
            tree?.Verify();
            facet?.Verify();
            if (tree is not null && tree.Count != entries[i]) return $"Index {path} has entries that no document has.";
            if (facet is not null && !AreEqual(facet, facets[i], files.Documents)) return $"Facet {path} differs from the documents.";
        }
        return null;
    }

    /// <summary>Values that no document has any more may still be there.</summary>
    private static bool AreEqual(FacetField one, FacetField other, IdSet all)
    {
        FacetCount[] ones = one.Top(all, int.MaxValue), others = other.Top(all, int.MaxValue);
        return one.DocumentCount == other.DocumentCount && ones.Length == others.Length
            && ones.All(value => one.Documents(value.Utf8Name.Span).SetEquals(other.Documents(value.Utf8Name.Span)));
    }
}
