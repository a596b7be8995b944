namespace MemPrims.Sets;

/// <content>How two sets relate. Nothing is made but counts, and those only as far as the answer needs them.</content>
public sealed partial class IdSet
{
    /// <summary>Whether both sets have the same ids.</summary>
    public bool SetEquals(IdSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        long count = Count;
        return count == other.Count && CountIntersection(other) == count;
    }

    /// <summary>Whether all ids of this set are in the other.</summary>
    public bool IsSubsetOf(IdSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        long count = Count;
        return count <= other.Count && CountIntersection(other) == count;
    }

    /// <summary>Whether all ids of this set are in the other, which has more.</summary>
    public bool IsProperSubsetOf(IdSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return Count < other.Count && IsSubsetOf(other);
    }

    /// <summary>Whether all ids of the other set are in this.</summary>
    public bool IsSupersetOf(IdSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return other.IsSubsetOf(this);
    }

    /// <summary>Whether all ids of the other set are in this, which has more.</summary>
    public bool IsProperSupersetOf(IdSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return other.IsProperSubsetOf(this);
    }

    /// <summary>Whether there is an id in both sets.</summary>
    public bool Overlaps(IdSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return CountKept(other, 1) != 0;
    }

    /// <summary>
    /// The share of the ids of either set that are in both: 1 for equal sets, 0 for sets without a common id; of two empty sets, 1.
    /// </summary>
    public double Jaccard(IdSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        long both = CountIntersection(other), either = Count + other.Count - both;
        return either == 0 ? 1 : (double)both / either;
    }
}
