namespace MemPrims.Sets;

/// <summary>A column of ordinals of a byte each, for up to 255 facets: counted in tables, unless the ids are few.</summary>
internal sealed class NarrowColumn(byte[][] layers, int[] facets, int limit) : FacetColumn(limit)
{
    /// <summary>Fewer ids than this are counted one by one: clearing and adding up tables takes as long as they do.</summary>
    private const int FewestForTables = 64;

    // In units of a tenth of a nanosecond: an ordinal that lies at hand, that of an id, that of a bit that must be decoded; compressing all of a bitmap.
    private const int CostOfOrdinal = 4, CostOfId = 6, CostOfBit = 10, CostOfCompressing = 10_000;

    public override long Cost(int ids, ContainerKind kind) => layers.Length * (kind switch
    {
        ContainerKind.Array => (long)CostOfId * ids,
        ContainerKind.Run => (long)CostOfOrdinal * ids,
        _ => OrdinalKernels.CanCompress ? CostOfCompressing + (long)CostOfOrdinal * ids : (long)CostOfBit * ids,
    });

    protected override void AddIds(scoped ReadOnlySpan<ushort> ids, int sign, ref FacetTally tally)
    {
        if (ids.Length >= FewestForTables)
        {
            Span<int> tables = tally.Open(facets, sign, ids.Length * layers.Length);
            foreach (byte[] layer in layers) OrdinalKernels.AddIds(layer, ids, tables);
            return;
        }
        foreach (byte[] layer in layers)
        {
            foreach (ushort id in ids)
            {
                int ordinal = layer[id];
                if (ordinal < facets.Length) tally.Counts[facets[ordinal]] += sign;
            }
        }
    }

    protected override void AddStretch(int start, int length, int sign, ref FacetTally tally)
    {
        Span<int> tables = tally.Open(facets, sign, length * layers.Length);
        foreach (byte[] layer in layers) OrdinalKernels.AddAll(layer.AsSpan(start, length), tables);
    }

    protected override void AddBits(ref ulong words, ulong flip, int sign, ref FacetTally tally)
    {
        if (!OrdinalKernels.CanCompress)
        {
            base.AddBits(ref words, flip, sign, ref tally);
            return;
        }
        Span<int> tables = tally.Open(facets, sign, Limit * layers.Length);
        foreach (byte[] layer in layers) OrdinalKernels.AddBits(layer, ref words, Limit >> 6, flip, tables);
    }
}
