using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

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

    // The upper halves in order, and for each the lower halves. None of these sets is empty.
    private readonly List<uint> _keys = [];
    private readonly List<IdSet> _sets = [];

    /// <summary>Rises with every change, so that a reader notices that the set is no longer the one it began to read.</summary>
    internal int Version { get; private set; }

    /// <summary>The number of ids in the set; 2^64 ids, which do not fit, count as <see cref="long.MaxValue"/>.</summary>
    public long Count
    {
        get
        {
            ulong count = 0;
            foreach (IdSet set in _sets) count += (ulong)set.Count;
            return (long)Math.Min(count, long.MaxValue);
        }
    }

    /// <inheritdoc cref="IdSet.IsEmpty"/>
    public bool IsEmpty => _sets.Count == 0;

    /// <inheritdoc cref="IdSet.IsFrozen"/>
    public bool IsFrozen { get; private init; }

    internal int Parts => _sets.Count;

    internal ReadOnlySpan<uint> Keys => CollectionsMarshal.AsSpan(_keys);

    /// <summary>Whether <paramref name="id"/> is in the set.</summary>
    public bool Contains(ulong id)
    {
        int at = Find((uint)(id >> KeyShift));
        return at >= 0 && _sets[at].Contains((uint)id);
    }

    /// <summary>Whether <paramref name="id"/> is in the set, which negative ids never are.</summary>
    public bool Contains(long id) => id >= 0 && Contains((ulong)id);

    /// <summary>Puts an id into the set; false when it was there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(ulong id)
    {
        ThrowIfFrozen();
        uint key = (uint)(id >> KeyShift);
        int at = Find(key);
        if (at >= 0)
        {
            bool isNew = _sets[at].Add((uint)id);
            Version += isNew ? 1 : 0;
            return isNew;
        }
        _keys.Insert(~at, key);
        _sets.Insert(~at, IdSet.FromSorted([(uint)id]));
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
        int at = Find((uint)(id >> KeyShift));
        if (at < 0 || !_sets[at].Remove((uint)id)) return false;
        if (_sets[at].IsEmpty) RemovePart(at);
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

    internal IdSet Part(int index) => _sets[index];

    internal static ulong Id(uint key, uint low) => (ulong)key << KeyShift | low;

    /// <summary>The place of an upper half; of one that is not there, the complement of the place where it belongs.</summary>
    internal int Find(uint key)
    {
        ReadOnlySpan<uint> keys = Keys;
        int at = (int)SortedSearch.LowerBound(keys, key);
        return at < keys.Length && keys[at] == key ? at : ~at;
    }

    private void Append(uint key, IdSet set)
    {
        _keys.Add(key);
        _sets.Add(set);
    }

    private void RemovePart(int index)
    {
        _keys.RemoveAt(index);
        _sets.RemoveAt(index);
    }

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
            set.Append(key, IdSet.FromInterval(start, key == lastKey ? (uint)last : uint.MaxValue));
            if (key == lastKey) return set;
        }
    }

    /// <inheritdoc cref="IdSet.Clone"/>
    public IdSet64 Clone()
    {
        IdSet64 clone = new();
        for (int i = 0; i < _sets.Count; i++) clone.Append(_keys[i], _sets[i].Clone());
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
            set.Append(key, IdSet.FromSorted(low));
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
        for (int i = _sets.Count - 1; i >= 0; i--)
        {
            ulong start = Math.Max(first, Id(_keys[i], 0)), end = Math.Min(last, Id(_keys[i], uint.MaxValue));
            if (start > end) continue;
            _sets[i].RemoveInterval((uint)start, (uint)end);
            if (_sets[i].IsEmpty) RemovePart(i);
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
        _keys.Clear();
        _sets.Clear();
        Version++;
    }

    /// <inheritdoc cref="IdSet.Optimize"/>
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
            for (int i = 0; i < set._sets.Count; i++)
            {
                if (!byKey.TryGetValue(set._keys[i], out List<IdSet>? there)) byKey[set._keys[i]] = there = [];
                there.Add(set._sets[i]);
            }
        }
        IdSet64 result = new();
        foreach ((uint key, List<IdSet> there) in byKey) result.Append(key, IdSet.OrMany([.. there]));
        return result;
    }

    /// <inheritdoc cref="IdSet.AndMany"/>
    public static IdSet64 AndMany(params ReadOnlySpan<IdSet64> sets)
    {
        if (sets.IsEmpty) throw new ArgumentException("There are no sets to take the common ids of. Give at least one.", nameof(sets));
        foreach (IdSet64 set in sets) ArgumentNullException.ThrowIfNull(set, nameof(sets));
        IdSet64 result = new();
        List<IdSet> there = [];
        for (int i = 0; i < sets[0]._keys.Count; i++)
        {
            uint key = sets[0]._keys[i];
            there.Clear();
            foreach (IdSet64 set in sets)
                if (set.Find(key) is >= 0 and int at) there.Add(set._sets[at]);
            if (there.Count < sets.Length) continue;
            IdSet common = IdSet.AndMany([.. there]);
            if (!common.IsEmpty) result.Append(key, common);
        }
        return result;
    }

    private IdSet64 Combine(IdSet64 other, Func<IdSet, IdSet, IdSet> operation)
    {
        ArgumentNullException.ThrowIfNull(other);
        IdSet64 result = new();
        IdSet none = new();
        foreach ((uint key, IdSet? left, IdSet? right) in Pairs(other))
        {
            IdSet set = operation(left ?? none, right ?? none);
            if (!set.IsEmpty) result.Append(key, set);
        }
        return result;
    }

    /// <summary>The upper halves of both sets, in order, with the parts that each has there.</summary>
    private IEnumerable<(uint Key, IdSet? Left, IdSet? Right)> Pairs(IdSet64 other)
    {
        int i = 0, j = 0;
        while (i < _keys.Count || j < other._keys.Count)
        {
            bool left = i < _keys.Count && (j == other._keys.Count || _keys[i] <= other._keys[j]);
            bool right = j < other._keys.Count && (i == _keys.Count || other._keys[j] <= _keys[i]);
            yield return (left ? _keys[i] : other._keys[j], left ? _sets[i] : null, right ? other._sets[j] : null);
            i += left ? 1 : 0;
            j += right ? 1 : 0;
        }
    }

    /// <inheritdoc cref="IdSet.CountIntersection"/>
    public long CountIntersection(IdSet64 other)
    {
        long count = 0;
        foreach ((IdSet left, IdSet right) in Shared(SetErrors.NotNull(other))) count += left.CountIntersection(right);
        return count;
    }

    /// <inheritdoc cref="IdSet.CountUnion"/>
    public long CountUnion(IdSet64 other) => Count + CountOnlyIn(SetErrors.NotNull(other));

    /// <inheritdoc cref="IdSet.CountXor"/>
    public long CountXor(IdSet64 other) => CountAndNot(other) + CountOnlyIn(other);

    /// <inheritdoc cref="IdSet.CountAndNot"/>
    public long CountAndNot(IdSet64 other) => Count - CountIntersection(other);

    /// <inheritdoc cref="IdSet.Overlaps"/>
    public bool Overlaps(IdSet64 other) => Shared(SetErrors.NotNull(other)).Any(static pair => pair.Left.Overlaps(pair.Right));

    /// <inheritdoc cref="IdSet.SetEquals"/>
    public bool SetEquals(IdSet64 other) =>
        Keys.SequenceEqual(SetErrors.NotNull(other).Keys) && All(other, static (left, right) => left.SetEquals(right));

    /// <inheritdoc cref="IdSet.IsSubsetOf"/>
    public bool IsSubsetOf(IdSet64 other) => All(SetErrors.NotNull(other), static (left, right) => left.IsSubsetOf(right));

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

    /// <summary>The parts of both sets at the upper halves that both have.</summary>
    private IEnumerable<(IdSet Left, IdSet Right)> Shared(IdSet64 other)
    {
        foreach ((_, IdSet? left, IdSet? right) in Pairs(other))
            if (left is not null && right is not null) yield return (left, right);
    }

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
