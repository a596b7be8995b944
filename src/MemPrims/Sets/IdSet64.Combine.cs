namespace MemPrims.Sets;

public sealed partial class IdSet64
{
    /// <summary>How many ids are in both sets.</summary>
    public long CountIntersection(IdSet64 other)
    {
        ArgumentNullException.ThrowIfNull(other);
        long count = 0;
        Meet(other, (_, left, right) => count += left is null || right is null ? 0 : left.CountIntersection(right));
        return count;
    }

    /// <summary>How many ids are in one set or the other, or in both.</summary>
    public long CountUnion(IdSet64 other) => Count + other.Count - CountIntersection(other);

    /// <summary>How many ids are in one set and not in the other.</summary>
    public long CountXor(IdSet64 other) => Count + other.Count - 2 * CountIntersection(other);

    /// <summary>How many ids are in this set and not in the other.</summary>
    public long CountAndNot(IdSet64 other) => Count - CountIntersection(other);

    /// <summary>A new set of the ids that are in both.</summary>
    public IdSet64 And(IdSet64 other) => Combine(other, (left, right) => left.And(right));

    /// <summary>A new set of the ids that are in either.</summary>
    public IdSet64 Or(IdSet64 other) => Combine(other, (left, right) => left.Or(right));

    /// <summary>A new set of the ids that are in one and not in the other.</summary>
    public IdSet64 Xor(IdSet64 other) => Combine(other, (left, right) => left.Xor(right));

    /// <summary>A new set of the ids of this one that are not in the other.</summary>
    public IdSet64 AndNot(IdSet64 other) => Combine(other, (left, right) => left.AndNot(right));

    /// <summary>A new set of the same ids, which can be changed.</summary>
    public IdSet64 Clone() => Or(new IdSet64());

    /// <summary>Whether there is an id in both sets.</summary>
    public bool Intersects(IdSet64 other) => CountIntersection(other) != 0;

    /// <summary>Whether both sets have the same ids.</summary>
    public bool SetEquals(IdSet64 other) => Count == other.Count && CountXor(other) == 0;

    /// <summary>Whether all ids of this set are in the other.</summary>
    public bool IsSubsetOf(IdSet64 other) => CountAndNot(other) == 0;

    /// <summary>Keeps the ids that are in the other set too.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void IntersectWith(IdSet64 other) => Replace(And(other));

    /// <summary>Adds the ids of the other set.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void UnionWith(IdSet64 other) => Replace(Or(other));

    /// <summary>Adds the ids that only the other set has, and takes out those that both have.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void SymmetricExceptWith(IdSet64 other) => Replace(Xor(other));

    /// <summary>Takes out the ids of the other set.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void ExceptWith(IdSet64 other) => Replace(AndNot(other));

    /// <summary>Takes out all ids.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void Clear() => Replace(new());

    /// <summary>Turns every container into the kind that takes the fewest bytes.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void Optimize()
    {
        ThrowIfFrozen();
        foreach (IdSet set in _sets) set.Optimize();
    }

    private void Replace(IdSet64 by)
    {
        ThrowIfFrozen();
        _keys.Clear();
        _sets.Clear();
        _keys.AddRange(by._keys);
        _sets.AddRange(by._sets);
    }

    private IdSet64 Combine(IdSet64 other, Func<IdSet, IdSet, IdSet> operation)
    {
        ArgumentNullException.ThrowIfNull(other);
        IdSet64 result = new();
        IdSet none = new();
        Meet(other, (key, left, right) =>
        {
            IdSet set = operation(left ?? none, right ?? none);
            if (!set.IsEmpty) result.Append(key, set);
        });
        return result;
    }

    // Goes through the upper halves of both, in order; null where one has none.
    private void Meet(IdSet64 other, Action<uint, IdSet?, IdSet?> visit)
    {
        int i = 0, j = 0;
        while (i < _keys.Count || j < other._keys.Count)
        {
            bool left = i < _keys.Count && (j == other._keys.Count || _keys[i] <= other._keys[j]);
            bool right = j < other._keys.Count && (i == _keys.Count || other._keys[j] <= _keys[i]);
            visit(left ? _keys[i] : other._keys[j], left ? _sets[i] : null, right ? other._sets[j] : null);
            i += left ? 1 : 0;
            j += right ? 1 : 0;
        }
    }
}
