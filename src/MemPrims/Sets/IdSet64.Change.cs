namespace MemPrims.Sets;

/// <content>Changes that take whole sets, ranges or many ids at once.</content>
public sealed partial class IdSet64
{
    /// <summary>Keeps the ids that are in the other set too.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void IntersectWith(IdSet64 other) => Replace(other, static (set, with) => set.And(with));

    /// <summary>Adds the ids of the other set.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void UnionWith(IdSet64 other) => Replace(other, static (set, with) => set.Or(with));

    /// <summary>Adds the ids that only the other set has, and takes out those that both have.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void SymmetricExceptWith(IdSet64 other) => Replace(other, static (set, with) => set.Xor(with));

    /// <summary>Takes out the ids of the other set.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void ExceptWith(IdSet64 other) => Replace(other, static (set, with) => set.AndNot(with));

    /// <summary>Adds all ids from <paramref name="first"/> to <paramref name="last"/>, both included.</summary>
    /// <exception cref="ArgumentException">The first is above the last.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void AddInterval(ulong first, ulong last)
    {
        ThrowIfFrozen();
        UnionWith(FromInterval(first, last));
    }

    /// <summary>Takes out all ids from <paramref name="first"/> to <paramref name="last"/>, both included.</summary>
    /// <inheritdoc cref="AddInterval"/>
    public void RemoveInterval(ulong first, ulong last)
    {
        ThrowIfFrozen();
        if (first > last) throw new ArgumentException($"The first id, {first}, is above the last, {last}. Swap them.", nameof(first));
        Version++;
        // Only the parts that are there: the range may go over billions of upper halves.
        for (int i = _sets.Count - 1; i >= 0; i--)
        {
            ulong start = Math.Max(first, Id(_keys[i], 0)), end = Math.Min(last, Id(_keys[i], uint.MaxValue));
            if (start > end) continue;
            _sets[i].RemoveInterval((uint)start, (uint)end);
            if (_sets[i].IsEmpty) RemovePart(i);
        }
    }

    /// <summary>
    /// Takes out the ids from <paramref name="first"/> to <paramref name="last"/>, both included, that are in the set, and adds those
    /// that are not.
    /// </summary>
    /// <inheritdoc cref="AddInterval"/>
    public void Flip(ulong first, ulong last)
    {
        ThrowIfFrozen();
        SymmetricExceptWith(FromInterval(first, last));
    }

    /// <summary>Adds ids in any order, repeated or not.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void AddRange(ReadOnlySpan<ulong> ids)
    {
        ThrowIfFrozen();
        if (!ids.IsEmpty) UnionWith(From(ids));
    }

    /// <summary>Takes out ids in any order, repeated or not.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void RemoveRange(ReadOnlySpan<ulong> ids)
    {
        ThrowIfFrozen();
        if (!ids.IsEmpty) ExceptWith(From(ids));
    }

    /// <summary>Takes out all ids.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void Clear()
    {
        ThrowIfFrozen();
        _keys.Clear();
        _sets.Clear();
        Version++;
    }

    /// <summary>Turns every container into the kind that takes the fewest bytes.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void Optimize()
    {
        ThrowIfFrozen();
        foreach (IdSet set in _sets) set.Optimize();
        Version++;
    }

    private void Replace(IdSet64 other, Func<IdSet64, IdSet64, IdSet64> operation)
    {
        ArgumentNullException.ThrowIfNull(other);
        ThrowIfFrozen();
        IdSet64 by = operation(this, other);
        Clear();
        _keys.AddRange(by._keys);
        _sets.AddRange(by._sets);
    }
}
