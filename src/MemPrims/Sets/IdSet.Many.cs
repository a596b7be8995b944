using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <content>Many sets at once.</content>
public sealed partial class IdSet
{
    /// <summary>A new set of the ids that are in any of the sets.</summary>
    /// <remarks>The smallest two are joined first, then the smallest two of what is left, so that no large set is copied often.</remarks>
    public static IdSet OrMany(params ReadOnlySpan<IdSet> sets)
    {
        PriorityQueue<IdSet, long> smallest = new();
        foreach (IdSet set in sets)
        {
            ArgumentNullException.ThrowIfNull(set, nameof(sets));
            smallest.Enqueue(set, set.SerializedSize);
        }
        if (smallest.Count == 0) return new();
        if (smallest.Count == 1) return smallest.Dequeue().Clone();
        while (true)
        {
            IdSet joined = smallest.Dequeue().Or(smallest.Dequeue());
            if (smallest.Count == 0) return joined;
            smallest.Enqueue(joined, joined.SerializedSize);
        }
    }

    /// <summary>A new set of the ids that are in all of the sets.</summary>
    /// <exception cref="ArgumentException">There are no sets: all ids would be in them.</exception>
    public static IdSet AndMany(params ReadOnlySpan<IdSet> sets)
    {
        if (sets.IsEmpty) throw new ArgumentException("Of no sets, every id is in all: give one set at least.", nameof(sets));
        IdSet[] byCount = sets.ToArray();
        foreach (IdSet set in byCount) ArgumentNullException.ThrowIfNull(set, nameof(sets));
        Array.Sort(byCount, (a, b) => a.Count.CompareTo(b.Count));
        if (byCount.Length == 1) return byCount[0].Clone();
        IdSet common = byCount[0];
        for (int i = 1; i < byCount.Length && (i == 1 || !common.IsEmpty); i++) common = common.And(byCount[i]);
        return common;
    }

    /// <summary>Writes for each id how many ids of the set are at or below it.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than the ids.</exception>
    public void RankMany(ReadOnlySpan<uint> ids, Span<long> ranks)
    {
        if (ranks.Length < ids.Length) ThrowShort(ids.Length, ranks.Length);
        for (int i = 0; i < ids.Length; i++) ranks[i] = Rank(ids[i]);
    }

    /// <summary>Writes for each rank the id that has so many ids below it.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than the ranks.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The set has not that many ids.</exception>
    public void SelectMany(ReadOnlySpan<long> ranks, Span<uint> ids)
    {
        if (ids.Length < ranks.Length) ThrowShort(ranks.Length, ids.Length);
        for (int i = 0; i < ranks.Length; i++) ids[i] = Select(ranks[i]);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ThrowShort(int asked, int room) => throw new ArgumentException($"{asked} results are asked for, but the destination takes {room}.");
}
