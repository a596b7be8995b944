using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <content>Rank and select: from an id to its place in the order, and back.</content>
public sealed partial class IdSet
{
    /// <summary>The least id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public uint Min => TryGetMin(out uint id) ? id : ThrowEmpty();

    /// <summary>The greatest id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public uint Max => TryGetMax(out uint id) ? id : ThrowEmpty();

    /// <summary>How many ids are at or below <paramref name="id"/>.</summary>
    public long Rank(uint id)
    {
        SetView view = View();
        int key = (int)(id >> KeyShift), at = view.Seek(key, 0);
        long rank = 0;
        for (int i = 0; i < at; i++) rank += view.Cardinality(i);
        if (at < view.Length && view.Key(at) == key) rank += ContainerOrder.Rank(view[at], (ushort)id);
        GC.KeepAlive(this);
        return rank;
    }

    /// <summary>The id that has <paramref name="rank"/> ids below it.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The set has not that many ids.</exception>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public uint IdAt(long rank)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        SetView view = View();
        if (view.Length == 0) ThrowEmpty();
        long left = rank;
        int at = 0;
        for (; at < view.Length && left >= view.Cardinality(at); at++) left -= view.Cardinality(at);
        if (at == view.Length) ThrowRank(rank, rank - left, nameof(rank));
        uint id = IdAt(view, at, (int)left);
        GC.KeepAlive(this);
        return id;
    }

    /// <summary>Writes for each id how many ids of the set are at or below it.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than the ids.</exception>
    public void RankMany(ReadOnlySpan<uint> ids, Span<long> ranks)
    {
        if (ranks.Length < ids.Length) ThrowShort(ids.Length, ranks.Length, nameof(ranks));
        long[] before = CountsBefore();
        for (int i = 0; i < ids.Length; i++) ranks[i] = Rank(ids[i], before);
    }

    /// <summary>Writes for each rank the id that has so many ids below it.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than the ranks.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The set has not that many ids; nothing is written.</exception>
    public void IdsAt(ReadOnlySpan<long> ranks, Span<uint> ids)
    {
        if (ids.Length < ranks.Length) ThrowShort(ranks.Length, ids.Length, nameof(ids));
        long[] before = CountsBefore();
        CheckRanks(ranks, before[^1]);
        for (int i = 0; i < ranks.Length; i++) ids[i] = IdAt(ranks[i], before);
    }

    /// <summary>How many ids are before each container; the last entry is the number of all.</summary>
    internal long[] CountsBefore()
    {
        SetView view = View();
        long[] before = new long[view.Length + 1];
        for (int i = 0; i < view.Length; i++) before[i + 1] = before[i] + view.Cardinality(i);
        GC.KeepAlive(this);
        return before;
    }

    /// <summary>The rank of an id, with the sums of <see cref="CountsBefore"/>.</summary>
    internal long Rank(uint id, long[] before)
    {
        SetView view = View();
        int key = (int)(id >> KeyShift), at = view.Seek(key, 0);
        bool isThere = at < view.Length && view.Key(at) == key;
        long rank = before[at] + (isThere ? ContainerOrder.Rank(view[at], (ushort)id) : 0);
        GC.KeepAlive(this);
        return rank;
    }

    /// <summary>The id of a rank below the last of the sums of <see cref="CountsBefore"/>.</summary>
    internal uint IdAt(long rank, long[] before)
    {
        // No two sums are alike, so the container is the last one whose sum is at or below the rank.
        int at = before.AsSpan().BinarySearch(rank);
        if (at < 0) at = ~at - 1;
        uint id = IdAt(View(), at, (int)(rank - before[at]));
        GC.KeepAlive(this);
        return id;
    }

    internal static void CheckRanks(ReadOnlySpan<long> ranks, long count)
    {
        foreach (long rank in ranks)
            if (rank < 0 || rank >= count) ThrowRank(rank, count, nameof(ranks));
    }

    private static uint IdAt(in SetView view, int index, int rank)
    {
        ContainerView container = view[index];
        // Bytes that change meanwhile may have made an array shorter.
        if (container.Kind == ContainerKind.Array) rank = Math.Min(rank, container.Count - 1);
        return (uint)view.Key(index) << KeyShift | ContainerOrder.Select(container, rank);
    }

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    private static uint ThrowEmpty() =>
        throw new InvalidOperationException("The set is empty: it has no least and no greatest id. Ask IsEmpty first.");

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    internal static void ThrowRank(long rank, long count, string name) =>
        throw new ArgumentOutOfRangeException(
            name, rank, count == 0 ? "The set is empty, so no id has a rank."
                : $"The set has {count} ids, so ranks go from 0 to {count - 1}.");

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    internal static void ThrowShort(int asked, int room, string name) =>
        throw new ArgumentException($"{asked} results are asked for, but the destination takes {room}. Give a longer one.", name);
}
