using System.Buffers.Binary;
using MemPrims.Buffers;
using MemPrims.Pages;
using MemPrims.Sets;

namespace DocumentStore.Index;

/// <summary>Answers a query out of the indexes: the places of a page of documents, and counts. Threads: one.</summary>
internal static class QueryRunner
{
    /// <param name="index">What to ask.</param>
    /// <param name="request">What Query.Write has written.</param>
    /// <param name="answer">Gets what Collection.Read understands.</param>
    public static void Run(Indexer index, ReadOnlySpan<byte> request, SegmentList answer)
    {
        SpanReader from = new(request);
        string name = from.ReadText();
        ReadOnlySpan<byte> low = from.ReadBlock(), high = from.ReadBlock(), after = from.ReadBlock();
        (int limit, int top) = (from.ReadVarintInt32(), from.ReadVarintInt32());
        IdSet? hits = name.Length == 0 ? index.Facets.Documents : null;
        for (int left = from.ReadVarintInt32(); left > 0; left--)
        {
            FacetField field = index.Facet(from.ReadText());
            ReadOnlySpan<byte> value = from.ReadBlock();
            hits = hits is null ? field.Documents(value) : field.And(hits, value);
        }
        List<FacetField> counted = [];
        while (from.Remaining > 0) counted.Add(index.Facet(from.ReadText()));

        List<long> page = [];
        byte[]? next = null;
        if (name.Length == 0) TakeIds(index, hits!, after, limit, page, ref next);
        else
        {
            SortedTree tree = index.Tree(name);
            if (counted.Count > 0) hits = All(tree.Scan(low, high), hits);
            SortedCursor cursor = after.IsEmpty ? tree.Scan(low, high) : tree.Scan(after: in after, high);
            TakeEntries(ref cursor, hits, limit, page, ref next);
        }

        using Appender to = new(answer);
        to.WriteZigZag(name.Length == 0 || counted.Count > 0 ? hits!.Count : -1);
        to.WriteBlock(next);
        to.WriteVarint(page.Count);
        foreach (long place in page) to.WriteVarint((ulong)place);
        foreach (FacetField field in counted)
        {
            FacetCount[] values = field.Top(hits!, top);
            to.WriteVarint(values.Length);
            foreach (FacetCount value in values)
            {
                to.WriteBlock(value.Utf8Name.Span);
                to.WriteVarint(value.Count);
            }
        }
        to.Commit();
    }

    /// <summary>The place of a document in the log, as entries of the indexes have it.</summary>
    internal static long PlaceIn(ReadOnlySpan<byte> value) => (long)new SpanReader(value).ReadVarint();

    private static uint IdOf(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadUInt32BigEndian(key[^4..]);

    private static long PlaceOf(Indexer index, uint id)
    {
        Span<byte> key = stackalloc byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(key, id);
        return index.File["ids"].TryGet(key, out ReadOnlySpan<byte> place) ? PlaceIn(place)
            : throw new InvalidDataException($"An index has document {id}, and the list of documents does not.");
    }

    /// <summary>All documents of a range, of those that are asked for.</summary>
    private static IdSet All(SortedCursor cursor, IdSet? among)
    {
        List<uint> ids = [];
        while (cursor.Next()) ids.Add(IdOf(cursor.Key));
        ids.Sort();
        IdSet all = IdSet.From(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(ids));
        return among is null ? all : all.And(among);
    }

    private static void TakeEntries(ref SortedCursor cursor, IdSet? among, int limit, List<long> page, ref byte[]? next)
    {
        byte[]? last = null;
        while (cursor.Next())
        {
            if (among is not null && !among.Contains(IdOf(cursor.Key))) continue;
            if (page.Count == limit)
            {
                next = last;
                return;
            }
            page.Add(PlaceIn(cursor.Value));
            if (page.Count == limit) last = cursor.Key.ToArray();
        }
    }

    private static void TakeIds(Indexer index, IdSet hits, ReadOnlySpan<byte> after, int limit, List<long> page, ref byte[]? next)
    {
        uint at = after.IsEmpty ? 0 : IdOf(after) + 1;
        while (hits.TryGetNext(at, out uint id))
        {
            if (page.Count == limit)
            {
                if (limit > 0) BinaryPrimitives.WriteUInt32BigEndian(next = new byte[4], at - 1);
                return;
            }
            page.Add(PlaceOf(index, id));
            at = id + 1;
        }
    }
}
