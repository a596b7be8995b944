using System.Numerics;

namespace MemPrims.Sets;

/// <summary>
/// A column of ordinals of two or four bytes each: the facets' positions in the index, so that the counts themselves are the table. So many facets
/// rarely come twice in a row.
/// </summary>
internal sealed class WideColumn<T>(T[][] layers, int limit) : FacetColumn(limit) where T : unmanaged, IBinaryInteger<T>
{
    // See NarrowColumn.
    private const int CostOfOrdinal = 8, CostOfBit = 14;

    public override long Cost(int ids, ContainerKind kind) => layers.Length * (long)(kind == ContainerKind.Bitmap ? CostOfBit : CostOfOrdinal) * ids;

    protected override void AddIds(scoped ReadOnlySpan<ushort> ids, int sign, ref FacetTally tally)
    {
        Span<long> counts = tally.Counts;
        foreach (T[] layer in layers)
            foreach (ushort id in ids) Add(layer[id], sign, counts);
    }

    protected override void AddStretch(int start, int length, int sign, ref FacetTally tally)
    {
        Span<long> counts = tally.Counts;
        foreach (T[] layer in layers)
            foreach (T ordinal in layer.AsSpan(start, length)) Add(ordinal, sign, counts);
    }

    // The ordinal for none is the first for which there is no count.
    private static void Add(T ordinal, int sign, Span<long> counts)
    {
        int facet = int.CreateTruncating(ordinal);
        if ((uint)facet < (uint)counts.Length) counts[facet] += sign;
    }
}
