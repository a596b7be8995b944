using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Sets;

/// <summary>
/// A compressed set of 64-bit ids: an <see cref="IdSet"/> for each upper half that has ids. It reads and writes the 64-bit form of the
/// portable Roaring format: u64 number of upper halves; for each, in order, u32 upper half and a 32-bit set. Many threads may read a set
/// at once, as long as none changes it.
/// </summary>
[SuppressMessage("Naming", "CA1710", Justification = "The name is that of the thing; Collection would add nothing.")]
public sealed partial class IdSet64 : IReadOnlyCollection<ulong>
{
    internal const int KeyShift = 32;

    private readonly IdParts _parts = new();

    /// <summary>Rises with every change, so that a reader notices that the set is no longer the one it began to read.</summary>
    internal int Version { get; private set; }

    /// <summary>The number of ids in the set; 2^64 ids, which do not fit, count as <see cref="long.MaxValue"/>.</summary>
    public long Count
    {
        get
        {
            ulong count = 0;
            for (int i = 0; i < _parts.Count; i++) count += (ulong)_parts[i].Count;
            return (long)Math.Min(count, long.MaxValue);
        }
    }

    /// <inheritdoc cref="IdSet.IsEmpty"/>
    public bool IsEmpty => _parts.Count == 0;

    /// <inheritdoc cref="IdSet.IsFrozen"/>
    public bool IsFrozen { get; private init; }

    internal IdParts Parts => _parts;

    /// <summary>Whether <paramref name="id"/> is in the set.</summary>
    public bool Contains(ulong id)
    {
        int at = _parts.Find((uint)(id >> KeyShift));
        return at >= 0 && _parts[at].Contains((uint)id);
    }

    /// <summary>Whether <paramref name="id"/> is in the set, which negative ids never are.</summary>
    public bool Contains(long id) => id >= 0 && Contains((ulong)id);

    /// <summary>Puts an id into the set; false when it was there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(ulong id)
    {
        ThrowIfFrozen();
        uint key = (uint)(id >> KeyShift);
        int at = _parts.Find(key);
        if (at >= 0)
        {
            bool isNew = _parts[at].Add((uint)id);
            Version += isNew ? 1 : 0;
            return isNew;
        }
        _parts.Insert(~at, key, IdSet.FromSorted([(uint)id]));
        Version++;
        return true;
    }

    /// <summary>
    /// Puts an id into the set; false when it was there. Ids are not negative: where yours are <see cref="long"/>, this checks them.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The id is negative.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(long id)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(id);
        return Add((ulong)id);
    }

    /// <summary>Takes an id out of the set; false when it was not there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Remove(ulong id)
    {
        ThrowIfFrozen();
        int at = _parts.Find((uint)(id >> KeyShift));
        if (at < 0 || !_parts[at].Remove((uint)id)) return false;
        if (_parts[at].IsEmpty) _parts.RemoveAt(at);
        Version++;
        return true;
    }

    /// <summary>
    /// Takes an id out of the set; false when it was not there. Where your ids are <see cref="long"/>, this checks them.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The id is negative.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Remove(long id)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(id);
        return Remove((ulong)id);
    }

    internal void ThrowIfChangedSince(int version)
    {
        if (Version != version) SetErrors.ThrowChangedWhileRead();
    }

    int IReadOnlyCollection<ulong>.Count => checked((int)Count);

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal static ulong Id(uint key, uint low) => (ulong)key << KeyShift | low;

    private void ThrowIfFrozen()
    {
        if (IsFrozen) SetErrors.ThrowFrozen();
    }

    /// <inheritdoc cref="IdSet.FromSorted"/>
    public static IdSet64 FromSorted(ReadOnlySpan<ulong> ids)
    {
        SortedIds.CheckSorted(ids);
        return FromOrdered(ids);
    }

    /// <inheritdoc cref="IdSet.From"/>
    public static IdSet64 From(ReadOnlySpan<ulong> ids) => FromOrdered(SortedIds.IsSorted(ids) ? ids : SortedIds.Distinct(ids));

    /// <summary>
    /// Builds the set of all ids from <paramref name="first"/> to <paramref name="last"/>, both included. A range over many upper halves
    /// takes a set for each, some 900 KB. So a range over millions of them ends in an <see cref="OutOfMemoryException"/>.
    /// </summary>
    /// <exception cref="ArgumentException">The first is above the last.</exception>
    public static IdSet64 FromInterval(ulong first, ulong last)
    {
        if (first > last) throw new ArgumentException($"The first id, {first}, is above the last, {last}. Swap them.", nameof(first));
        IdSet64 set = new();
        uint lastKey = (uint)(last >> KeyShift);
        for (uint key = (uint)(first >> KeyShift); ; key++)
        {
            uint start = key == (uint)(first >> KeyShift) ? (uint)first : 0;
            set._parts.Append(key, IdSet.FromInterval(start, key == lastKey ? (uint)last : uint.MaxValue));
            if (key == lastKey) return set;
        }
    }

    /// <inheritdoc cref="IdSet.Clone"/>
    public IdSet64 Clone()
    {
        IdSet64 clone = new();
        for (int i = 0; i < _parts.Count; i++) clone._parts.Append(_parts.Keys[i], _parts[i].Clone());
        return clone;
    }

    private static IdSet64 FromOrdered(ReadOnlySpan<ulong> ids)
    {
        IdSet64 set = new();
        while (!ids.IsEmpty)
        {
            uint key = (uint)(ids[0] >> KeyShift);
            int count = key == uint.MaxValue ? ids.Length : (int)SortedSearch.GallopTo(ids, (ulong)(key + 1) << KeyShift);
            uint[] low = new uint[count];
            for (int i = 0; i < count; i++) low[i] = (uint)ids[i];
            set._parts.Append(key, IdSet.FromSorted(low));
            ids = ids[count..];
        }
        return set;
    }

    /// <inheritdoc cref="IdSet.IntersectWith"/>
    public void IntersectWith(IdSet64 other) => Replace(other, static (set, with) => set.And(with));

    /// <inheritdoc cref="IdSet.UnionWith"/>
    public void UnionWith(IdSet64 other) => Replace(other, static (set, with) => set.Or(with));

    /// <inheritdoc cref="IdSet.SymmetricExceptWith"/>
    public void SymmetricExceptWith(IdSet64 other) => Replace(other, static (set, with) => set.Xor(with));

    /// <inheritdoc cref="IdSet.ExceptWith"/>
    public void ExceptWith(IdSet64 other) => Replace(other, static (set, with) => set.AndNot(with));

    /// <inheritdoc cref="IdSet.AddInterval"/>
    public void AddInterval(ulong first, ulong last)
    {
        ThrowIfFrozen();
        UnionWith(FromInterval(first, last));
    }

    /// <inheritdoc cref="IdSet.RemoveInterval"/>
    public void RemoveInterval(ulong first, ulong last)
    {
        ThrowIfFrozen();
        if (first > last) throw new ArgumentException($"The first id, {first}, is above the last, {last}. Swap them.", nameof(first));
        Version++;
        // Only the parts that are there: the range may go over billions of upper halves.
        for (int i = _parts.Count - 1; i >= 0; i--)
        {
            ulong start = Math.Max(first, Id(_parts.Keys[i], 0)), end = Math.Min(last, Id(_parts.Keys[i], uint.MaxValue));
            if (start > end) continue;
            _parts[i].RemoveInterval((uint)start, (uint)end);
            if (_parts[i].IsEmpty) _parts.RemoveAt(i);
        }
    }

    /// <inheritdoc cref="IdSet.Flip"/>
    public void Flip(ulong first, ulong last)
    {
        ThrowIfFrozen();
        SymmetricExceptWith(FromInterval(first, last));
    }

    /// <inheritdoc cref="IdSet.AddRange"/>
    public void AddRange(ReadOnlySpan<ulong> ids)
    {
        ThrowIfFrozen();
        if (!ids.IsEmpty) UnionWith(From(ids));
    }

    /// <inheritdoc cref="IdSet.RemoveRange"/>
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
        _parts.Clear();
        Version++;
    }

    /// <inheritdoc cref="IdSet.Optimize"/>
    public void Optimize()
    {
        ThrowIfFrozen();
        for (int i = 0; i < _parts.Count; i++) _parts[i].Optimize();
        Version++;
    }

    private void Replace(IdSet64 other, Func<IdSet64, IdSet64, IdSet64> operation)
    {
        ArgumentNullException.ThrowIfNull(other);
        ThrowIfFrozen();
        IdSet64 by = operation(this, other);
        Clear();
        _parts.Take(by._parts);
    }

    /// <inheritdoc cref="IdSet.And"/>
    public IdSet64 And(IdSet64 other) => Combine(other, static (left, right) => left.And(right));

    /// <inheritdoc cref="IdSet.Or"/>
    public IdSet64 Or(IdSet64 other) => Combine(other, static (left, right) => left.Or(right));

    /// <inheritdoc cref="IdSet.Xor"/>
    public IdSet64 Xor(IdSet64 other) => Combine(other, static (left, right) => left.Xor(right));

    /// <inheritdoc cref="IdSet.AndNot"/>
    public IdSet64 AndNot(IdSet64 other) => Combine(other, static (left, right) => left.AndNot(right));

    /// <inheritdoc cref="IdSet.OrMany"/>
    public static IdSet64 OrMany(params ReadOnlySpan<IdSet64> sets)
    {
        SortedDictionary<uint, List<IdSet>> byKey = [];
        foreach (IdSet64 set in sets)
        {
            ArgumentNullException.ThrowIfNull(set, nameof(sets));
            for (int i = 0; i < set._parts.Count; i++)
            {
                uint key = set._parts.Keys[i];
                if (!byKey.TryGetValue(key, out List<IdSet>? there)) byKey[key] = there = [];
                there.Add(set._parts[i]);
            }
        }
        IdSet64 result = new();
        foreach ((uint key, List<IdSet> there) in byKey) result._parts.Append(key, IdSet.OrMany([.. there]));
        return result;
    }

    /// <inheritdoc cref="IdSet.AndMany"/>
    public static IdSet64 AndMany(params ReadOnlySpan<IdSet64> sets)
    {
        if (sets.IsEmpty) throw new ArgumentException("There are no sets to take the common ids of. Give at least one.", nameof(sets));
        foreach (IdSet64 set in sets) ArgumentNullException.ThrowIfNull(set, nameof(sets));
        IdSet64 result = new();
        List<IdSet> there = [];
        foreach (uint key in sets[0]._parts.Keys)
        {
            there.Clear();
            foreach (IdSet64 set in sets)
                if (set._parts.Find(key) is >= 0 and int at) there.Add(set._parts[at]);
            if (there.Count < sets.Length) continue;
            IdSet common = IdSet.AndMany([.. there]);
            if (!common.IsEmpty) result._parts.Append(key, common);
        }
        return result;
    }

    private IdSet64 Combine(IdSet64 other, Func<IdSet, IdSet, IdSet> operation)
    {
        ArgumentNullException.ThrowIfNull(other);
        IdSet64 result = new();
        IdSet none = new();
        foreach ((uint key, IdSet? left, IdSet? right) in _parts.Pairs(other._parts))
        {
            IdSet set = operation(left ?? none, right ?? none);
            if (!set.IsEmpty) result._parts.Append(key, set);
        }
        return result;
    }

    /// <inheritdoc cref="IdSet.CountIntersection"/>
    public long CountIntersection(IdSet64 other)
    {
        long count = 0;
        foreach ((IdSet left, IdSet right) in _parts.Shared(SetErrors.NotNull(other)._parts)) count += left.CountIntersection(right);
        return count;
    }

    /// <inheritdoc cref="IdSet.CountUnion"/>
    public long CountUnion(IdSet64 other) => Count + CountOnlyIn(SetErrors.NotNull(other));

    /// <inheritdoc cref="IdSet.CountXor"/>
    public long CountXor(IdSet64 other) => CountAndNot(other) + CountOnlyIn(other);

    /// <inheritdoc cref="IdSet.CountAndNot"/>
    public long CountAndNot(IdSet64 other) => Count - CountIntersection(other);

    /// <inheritdoc cref="IdSet.Overlaps"/>
    public bool Overlaps(IdSet64 other) =>
        _parts.Shared(SetErrors.NotNull(other)._parts).Any(static pair => pair.Left.Overlaps(pair.Right));

    /// <inheritdoc cref="IdSet.SetEquals"/>
    public bool SetEquals(IdSet64 other) =>
        _parts.Keys.SequenceEqual(SetErrors.NotNull(other)._parts.Keys)
            && _parts.All(other._parts, static (left, right) => left.SetEquals(right));

    /// <inheritdoc cref="IdSet.IsSubsetOf"/>
    public bool IsSubsetOf(IdSet64 other) =>
        _parts.All(SetErrors.NotNull(other)._parts, static (left, right) => left.IsSubsetOf(right));

    /// <inheritdoc cref="IdSet.IsProperSubsetOf"/>
    public bool IsProperSubsetOf(IdSet64 other) => IsSubsetOf(other) && !SetEquals(other);

    /// <inheritdoc cref="IdSet.IsSupersetOf"/>
    public bool IsSupersetOf(IdSet64 other) => SetErrors.NotNull(other).IsSubsetOf(this);

    /// <inheritdoc cref="IdSet.IsProperSupersetOf"/>
    public bool IsProperSupersetOf(IdSet64 other) => SetErrors.NotNull(other).IsProperSubsetOf(this);

    /// <inheritdoc cref="IdSet.Jaccard"/>
    public double Jaccard(IdSet64 other)
    {
        long either = CountUnion(other);
        return either == 0 ? 1 : (double)CountIntersection(other) / either;
    }

    private long CountOnlyIn(IdSet64 other) => other.Count - CountIntersection(other);
}
