namespace MemPrims.Sets;

// Chooses how two arrays of 16-bit ids become a third. Arrays of similar length meet or are merged in vectors. If one is much shorter,
// each of its ids is looked up in the other, and the stretches between are copied. A destination takes the largest possible result and
// ArrayMerge.Slack.
internal static class ArrayPairs
{
    // From this ratio of lengths on, each id of the shorter array is looked up. On Zen 4 a meeting of 125 ids with 1500 takes 1.12 of that
    // with 512 bits and 1.43 with 256; of 250, 0.60 (Sets/thresholds, uneven).
    private const int UnevenToSelect = 12;

    // From this ratio on, few ids are taken out of the many one by one. On Zen 4 a meeting takes 1.3 of that with 512 bits, 0.99 with 256;
    // at half of the ratio 1.07 and 0.78 (Sets/thresholds, uneven).
    private const int UnevenToTake = 24;

    // From this ratio on, few ids are put between the many. On Zen 4 a merge takes 1.1 of that with 512 bits, 0.73 at half of the ratio;
    // with 256 bits 0.98, and 0.61 at half of it (Sets/thresholds, uneven).
    private static int UnevenToSplice => MergeLanes512.IsSupported ? 48 : 24;

    public static int And(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to)
    {
        ReadOnlySpan<ushort> few = a.Length < b.Length ? a : b, many = a.Length < b.Length ? b : a;
        return few.IsEmpty ? 0
            : few.Length * UnevenToSelect <= many.Length ? ArraySearch.Select<AndIds>(few, many, ref to)
            : FewInVector.Suit(few, many) ? FewInVector.Select<AndIds>(few, many, ref to)
            : MergeLanes512.IsSupported ? ArrayMerge.Write<AndIds>(few, many, ref to)
            : SortedKernels.Combine<ushort, AndIds>(many, few, RoomFor(many, ref to));
    }

    public static int AndNot(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to) =>
        a.Length * UnevenToSelect <= b.Length ? ArraySearch.Select<AndNotIds>(a, b, ref to)
        : b.Length * UnevenToTake <= a.Length ? Without(a, b, ref to)
        : FewInVector.Suit(a, b) ? FewInVector.Select<AndNotIds>(a, b, ref to)
        : SortedKernels.Combine<ushort, AndNotIds>(a, b, RoomFor(a, ref to));

    // Or, and Xor.
    public static int Join<TOperation>(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to)
        where TOperation : struct, IIdOperation
    {
        ReadOnlySpan<ushort> few = a.Length < b.Length ? a : b, many = a.Length < b.Length ? b : a;
        return few.Length * UnevenToSplice <= many.Length
            ? SortedSearch.Splice<ushort, TOperation>(many, few, MemoryMarshal.CreateSpan(ref to, a.Length + b.Length))
            : ArrayMerge.Write<TOperation>(a, b, ref to);
    }

    // Takes few ids out of many. Most of the few are not there, so those that are come first, and only they cut the copy in stretches.
    private static int Without(ReadOnlySpan<ushort> many, ReadOnlySpan<ushort> few, ref ushort to)
    {
        Span<ushort> shared = stackalloc ushort[Container.MaxArray / UnevenToTake + ArrayMerge.Slack];
        return SortedSearch.Splice<ushort, AndNotIds>(many, shared[..And(many, few, ref shared[0])], RoomFor(many, ref to));
    }

    private static Span<ushort> RoomFor(ReadOnlySpan<ushort> ids, ref ushort to) =>
        MemoryMarshal.CreateSpan(ref to, ids.Length + SortedBlocks<ushort>.Slack);
}
