using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// What a 64-bit set is made of: the upper halves in order, and for each a set of lower halves. None of these sets is empty.
/// </summary>
internal sealed class IdParts
{
    private readonly List<uint> _keys = [];
    private readonly List<IdSet> _sets = [];

    public int Count => _sets.Count;

    public ReadOnlySpan<uint> Keys => CollectionsMarshal.AsSpan(_keys);

    public IdSet this[int index] => _sets[index];

    /// <summary>The place of an upper half; of one that is not there, the complement of the place where it belongs.</summary>
    public int Find(uint key)
    {
        ReadOnlySpan<uint> keys = Keys;
        int at = (int)SortedSearch.LowerBound(keys, key);
        return at < keys.Length && keys[at] == key ? at : ~at;
    }

    public void Append(uint key, IdSet set) => Insert(Count, key, set);

    /// <summary>Other writers leave an upper half with no ids: it says nothing, and would make the set look as if it had some.</summary>
    public void AppendUnlessEmpty(uint key, IdSet set)
    {
        if (!set.IsEmpty) Append(key, set);
    }

    public void Insert(int index, uint key, IdSet set)
    {
        _keys.Insert(index, key);
        _sets.Insert(index, set);
    }

    public void RemoveAt(int index)
    {
        _keys.RemoveAt(index);
        _sets.RemoveAt(index);
    }

    public void Clear()
    {
        _keys.Clear();
        _sets.Clear();
    }

    /// <summary>Takes all parts of others that nobody else has. There are none before.</summary>
    public void Take(IdParts others)
    {
        _keys.AddRange(others._keys);
        _sets.AddRange(others._sets);
    }

    /// <summary>The upper halves of both, in order, with the parts that each has there.</summary>
    public IEnumerable<(uint Key, IdSet? Left, IdSet? Right)> Pairs(IdParts other)
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

    /// <summary>The parts of both sets at the upper halves that both have.</summary>
    public IEnumerable<(IdSet Left, IdSet Right)> Shared(IdParts other)
    {
        foreach ((_, IdSet? left, IdSet? right) in Pairs(other))
            if (left is not null && right is not null) yield return (left, right);
    }

    /// <summary>Whether a condition holds for every part of this set and the part of the other at the same upper half.</summary>
    public bool All(IdParts other, Func<IdSet, IdSet, bool> holds)
    {
        for (int i = 0; i < _keys.Count; i++)
        {
            int at = other.Find(_keys[i]);
            if (at < 0 || !holds(_sets[i], other._sets[at])) return false;
        }
        return true;
    }
}
