using static DocumentStore.Cluster.Message;

namespace DocumentStore.Cluster;

/// <summary>Some documents in the order of an index, and whether more follow. Threads: immutable.</summary>
internal sealed record RangePage(FoundDocument[] Documents, bool HasMore)
{
    // A page ends behind the document that goes beyond: a message has its limit.
    private const long MostBytes = 64 << 20;

    public static byte[] Ask(Query query, long? atLeast) => Of(Request.Range, (ref to) =>
    {
        ArgumentOutOfRangeException.ThrowIfNegative(query.Limit);
        to.WriteVarint(Awaited(atLeast));
        to.WriteText(query.Index ?? throw new ArgumentException("A range is one of an index: it is not named."));
        to.WriteBlock(query.From?.Key);
        to.WriteBlock(query.To?.Key);
        to.WriteBlock(query.After);
        to.WriteVarint(query.Limit);
        foreach ((string facet, FieldValue value) in query.Where)
        {
            to.WriteText(facet);
            to.WriteBlock(value.Key);
        }
    });

    public static (long AtLeast, Query Query) Asked(byte[] request)
    {
        SpanReader from = new(request.AsSpan(1));
        long atLeast = (long)from.ReadVarint();
        Query query = new()
        {
            Index = from.ReadText(), From = Value(from.ReadBlock()), To = Value(from.ReadBlock()), After = from.ReadBlock().ToArray(),
            Limit = from.ReadVarintInt32(), WithKeys = true,
        };
        List<(string, FieldValue)> where = [];
        while (from.Remaining > 0)
            where.Add((from.ReadText(), Value(from.ReadBlock()) ?? throw new ArgumentException("A facet's value is missing.")));
        return (atLeast, query with { Where = [.. where] });

        static FieldValue? Value(ReadOnlySpan<byte> key) => key.IsEmpty ? default(FieldValue?) : FieldValue.OfKey(key.ToArray());
    }

    public static byte[] Answered(long position, QueryResult found) => Of(Answer.Done, (ref to) =>
    {
        to.WriteVarint(position);
        int count = 0;
        for (long bytes = 0; count < found.Documents.Length && bytes < MostBytes; count++) bytes += found.Documents[count].Content.Length;
        to.Write(found.Next is not null || count < found.Documents.Length);
        for (int i = 0; i < count; i++)
        {
            to.WriteBlock(found.Keys[i]);
            to.WriteText(found.Documents[i].Key);
            to.WriteBlock(found.Documents[i].Content);
        }
    });

    public static RangePage Read(ReadOnlySpan<byte> answer)
    {
        SpanReader from = new(answer);
        bool hasMore = from.Read<bool>();
        List<FoundDocument> documents = [];
        while (from.Remaining > 0) documents.Add(new(from.ReadBlock().ToArray(), from.ReadText(), from.ReadBlock().ToArray()));
        return new([.. documents], hasMore);
    }
}
