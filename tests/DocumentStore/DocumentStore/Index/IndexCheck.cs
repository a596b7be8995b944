using System.Buffers.Binary;

namespace DocumentStore.Index;

/// <summary>Compares what the worker keeps with the documents in the log. Threads: beside others that read.</summary>
internal static class IndexCheck
{
    /// <returns>The first thing that is wrong; null where nothing is.</returns>
    public static string? Run(Indexes indexes)
    {
        try
        {
            return CheckDocuments(indexes);
        }
        catch (DamagedDataException e)
        {
            return e.Message;
        }
    }

    private static string? CheckDocuments(Indexes indexes)
    {
        indexes.Ids.Verify();
        FieldReader reader = new(indexes.Definition);
        List<(int Path, FieldValue Value)> values = [];
        // What the documents have, of each path.
        long[] entries = new long[indexes.Fields.Length];
        FacetField[] facets = [.. indexes.Fields.Select(static _ => new FacetField())];
        SortedCursor each = indexes.Ids.Scan();
        while (each.Next())
        {
            uint id = BinaryPrimitives.ReadUInt32BigEndian(each.Key);
            DocumentFrame frame = DocumentFrame.At(indexes.Log, QueryRunner.PlaceIn(each.Value));
            if (frame.Id != id || frame.IsDelete) return $"Document {id} leads to the frame of another.";
            if (!indexes.Documents.Contains(id)) return $"Document {id} is not in the set of all.";
            bool isRead = reader.TryRead(frame.Content, values);
            if (indexes.Unreadable.TryGet(each.Key, out _) == isRead) return $"Document {id} can be read, or not: not as noted.";
            foreach ((int path, FieldValue value) in values.DistinctBy(static one => (one.Path, Convert.ToHexString(one.Value.Key))))
            {
                entries[path]++;
                facets[path].Add(id, value.Name);
                if (indexes.Fields[path].Tree is not { } tree) continue;
                bool isThere = tree.TryGet([.. value.Key, .. each.Key], out ReadOnlySpan<byte> place);
                if (!isThere || !place.SequenceEqual(each.Value)) return $"Index {indexes.Fields[path].Path} lacks document {id}.";
            }
        }
        if (indexes.Documents.Count != indexes.Ids.Count) return "The set of all has documents that are not there.";
        for (int i = 0; i < entries.Length; i++)
        {
            (string path, SortedTree? tree, FacetField? facet) = indexes.Fields[i];
            tree?.Verify();
            facet?.Verify();
            if (tree is not null && tree.Count != entries[i]) return $"Index {path} has entries that no document has.";
            if (facet is not null && !AreEqual(facet, facets[i], indexes.Documents)) return $"Facet {path} differs from the documents.";
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
