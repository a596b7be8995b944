namespace MemPrims.Sets;

/// <content>Two sets, or many, made one.</content>
public sealed partial class IdSet64
{
    /// <summary>A new set of the ids that are in both.</summary>
    public IdSet64 And(IdSet64 other) => Combine(other, static (left, right) => left.And(right));

    /// <summary>A new set of the ids that are in either.</summary>
    public IdSet64 Or(IdSet64 other) => Combine(other, static (left, right) => left.Or(right));

    /// <summary>A new set of the ids that are in one and not in the other.</summary>
    public IdSet64 Xor(IdSet64 other) => Combine(other, static (left, right) => left.Xor(right));

    /// <summary>A new set of the ids of this one that are not in the other.</summary>
    public IdSet64 AndNot(IdSet64 other) => Combine(other, static (left, right) => left.AndNot(right));

    /// <summary>A new set of the ids that are in any of the sets.</summary>
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

    /// <summary>A new set of the ids that are in all of the sets.</summary>
    /// <exception cref="ArgumentException">There are no sets: all ids would be in them.</exception>
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
}
