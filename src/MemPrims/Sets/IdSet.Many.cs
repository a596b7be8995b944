namespace MemPrims.Sets;

/// <content>Many sets at once.</content>
public sealed partial class IdSet
{
    /// <summary>A new set of the ids that are in any of the sets.</summary>
    /// <remarks>
    /// Container by container: where three sets or more have the same one, their ids become bits of one bitmap, which are counted once at
    /// the end.
    /// </remarks>
    public static IdSet OrMany(params ReadOnlySpan<IdSet> sets)
    {
        foreach (IdSet set in sets) ArgumentNullException.ThrowIfNull(set, nameof(sets));
        return sets.Length switch
        {
            0 => new(),
            1 => sets[0].Clone(),
            2 => sets[0].Or(sets[1]),
            _ => new(ManyUnion.Of(sets)),
        };
    }

    /// <summary>A new set of the ids that are in all of the sets.</summary>
    /// <exception cref="ArgumentException">There are no sets: all ids would be in them.</exception>
    public static IdSet AndMany(params ReadOnlySpan<IdSet> sets)
    {
        if (sets.IsEmpty) throw new ArgumentException("Of no sets, every id is in all: give one set at least.", nameof(sets));
        IdSet[] byCount = sets.ToArray();
        foreach (IdSet set in byCount) ArgumentNullException.ThrowIfNull(set, nameof(sets));
        // The smallest two first: what is left of them is small for all that follow.
        Array.Sort(byCount, (a, b) => a.Count.CompareTo(b.Count));
        if (byCount.Length == 1) return byCount[0].Clone();
        IdSet common = byCount[0];
        for (int i = 1; i < byCount.Length && (i == 1 || !common.IsEmpty); i++) common = common.And(byCount[i]);
        return common;
    }
}
