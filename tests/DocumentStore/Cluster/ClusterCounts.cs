using static DocumentStore.Cluster.Message;

namespace DocumentStore.Cluster;

/// <summary>How many documents a cluster has found, and the top values of facets among them. Threads: immutable.</summary>
public sealed record ClusterCounts(long Total, IReadOnlyList<(string Facet, ValueCount[] Values)> Facets)
{
    internal static byte[] Ask(string[] facets, (string Facet, string Value)[] where, int top, long? atLeast)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(top);
        return Of(Request.Facets, (ref to) =>
        {
            to.WriteVarint(Awaited(atLeast));
            to.WriteVarint(top);
            to.WriteVarint(where.Length);
            foreach ((string facet, string value) in where)
            {
                to.WriteText(facet);
                to.WriteText(value);
            }
            foreach (string facet in facets) to.WriteText(facet);
        });
    }

    internal static (long AtLeast, Query Query) Asked(byte[] request)
    {
        SpanReader from = new(request.AsSpan(1));
        long atLeast = (long)from.ReadVarint();
        int top = from.ReadVarintInt32();
        List<(string, FieldValue)> where = [];
        for (ulong left = from.ReadVarint(); left > 0; left--) where.Add((from.ReadText(), from.ReadText()));
        List<string> facets = [];
        while (from.Remaining > 0) facets.Add(from.ReadText());
        return (atLeast, new() { Where = [.. where], Facets = [.. facets], Top = top, Limit = 0 });
    }

    internal static byte[] Answered(long position, long total, IEnumerable<ValueCount[]> facets) => Of(Answer.Done, (ref to) =>
    {
        to.WriteVarint(position);
        to.WriteVarint(total);
        foreach (ValueCount[] values in facets)
        {
            to.WriteVarint(values.Length);
            foreach (ValueCount value in values)
            {
                to.WriteText(value.Value);
                to.WriteVarint(value.Count);
            }
        }
    });

    internal static ClusterCounts Read(ReadOnlySpan<byte> answer, string[] facets)
    {
        SpanReader from = new(answer);
        long total = (long)from.ReadVarint();
        (string, ValueCount[])[] counts = new (string, ValueCount[])[facets.Length];
        for (int i = 0; i < facets.Length; i++)
        {
            ValueCount[] values = new ValueCount[(int)from.ReadVarint()];
            foreach (ref ValueCount value in values.AsSpan()) value = new(from.ReadText(), (int)from.ReadVarint());
            counts[i] = (facets[i], values);
        }
        return new(total, counts);
    }
}
