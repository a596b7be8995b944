namespace MemPrims.Sets;

/// <summary>
/// A compressed set of 64-bit ids: an <see cref="IdSet"/> for each upper half that has ids. It reads and writes the 64-bit form of the
/// portable Roaring format: u64 number of upper halves; for each, in order, u32 upper half and a 32-bit set. Many threads may read a set
/// at once, as long as none changes it.
/// </summary>
[CollectionBuilder(typeof(IdSetBuilder), nameof(IdSetBuilder.Create))]
public sealed partial class IdSet64 : IdSetBase<IdSet64, ulong>, IIdSet<IdSet64, ulong>
{
    internal const int KeyShift = 32;

    private readonly bool _isFrozen;

    // The upper halves in order, and for each the set of lower halves. None of these sets is empty.
    private List<uint> _keys = [];
    private List<IdSet> _sets = [];

    /// <summary>Makes an empty set.</summary>
    public IdSet64()
    {
    }

    /// <summary>Makes a set of ids in any order, repeated or not.</summary>
    public IdSet64(ReadOnlySpan<ulong> ids) => Become(From(ids));

    private IdSet64(bool isFrozen) => _isFrozen = isFrozen;

    /// <inheritdoc/>
    public override long Count
    {
        get
        {
            ulong count = 0;
            foreach (IdSet set in _sets) count += (ulong)set.Count;
            return (long)Math.Min(count, long.MaxValue);
        }
    }

    /// <inheritdoc/>
    // No part is empty; to ask one tells when its memory is no longer there.
    public override bool IsEmpty => _sets.TrueForAll(static set => set.IsEmpty);

    /// <inheritdoc/>
    public override bool IsFrozen => _isFrozen;

    internal ReadOnlySpan<uint> Keys => CollectionsMarshal.AsSpan(_keys);

    internal IdSet Part(int index) => _sets[index];

    internal static ulong Id(uint key, uint low) => (ulong)key << KeyShift | low;

    // The place of an id's upper half; of one that is not there, the complement of the place where it belongs.
    internal int Find(ulong id)
    {
        uint key = (uint)(id >> KeyShift);
        int at = (int)SortedSearch.LowerBound(Keys, key);
        return at < _keys.Count && _keys[at] == key ? at : ~at;
    }

    static IdSet64 IIdSet<IdSet64, ulong>.OfInterval(ulong first, ulong last)
    {
        IdSet64 set = new();
        uint firstKey = (uint)(first >> KeyShift), lastKey = (uint)(last >> KeyShift);
        for (uint key = firstKey; ; key++)
        {
            set.Append(key, IdSet.FromInterval(key == firstKey ? (uint)first : 0, key == lastKey ? (uint)last : uint.MaxValue));
            if (key == lastKey) return set;
        }
    }

    static IdSet64 IIdSet<IdSet64, ulong>.FromOrdered(ReadOnlySpan<ulong> ids)
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

    static IdSet64 IIdSet<IdSet64, ulong>.Union(ReadOnlySpan<IdSet64> sets)
    {
        SortedDictionary<uint, List<IdSet>> byKey = [];
        foreach (IdSet64 set in sets)
            for (int i = 0; i < set._sets.Count; i++)
            {
                if (!byKey.TryGetValue(set._keys[i], out List<IdSet>? there)) byKey.Add(set._keys[i], there = []);
                there.Add(set._sets[i]);
            }
        IdSet64 result = new();
        foreach ((uint key, List<IdSet> there) in byKey) result.Append(key, IdSet.OrMany([.. there]));
        return result;
    }

    /// <inheritdoc/>
    public override bool Contains(ulong id) => Find(id) is >= 0 and int at && _sets[at].Contains((uint)id);

    /// <inheritdoc/>
    public override bool Add(ulong id)
    {
        ThrowIfFrozen();
        int at = Find(id);
        if (at < 0)
        {
            _keys.Insert(~at, (uint)(id >> KeyShift));
            _sets.Insert(~at, IdSet.FromSorted([(uint)id]));
        }
        else if (!_sets[at].Add((uint)id)) return false;
        Version++;
        return true;
    }

    /// <inheritdoc/>
    public override bool Remove(ulong id)
    {
        ThrowIfFrozen();
        int at = Find(id);
        if (at < 0 || !_sets[at].Remove((uint)id)) return false;
        DropIfEmpty(at);
        Version++;
        return true;
    }

    /// <inheritdoc/>
    public override void Optimize()
    {
        ThrowIfFrozen();
        foreach (IdSet set in _sets) set.Optimize();
        Version++;
    }

    /// <inheritdoc/>
    public override IdSet64 And(IdSet64 other) => Combine(other, static (left, right) => left.And(right));

    /// <inheritdoc/>
    public override IdSet64 Or(IdSet64 other) => Combine(other, static (left, right) => left.Or(right));

    /// <inheritdoc/>
    public override IdSet64 Xor(IdSet64 other) => Combine(other, static (left, right) => left.Xor(right));

    /// <inheritdoc/>
    public override IdSet64 AndNot(IdSet64 other) => Combine(other, static (left, right) => left.AndNot(right));

    /// <inheritdoc/>
    public override long CountIntersection(IdSet64 other) => CountShared(SetErrors.NotNull(other), long.MaxValue);

    internal override long CountShared(IdSet64 other, long enough)
    {
        long count = 0;
        foreach ((_, IdSet? left, IdSet? right) in Pairs(other))
            if (left is not null && right is not null && count < enough) count += left.CountShared(right, enough - count);
        return count;
    }

    private IdSet64 Combine(IdSet64 other, Func<IdSet, IdSet, IdSet> operation)
    {
        IdSet64 result = new();
        IdSet none = new();
        foreach ((uint key, IdSet? left, IdSet? right) in Pairs(SetErrors.NotNull(other)))
            result.Append(key, operation(left ?? none, right ?? none));
        return result;
    }

    // The upper halves of both, in order, with the parts that each has there.
    private IEnumerable<(uint Key, IdSet? Left, IdSet? Right)> Pairs(IdSet64 other)
    {
        int i = 0, j = 0;
        while (i < _keys.Count || j < other._keys.Count)
        {
            bool left = i < _keys.Count && (j == other._keys.Count || _keys[i] <= other._keys[j]);
            bool right = j < other._keys.Count && (i == _keys.Count || other._keys[j] <= _keys[i]);
            yield return (left ? _keys[i] : other._keys[j], left ? _sets[i++] : null, right ? other._sets[j++] : null);
        }
    }

    // Only the parts that are there: the range may go over billions of upper halves.
    private protected override void RemoveAll(ulong first, ulong last)
    {
        for (int i = _sets.Count - 1; i >= 0; i--)
        {
            ulong start = Math.Max(first, Id(_keys[i], 0)), end = Math.Min(last, Id(_keys[i], uint.MaxValue));
            if (start > end) continue;
            _sets[i].RemoveInterval((uint)start, (uint)end);
            DropIfEmpty(i);
        }
        Version++;
    }

    private protected override void Become(IdSet64? result) =>
        (_keys, _sets) = result is null ? ([], []) : (result._keys, result._sets);

    // Other writers leave an upper half with no ids, and some results have none: it would make the set look as if it had some.
    private void Append(uint key, IdSet set)
    {
        if (set.IsEmpty) return;
        _keys.Add(key);
        _sets.Add(set);
    }

    private void DropIfEmpty(int index)
    {
        if (!_sets[index].IsEmpty) return;
        _keys.RemoveAt(index);
        _sets.RemoveAt(index);
    }
}
