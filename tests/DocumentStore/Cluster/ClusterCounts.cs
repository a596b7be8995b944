namespace DocumentStore.Cluster;

/// <summary>How many documents a cluster has found, and the top values of facets among them. Threads: immutable.</summary>
public sealed record ClusterCounts(long Total, IReadOnlyList<(string Facet, ValueCount[] Values)> Facets)
{
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
