namespace MemPrims.Sets;

/// <content>Two sets, or many: what they share, how they relate, and new sets made of them.</content>
public sealed partial class IdSet
{
    /// <summary>A new set of the ids that are in both.</summary>
    public IdSet And(IdSet other) => SetPairs.Combine<AndIds>(this, other);

    /// <summary>A new set of the ids that are in either.</summary>
    public IdSet Or(IdSet other) => SetPairs.Combine<OrIds>(this, other);

    /// <summary>A new set of the ids that are in one and not in the other.</summary>
    public IdSet Xor(IdSet other) => SetPairs.Combine<XorIds>(this, other);

    /// <summary>A new set of the ids of this one that are not in the other.</summary>
    public IdSet AndNot(IdSet other) => SetPairs.Combine<AndNotIds>(this, other);

    /// <summary>A new set of the same ids, which can be changed.</summary>
    public IdSet Clone() => SetPairs.Combine<OrIds>(this, new IdSet());

    /// <summary>Keeps the ids that are in the other set too.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void IntersectWith(IdSet other) => Replace<AndIds>(other);

    /// <summary>Adds the ids of the other set.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void UnionWith(IdSet other) => Replace<OrIds>(other);

    /// <summary>Adds the ids that only the other set has, and takes out those that both have.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void SymmetricExceptWith(IdSet other) => Replace<XorIds>(other);

    /// <summary>Takes out the ids of the other set.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void ExceptWith(IdSet other) => Replace<AndNotIds>(other);

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
            _ => SetPairs.Union(sets),
        };
    }

    /// <summary>A new set of the ids that are in all of the sets.</summary>
    /// <exception cref="ArgumentException">There are no sets: all ids would be in them.</exception>
    public static IdSet AndMany(params ReadOnlySpan<IdSet> sets)
    {
        if (sets.IsEmpty) throw new ArgumentException("There are no sets to take the common ids of. Give at least one.", nameof(sets));
        IdSet[] fewestFirst = sets.ToArray();
        foreach (IdSet set in fewestFirst) ArgumentNullException.ThrowIfNull(set, nameof(sets));
        // The two smallest first: what they share is small for all that follow.
        Array.Sort([.. fewestFirst.Select(set => set.Count)], fewestFirst);
        if (fewestFirst.Length == 1) return fewestFirst[0].Clone();
        IdSet common = fewestFirst[0].And(fewestFirst[1]);
        for (int i = 2; i < fewestFirst.Length && !common.IsEmpty; i++) common = common.And(fewestFirst[i]);
        return common;
    }

    /// <summary>How many ids are in both sets.</summary>
    public long CountIntersection(IdSet other) => CountKept(SetErrors.NotNull(other), long.MaxValue);

    /// <summary>How many ids are in one set or the other, or in both.</summary>
    public long CountUnion(IdSet other) => Count + SetErrors.NotNull(other).Count - CountIntersection(other);

    /// <summary>How many ids are in one set and not in the other.</summary>
    public long CountXor(IdSet other) => Count + SetErrors.NotNull(other).Count - 2 * CountIntersection(other);

    /// <summary>How many ids are in this set and not in the other.</summary>
    public long CountAndNot(IdSet other) => Count - CountIntersection(other);

    /// <summary>Whether there is an id in both sets.</summary>
    public bool Overlaps(IdSet other) => CountKept(SetErrors.NotNull(other), 1) != 0;

    /// <summary>Whether both sets have the same ids.</summary>
    public bool SetEquals(IdSet other) => Count == SetErrors.NotNull(other).Count && CountIntersection(other) == Count;

    /// <summary>Whether all ids of this set are in the other.</summary>
    public bool IsSubsetOf(IdSet other) => Count <= SetErrors.NotNull(other).Count && CountIntersection(other) == Count;

    /// <summary>Whether all ids of this set are in the other, which has more.</summary>
    public bool IsProperSubsetOf(IdSet other) => Count < SetErrors.NotNull(other).Count && IsSubsetOf(other);

    /// <summary>Whether all ids of the other set are in this.</summary>
    public bool IsSupersetOf(IdSet other) => SetErrors.NotNull(other).IsSubsetOf(this);

    /// <summary>Whether all ids of the other set are in this, which has more.</summary>
    public bool IsProperSupersetOf(IdSet other) => SetErrors.NotNull(other).IsProperSubsetOf(this);

    /// <summary>
    /// The share of the ids of either set that are in both: 1 for equal sets, 0 for sets without a common id; of two empty sets, 1.
    /// </summary>
    public double Jaccard(IdSet other)
    {
        long both = CountIntersection(other), either = Count + other.Count - both;
        return either == 0 ? 1 : (double)both / either;
    }

    // A frozen set holds its bytes' owner. Without these the collector could end it while its bytes are read.
    private long CountKept(IdSet other, long enough)
    {
        long count = SetPairs.CountShared(this, other, enough);
        GC.KeepAlive(this);
        GC.KeepAlive(other);
        return count;
    }

    private void Replace<TOperation>(IdSet other) where TOperation : struct, IIdOperation
    {
        ThrowIfFrozen();
        Become(SetPairs.Combine<TOperation>(this, other));
    }
}
