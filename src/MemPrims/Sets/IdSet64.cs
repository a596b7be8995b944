using System.Collections;

namespace MemPrims.Sets;

/// <summary>
/// A compressed set of 64-bit ids: an <see cref="IdSet"/> for each upper half that occurs. Reads and writes the 64-bit form of the portable Roaring format:
/// u64 count of upper halves; for each, in order, u32 upper half and a 32-bit set.
/// </summary>
public sealed partial class IdSet64 : IEnumerable<ulong>
{
    private const int KeyShift = 32;

    private readonly List<uint> _keys = [];
    private readonly List<IdSet> _sets = [];

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

    /// <summary>Whether the set has no ids.</summary>
    public bool IsEmpty => _sets.Count == 0;

    /// <summary>Whether the set lies in bytes of its caller's, and cannot be changed.</summary>
    public bool IsFrozen { get; private init; }

    /// <summary>The least id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public ulong Min => Select(0);

    /// <summary>The greatest id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public ulong Max => _sets.Count == 0 ? Select(0) : Id(_keys[^1], _sets[^1].Max);

    /// <summary>Builds a set of ids that are strictly increasing.</summary>
    /// <exception cref="ArgumentException">They are not; the message says where the order breaks.</exception>
    public static IdSet64 FromSorted(ReadOnlySpan<ulong> ids)
    {
        SortedIds.CheckSorted(ids);
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

    /// <summary>Builds a set of ids in any order, repeated or not.</summary>
    public static IdSet64 From(ReadOnlySpan<ulong> ids)
    {
        if (SortedIds.IsSorted(ids)) return FromSorted(ids);
        ulong[] sorted = ids.ToArray();
        Array.Sort(sorted);
        int count = 1;
        for (int i = 1; i < sorted.Length; i++)
            if (sorted[i] != sorted[count - 1]) sorted[count++] = sorted[i];
        return FromSorted(sorted.AsSpan(0, count));
    }

    /// <summary>Whether <paramref name="id"/> is in the set.</summary>
    public bool Contains(ulong id)
    {
        int at = _keys.BinarySearch((uint)(id >> KeyShift));
        return at >= 0 && _sets[at].Contains((uint)id);
    }

    /// <summary>Puts an id into the set; false when it was there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(ulong id)
    {
        ThrowIfFrozen();
        int at = _keys.BinarySearch((uint)(id >> KeyShift));
        if (at >= 0) return _sets[at].Add((uint)id);
        _keys.Insert(~at, (uint)(id >> KeyShift));
        _sets.Insert(~at, IdSet.FromSorted([(uint)id]));
        return true;
    }

    /// <summary>Takes an id out of the set; false when it was not there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Remove(ulong id)
    {
        ThrowIfFrozen();
        int at = _keys.BinarySearch((uint)(id >> KeyShift));
        if (at < 0 || !_sets[at].Remove((uint)id)) return false;
        if (_sets[at].IsEmpty)
        {
            _keys.RemoveAt(at);
            _sets.RemoveAt(at);
        }
        return true;
    }

    /// <summary>How many ids are at or below <paramref name="id"/>.</summary>
    public long Rank(ulong id)
    {
        long rank = 0;
        uint key = (uint)(id >> KeyShift);
        for (int i = 0; i < _keys.Count && _keys[i] <= key; i++) rank += _keys[i] == key ? _sets[i].Rank((uint)id) : _sets[i].Count;
        return rank;
    }

    /// <summary>The id that has <paramref name="rank"/> ids below it.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The set has not that many ids.</exception>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public ulong Select(long rank)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        if (_sets.Count == 0) throw new InvalidOperationException("The set is empty: it has no least and no greatest id. Ask IsEmpty first.");
        long left = rank;
        for (int i = 0; i < _sets.Count; left -= _sets[i++].Count)
            if (left < _sets[i].Count) return Id(_keys[i], _sets[i].Select(left));
        throw new ArgumentOutOfRangeException(nameof(rank), rank, $"The set has {Count} ids, so the last rank is {Count - 1}.");
    }

    /// <summary>All ids in order.</summary>
    public ulong[] ToArray()
    {
        ulong[] ids = new ulong[checked((int)Count)];
        int at = 0;
        foreach (ulong id in this) ids[at++] = id;
        return ids;
    }

    /// <summary>Goes through the ids in order. The set must not be changed meanwhile.</summary>
    public IEnumerator<ulong> GetEnumerator()
    {
        for (int i = 0; i < _sets.Count; i++)
            foreach (uint low in _sets[i]) yield return Id(_keys[i], low);
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private static ulong Id(uint key, uint low) => (ulong)key << KeyShift | low;

    private void Append(uint key, IdSet set)
    {
        _keys.Add(key);
        _sets.Add(set);
    }

    private void ThrowIfFrozen()
    {
        if (IsFrozen) throw new NotSupportedException("The set is frozen: its ids lie in bytes that are not its own. Clone() gives one that can be changed.");
    }
}
