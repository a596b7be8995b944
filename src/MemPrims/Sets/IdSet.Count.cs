namespace MemPrims.Sets;

public sealed partial class IdSet
{
    /// <summary>How many ids are in both sets.</summary>
    public long CountIntersection(IdSet other)
    {
        SetView a = View(), b = other.View();
        KeyPairs pairs = new(a, b);
        long count = 0;
        while (pairs.Next(a, b, out int i, out int j)) count += ContainerCount.Intersection(a[i], b[j]);
        return count;
    }

    /// <summary>How many ids are in one set or the other, or in both.</summary>
    public long CountUnion(IdSet other) => Count + other.Count - CountIntersection(other);

    /// <summary>How many ids are in one set and not in the other.</summary>
    public long CountXor(IdSet other) => Count + other.Count - 2 * CountIntersection(other);

    /// <summary>How many ids are in this set and not in the other.</summary>
    public long CountAndNot(IdSet other) => Count - CountIntersection(other);

    /// <summary>Whether there is an id in both sets.</summary>
    public bool Intersects(IdSet other)
    {
        SetView a = View(), b = other.View();
        KeyPairs pairs = new(a, b);
        while (pairs.Next(a, b, out int i, out int j))
            if (ContainerCount.Intersection(a[i], b[j]) != 0) return true;
        return false;
    }
}
