namespace MemPrims.Sets;

/// <content>The ids at the ends of the set and beside an id, without an exception where there is none.</content>
public sealed partial class IdSet
{
    /// <summary>The least id; false when the set is empty.</summary>
    public bool TryGetMin(out uint id) => TryGetNext(0, out id);

    /// <summary>The greatest id; false when the set is empty.</summary>
    public bool TryGetMax(out uint id) => TryGetPrevious(uint.MaxValue, out id);

    /// <summary>The least id at or above <paramref name="from"/>; false when there is none.</summary>
    public bool TryGetNext(uint from, out uint id)
    {
        long below = from == 0 ? 0 : Rank(from - 1);
        bool exists = below < Count;
        id = exists ? Select(below) : 0;
        return exists;
    }

    /// <summary>The greatest id at or below <paramref name="from"/>; false when there is none.</summary>
    public bool TryGetPrevious(uint from, out uint id)
    {
        long upTo = Rank(from);
        id = upTo > 0 ? Select(upTo - 1) : 0;
        return upTo > 0;
    }

    /// <summary>Puts an id into the set; false when it was there. Ids are not negative: where yours are <see cref="int"/>, this checks them.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The id is negative.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(int id)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(id);
        return Add((uint)id);
    }
}
