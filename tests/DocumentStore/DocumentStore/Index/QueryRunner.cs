using System.Buffers.Binary;

namespace DocumentStore.Index;

/// <summary>Answers a query out of the indexes: the places of a page of documents, and counts. Threads: any number, while nobody changes
/// the indexes.</summary>
internal static class QueryRunner
{
    /// <param name="indexes">Where to look.</param>
    /// <param name="request">What Query.Write has written.</param>
    /// <param name="answer">Gets what QueryResult.Read understands.</param>
    public static void Run(Indexes indexes, ReadOnlySpan<byte> request, SegmentList answer)
    {
        SpanReader from = new(request);
        SortedTree? index = from.ReadText() is { Length: > 0 } name ? indexes.Field(name).Tree : null;
        ReadOnlySpan<byte> low = from.ReadBlock(), high = from.ReadBlock(), after = from.ReadBlock();
        (int limit, int top) = (from.ReadVarintInt32(), from.ReadVarintInt32());
        List<byte[]>? keys = from.Read<bool>() ? [] : null;
        IdSet? hits = index is null ? indexes.Documents : null;
        for (int left = from.ReadVarintInt32(); left > 0; left--)
        {
            FacetField field = indexes.Field(from.ReadText()).Facet!;
            ReadOnlySpan<byte> value = from.ReadBlock();
            hits = hits is null ? field.Documents(value) : field.And(hits, value);
        }
        List<FacetField> counted = [];
        while (from.Remaining > 0) counted.Add(indexes.Field(from.ReadText()).Facet!);
        if (index is not null && counted.Count > 0) hits = InRange(index.Scan(low, high), hits);

        List<long> page = [];
        byte[]? next = index is null ? TakeIds(indexes.Ids, hits!, after, limit, page)
            : TakeEntries(after.IsEmpty ? index.Scan(low, high) : index.ScanAfter(after, high), hits, limit, page, keys);
        using Appender to = new(answer);
        to.WriteZigZag(index is null || counted.Count > 0 ? hits!.Count : -1);
        to.WriteBlock(next);
        to.WriteVarint(page.Count);
        to.WriteVarint(keys?.Count ?? 0);
        foreach (long place in page) to.WriteVarint((ulong)place);
        foreach (byte[] key in keys ?? []) to.WriteBlock(key);
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

    /// <summary>The documents of a range, of those that are asked for.</summary>
    private static IdSet InRange(SortedCursor cursor, IdSet? among)
    {
        List<uint> ids = [];
        while (cursor.Next()) ids.Add(IdOf(cursor.Key));
        IdSet all = IdSet.From(ids.ToArray());
        return among is null ? all : all.And(among);
    }

    /// <summary>Takes a page in the order of an index, and its keys where they are asked for.</summary>
    /// <returns>Its last key, where more follow.</returns>
    private static byte[]? TakeEntries(SortedCursor cursor, IdSet? among, int limit, List<long> page, List<byte[]>? keys)
    {
        byte[] last = [];
        while (cursor.Next())
        {
            if (among is not null && !among.Contains(IdOf(cursor.Key))) continue;
            if (page.Count == limit) return last;
            page.Add(PlaceIn(cursor.Value));
            keys?.Add(cursor.Key.ToArray());
            if (page.Count == limit) last = cursor.Key.ToArray();
        }
        return null;
    }

    /// <summary>Takes a page in the order of numbers.</summary>
    /// <inheritdoc cref="TakeEntries"/>
    private static byte[]? TakeIds(SortedTree ids, IdSet hits, ReadOnlySpan<byte> after, int limit, List<long> page)
    {
        byte[] key = after.IsEmpty ? new byte[sizeof(uint)] : after.ToArray();
        uint next = after.IsEmpty ? 0 : IdOf(after) + 1;
        for (; hits.TryGetNext(next, out uint id); next = id + 1)
        {
            if (page.Count == limit) return key;
            BinaryPrimitives.WriteUInt32BigEndian(key, id);
            page.Add(ids.TryGet(key, out ReadOnlySpan<byte> place) ? PlaceIn(place)
                : throw new InvalidDataException($"A facet has document {id}, and the list of documents does not."));
        }
        return null;
    }
}
