using System.Buffers.Binary;
using MemPrims;
using MemPrims.Pages;
using MemPrims.Records;

namespace DocumentStore.Index;

/// <summary>Compares what the worker keeps with the documents in the log.</summary>
internal static class IndexCheck
{
    /// <returns>The first thing that is wrong; null where nothing is.</returns>
    public static string? Run(Indexer index, LogFile log)
    {
        Definition definition = index.Definition;
        IFieldReader reader = definition.Reader();
        string[] paths = definition.Paths;
        FieldValues values = new();
        Dictionary<string, long> entries = definition.Indexes.ToDictionary(static path => path, static _ => 0L);
        long[] valued = new long[definition.Facets.Length];
        try
        {
            index.File.Verify();
            foreach (MemPrims.Sets.FacetField field in index.Facets.Fields) field.Verify();
            SortedCursor each = index.File["ids"].Scan();
            while (each.Next())
            {
                uint id = BinaryPrimitives.ReadUInt32BigEndian(each.Key);
                DocumentFrame frame = DocumentFrame.Decode(log.Read(BinaryPrimitives.ReadInt64LittleEndian(each.Value)));
                if (frame.Id != id || frame.IsDelete) return $"Document {id} leads to the frame of another.";
                if (!index.Facets.Documents.Contains(id)) return $"Document {id} is not in the set of all.";
                values.Clear();
                try
                {
                    reader.Read(frame.Content, values);
                }
                catch (FormatException)
                {
                    values.Clear();
                }
                HashSet<string> seen = [];
                for (int i = 0; i < values.Count; i++)
                {
                    string path = paths[values.PathOf(i)];
                    if (!seen.Add(path + Convert.ToHexString(values.Key(i)))) continue;
                    if (entries.ContainsKey(path))
                    {
                        entries[path]++;
                        if (!index.Tree(path).TryGet([.. values.Key(i), .. each.Key], out ReadOnlySpan<byte> place)
                            || !place.SequenceEqual(each.Value)) return $"Index {path} lacks document {id}.";
                    }
                    if (Array.IndexOf(definition.Facets, path) is not (>= 0 and int facet)) continue;
                    valued[facet]++;
                    if (!index.Facets.Fields[facet].Documents(values.Name(i)).Contains(id)) return $"Facet {path} lacks document {id}.";
                }
            }
            if (index.Facets.Documents.Count != index.File["ids"].Count) return "The set of all has documents that are not there.";
            foreach ((string path, long count) in entries)
                if (index.Tree(path).Count is var there && there != count)
                    return $"Index {path} has {there} entries, and the documents {count}.";
            for (int i = 0; i < valued.Length; i++)
                if (index.Facets.Fields[i].Top(index.Facets.Documents, int.MaxValue).Sum(static value => (long)value.Count) != valued[i])
                    return $"Facet {definition.Facets[i]} has values that no document has.";
            return null;
        }
        catch (DamagedDataException e)
        {
            return e.Message;
        }
    }
}
