using System.Numerics;

namespace MemPrims.Sets;

/// <summary>
/// A column of ordinals of two or four bytes each, for more facets than a byte can number. The ordinal is the position of the facet in
/// the index, so each is counted at once: with so many facets, neighbours are rarely equal.
/// </summary>
internal sealed class WideColumn<T>(OrdinalLayer<T> layer) : FacetColumn<T>(layer) where T : unmanaged, IBinaryInteger<T>
{
    /// <summary>Fewer ids than this are looked up one by one, without a buffer.</summary>
    private const int FewestForBuffer = 64;

    // In the units of NarrowColumn, from 1000 facets at 8 to 50 % (121 to 896 µs).
    private const int CostOfOrdinal = 8, CostOfBit = 16;

    public override void AddIds(scoped ReadOnlySpan<ushort> ids, int sign, ref FacetTally tally)
    {
        if (!Layer.IsPacked) AddPlaces(ids, sign, ref tally);
        else if (ids.Length >= FewestForBuffer) AddPacked(ids, sign, ref tally);
        else
            foreach (ushort id in ids) Add(Layer.At(id), sign, tally.Counts);
    }

    protected override long CostOfPlain(int ids, ContainerKind kind) =>
        (kind == ContainerKind.Bitmap ? CostOfBit : CostOfOrdinal) * (long)ids;

    protected override void AddPlaces(scoped ReadOnlySpan<ushort> places, int sign, ref FacetTally tally)
    {
        Span<long> counts = tally.Counts;
        T[] ordinals = Layer.Ordinals;
        foreach (ushort place in places) Add(ordinals[place], sign, counts);
    }

    protected override void AddStretch(int start, int length, int sign, ref FacetTally tally)
    {
        Span<long> counts = tally.Counts;
        foreach (T ordinal in Layer.Stretch(start, length)) Add(ordinal, sign, counts);
    }

    // Ids without a facet have the first ordinal that has no count.
    private static void Add(T ordinal, int sign, Span<long> counts)
    {
        int facet = int.CreateTruncating(ordinal);
        if ((uint)facet < (uint)counts.Length) counts[facet] += sign;
    }
}
