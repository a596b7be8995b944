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
            _ => Union(sets),
        };
    }

    /// <summary>A new set of the ids that are in all of the sets.</summary>
    /// <exception cref="ArgumentException">There are no sets: all ids would be in them.</exception>
    public static IdSet AndMany(params ReadOnlySpan<IdSet> sets)
    {
        if (sets.IsEmpty) throw new ArgumentException("There are no sets to take the common ids of. Give at least one.", nameof(sets));
        IdSet[] fewestFirst = sets.ToArray();
        long[] counts = new long[fewestFirst.Length];
        for (int i = 0; i < counts.Length; i++)
        {
            ArgumentNullException.ThrowIfNull(fewestFirst[i], nameof(sets));
            counts[i] = fewestFirst[i].Count;
        }
        // The two smallest first: what they share is small for all that follow.
        Array.Sort(counts, fewestFirst);
        if (fewestFirst.Length == 1) return fewestFirst[0].Clone();
        IdSet common = fewestFirst[0].And(fewestFirst[1]);
        for (int i = 2; i < fewestFirst.Length && !common.IsEmpty; i++) common = common.And(fewestFirst[i]);
        return common;
    }

    private static IdSet Union(ReadOnlySpan<IdSet> sets)
    {
        IdSet union = new(ManyUnion.Of(sets));
        bool anyFrozen = false;
        foreach (IdSet set in sets) anyFrozen |= set.IsFrozen;
        if (anyFrozen) CheckResult(union);
        return union;
    }
}
