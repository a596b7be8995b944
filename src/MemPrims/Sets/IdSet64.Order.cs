using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Sets;

/// <content>Rank and select, and the ids at the ends of the set and beside an id.</content>
public sealed partial class IdSet64
{
    /// <summary>The least id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public ulong Min => TryGetMin(out ulong id) ? id : ThrowEmpty();

    /// <summary>The greatest id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public ulong Max => TryGetMax(out ulong id) ? id : ThrowEmpty();

    /// <summary>The least id; false when the set is empty.</summary>
    public bool TryGetMin(out ulong id) => TryGetNext(0, out id);

    /// <summary>The greatest id; false when the set is empty.</summary>
    public bool TryGetMax(out ulong id) => TryGetPrevious(ulong.MaxValue, out id);

    /// <summary>The least id at or above <paramref name="from"/>; false when there is none.</summary>
    public bool TryGetNext(ulong from, out ulong id)
    {
        int at = Find((uint)(from >> KeyShift));
        if (at >= 0 && _sets[at].TryGetNext((uint)from, out uint low))
        {
            id = Id(_keys[at], low);
            return true;
        }
        int next = at >= 0 ? at + 1 : ~at;
        bool exists = next < _sets.Count;
        id = exists ? Id(_keys[next], _sets[next].Min) : 0;
        return exists;
    }

    /// <summary>The greatest id at or below <paramref name="from"/>; false when there is none.</summary>
    public bool TryGetPrevious(ulong from, out ulong id)
    {
        int at = Find((uint)(from >> KeyShift));
        if (at >= 0 && _sets[at].TryGetPrevious((uint)from, out uint low))
        {
            id = Id(_keys[at], low);
            return true;
        }
        int before = (at >= 0 ? at : ~at) - 1;
        id = before >= 0 ? Id(_keys[before], _sets[before].Max) : 0;
        return before >= 0;
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
    public ulong IdAt(long rank)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        if (IsEmpty) ThrowEmpty();
        long left = rank;
        for (int i = 0; i < _sets.Count; i++)
        {
            long count = _sets[i].Count;
            if (left < count) return Id(_keys[i], _sets[i].IdAt(left));
            left -= count;
        }
        IdSet.ThrowRank(rank, rank - left, nameof(rank));
        return 0;
    }

    /// <summary>Writes for each id how many ids of the set are at or below it.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than the ids.</exception>
    public void RankMany(ReadOnlySpan<ulong> ids, Span<long> ranks)
    {
        if (ranks.Length < ids.Length) IdSet.ThrowShort(ids.Length, ranks.Length, nameof(ranks));
        long[] before = CountsBefore(out long[][] inParts);
        for (int i = 0; i < ids.Length; i++)
        {
            int at = Find((uint)(ids[i] >> KeyShift));
            ranks[i] = at < 0 ? before[~at] : before[at] + _sets[at].Rank((uint)ids[i], inParts[at]);
        }
    }

    /// <summary>Writes for each rank the id that has so many ids below it.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than the ranks.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The set has not that many ids; nothing is written.</exception>
    public void IdsAt(ReadOnlySpan<long> ranks, Span<ulong> ids)
    {
        if (ids.Length < ranks.Length) IdSet.ThrowShort(ranks.Length, ids.Length, nameof(ids));
        long[] before = CountsBefore(out long[][] inParts);
        IdSet.CheckRanks(ranks, before[^1]);
        for (int i = 0; i < ranks.Length; i++)
        {
            int at = before.AsSpan().BinarySearch(ranks[i]);
            if (at < 0) at = ~at - 1;
            ids[i] = Id(_keys[at], _sets[at].IdAt(ranks[i] - before[at], inParts[at]));
        }
    }

    /// <summary>How many ids are before each part, with the number of all at the end; and, in each part, before its containers.</summary>
    private long[] CountsBefore(out long[][] inParts)
    {
        inParts = new long[_sets.Count][];
        long[] before = new long[_sets.Count + 1];
        for (int i = 0; i < _sets.Count; i++)
        {
            inParts[i] = _sets[i].CountsBefore();
            before[i + 1] = before[i] + inParts[i][^1];
        }
        return before;
    }

    [DoesNotReturn]
    private static ulong ThrowEmpty() =>
        throw new InvalidOperationException("The set is empty: it has no least and no greatest id. Ask IsEmpty first.");
}
