namespace MemPrims.Sets;

/// <summary>A column of ordinals of a byte each, for up to 255 facets: counted in tables, unless the ids are few.</summary>
internal sealed class NarrowColumn(OrdinalLayer<byte> layer, int[] facets) : FacetColumn<byte>(layer)
{
    // In tenths of a nanosecond, from queries of 8, 30 and 50 % of a million documents (44, 112 and 171 µs): one ordinal in a stretch,
    // the ordinal of one id, and compressing a whole bitmap. The cost of a bit without the instruction that compresses is reasoned.
    private const int CostOfOrdinal = 3, CostOfId = 6, CostOfBit = 10, CostOfCompressing = 10_000;

    /// <summary>The ordinal of each id, if none are left out and they number all facets of the index; else null.</summary>
    public byte[]? FlatLayer(int all) => Layer.IsPacked || facets.Length != all ? null : Layer.Ordinals;

    public override void AddIds(scoped ReadOnlySpan<ushort> ids, int sign, ref FacetTally tally)
    {
        if (!tally.UsesTables(facets, ids.Length)) AddFew(ids, sign, tally.Counts);
        else if (Layer.IsPacked) AddPacked(ids, sign, ref tally);
        else AddPlaces(ids, sign, ref tally);
    }

    protected override long CostOfPlain(int ids, ContainerKind kind) => kind switch
    {
        ContainerKind.Array => (long)CostOfId * ids,
        ContainerKind.Run => (long)CostOfOrdinal * ids,
        _ => OrdinalKernels.CanCompress ? CostOfCompressing + (long)CostOfOrdinal * ids : (long)CostOfBit * ids,
    };

    protected override void AddPlaces(scoped ReadOnlySpan<ushort> places, int sign, ref FacetTally tally) =>
        OrdinalKernels.AddIds(Layer.Ordinals, places, tally.Open(facets, sign, places.Length));

    protected override void AddPlaces(ref ulong words, int count, ulong flip, int sign, ref FacetTally tally)
    {
        if (OrdinalKernels.CanCompress)
            OrdinalKernels.AddBits(Layer.Ordinals, ref words, count, flip, tally.Open(facets, sign, count * 64));
        else base.AddPlaces(ref words, count, flip, sign, ref tally);
    }

    protected override void AddStretch(int start, int length, int sign, ref FacetTally tally)
    {
        ReadOnlySpan<byte> ordinals = Layer.Stretch(start, length);
        if (tally.UsesTables(facets, ordinals.Length)) OrdinalKernels.AddAll(ordinals, tally.Open(facets, sign, ordinals.Length));
        else
            foreach (byte ordinal in ordinals) Add(ordinal, sign, ref tally);
    }

    // A loop of its own where the place of an id is the id itself: nothing is loaded twice.
    private void AddFew(scoped ReadOnlySpan<ushort> ids, int sign, Span<long> counts)
    {
        byte[] ordinals = Layer.Ordinals;
        int[] names = facets;
        bool isPacked = Layer.IsPacked;
        foreach (ushort id in ids)
        {
            int ordinal = isPacked ? Layer.At(id) : ordinals[id];
            if ((uint)ordinal < (uint)names.Length) counts[names[ordinal]] += sign;
        }
    }

    private void Add(int ordinal, int sign, ref FacetTally tally)
    {
        if (ordinal < facets.Length) tally.Counts[facets[ordinal]] += sign;
    }
}
