namespace MemPrims.Sets;

/// <content>How many ids two sets share, and how they relate. Nothing is made but counts.</content>
public sealed partial class IdSet64
{
    /// <summary>How many ids are in both sets.</summary>
    public long CountIntersection(IdSet64 other)
    {
        ArgumentNullException.ThrowIfNull(other);
        long count = 0;
        foreach ((_, IdSet? left, IdSet? right) in Pairs(other)) count += left is null || right is null ? 0
            : left.CountIntersection(right);
        return count;
    }

    /// <summary>How many ids are in one set or the other, or in both.</summary>
    public long CountUnion(IdSet64 other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return Count + CountOnlyIn(other);
    }

    /// <summary>How many ids are in one set and not in the other.</summary>
    public long CountXor(IdSet64 other) => CountAndNot(other) + CountOnlyIn(other);

    /// <summary>How many ids are in this set and not in the other.</summary>
    public long CountAndNot(IdSet64 other) => Count - CountIntersection(other);

    /// <summary>Whether there is an id in both sets.</summary>
    public bool Overlaps(IdSet64 other)
    {
        ArgumentNullException.ThrowIfNull(other);
        foreach ((_, IdSet? left, IdSet? right) in Pairs(other))
            if (left is not null && right is not null && left.Overlaps(right)) return true;
        return false;
    }

    /// <summary>Whether both sets have the same ids.</summary>
    public bool SetEquals(IdSet64 other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return Keys.SequenceEqual(other.Keys) && All(other, static (left, right) => left.SetEquals(right));
    }

    /// <summary>Whether all ids of this set are in the other.</summary>
    public bool IsSubsetOf(IdSet64 other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return All(other, static (left, right) => left.IsSubsetOf(right));
    }

    /// <summary>Whether all ids of this set are in the other, which has more.</summary>
    public bool IsProperSubsetOf(IdSet64 other) => IsSubsetOf(other) && !SetEquals(other);

    /// <summary>Whether all ids of the other set are in this.</summary>
    public bool IsSupersetOf(IdSet64 other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return other.IsSubsetOf(this);
    }

    /// <summary>Whether all ids of the other set are in this, which has more.</summary>
    public bool IsProperSupersetOf(IdSet64 other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return other.IsProperSubsetOf(this);
    }

    /// <summary>
    /// The share of the ids of either set that are in both: 1 for equal sets, 0 for sets without a common id; of two empty sets, 1.
    /// </summary>
    public double Jaccard(IdSet64 other)
    {
        long either = CountUnion(other);
        return either == 0 ? 1 : (double)CountIntersection(other) / either;
    }

    private long CountOnlyIn(IdSet64 other) => other.Count - CountIntersection(other);

    /// <summary>Whether a condition holds for every part of this set and the part of the other at the same upper half.</summary>
    private bool All(IdSet64 other, Func<IdSet, IdSet, bool> holds)
    {
        for (int i = 0; i < _keys.Count; i++)
        {
            int at = other.Find(_keys[i]);
            if (at < 0 || !holds(_sets[i], other._sets[at])) return false;
        }
        return true;
    }
}
