namespace MemPrims.Sets;

public sealed partial class IdSet64
{
    /// <summary>Builds a set of ids that are strictly increasing.</summary>
    /// <exception cref="ArgumentException">They are not; the message says where the order breaks.</exception>
    public static IdSet64 FromSorted(ReadOnlySpan<ulong> ids)
    {
        SortedIds.CheckSorted(ids);
        return FromOrdered(ids);
    }

    /// <summary>Builds a set of ids in any order, repeated or not.</summary>
    public static IdSet64 From(ReadOnlySpan<ulong> ids)
    {
        if (SortedIds.IsSorted(ids)) return FromOrdered(ids);
        ulong[] sorted = ids.ToArray();
        Array.Sort(sorted);
        int count = 1;
        for (int i = 1; i < sorted.Length; i++)
            if (sorted[i] != sorted[count - 1]) sorted[count++] = sorted[i];
        return FromOrdered(sorted.AsSpan(0, count));
    }

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

    /// <summary>A new set of the same ids, which can be changed.</summary>
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
}
