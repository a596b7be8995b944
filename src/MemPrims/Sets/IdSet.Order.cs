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
    public uint Select(long rank)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        SetView view = View();
        if (view.Length == 0) ThrowEmpty();
        long left = rank;
        int at = 0;
        for (; at < view.Length && left >= view.Cardinality(at); at++) left -= view.Cardinality(at);
        if (at == view.Length) ThrowRank(rank, rank - left);
        uint id = IdAt(view, at, (int)left);
        GC.KeepAlive(this);
        return id;
    }

    /// <summary>Writes for each id how many ids of the set are at or below it.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than the ids.</exception>
    public void RankMany(ReadOnlySpan<uint> ids, Span<long> ranks)
    {
        if (ranks.Length < ids.Length) ThrowShort(ids.Length, ranks.Length, nameof(ranks));
        SetView view = View();
        long[] before = CountsBefore(view);
        for (int i = 0; i < ids.Length; i++)
        {
            int key = (int)(ids[i] >> KeyShift), at = view.Seek(key, 0);
            bool isThere = at < view.Length && view.Key(at) == key;
            ranks[i] = before[at] + (isThere ? ContainerOrder.Rank(view[at], (ushort)ids[i]) : 0);
        }
        GC.KeepAlive(this);
    }

    /// <summary>Writes for each rank the id that has so many ids below it.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than the ranks.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The set has not that many ids; nothing is written.</exception>
    public void SelectMany(ReadOnlySpan<long> ranks, Span<uint> ids)
    {
        if (ids.Length < ranks.Length) ThrowShort(ranks.Length, ids.Length, nameof(ids));
        SetView view = View();
        long[] before = CountsBefore(view);
        foreach (long rank in ranks)
            if (rank < 0 || rank >= before[^1]) ThrowRank(rank, before[^1]);
        for (int i = 0; i < ranks.Length; i++)
        {
            // No two counts are alike, so a container is found by the count that is at or below the rank.
            int at = before.AsSpan().BinarySearch(ranks[i]);
            if (at < 0) at = ~at - 1;
            ids[i] = IdAt(view, at, (int)(ranks[i] - before[at]));
        }
        GC.KeepAlive(this);
    }

    /// <summary>How many ids are before each container, and in all.</summary>
    private static long[] CountsBefore(in SetView view)
    {
        long[] before = new long[view.Length + 1];
        for (int i = 0; i < view.Length; i++) before[i + 1] = before[i] + view.Cardinality(i);
        return before;
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
    private static void ThrowRank(long rank, long count) =>
        throw new ArgumentOutOfRangeException(nameof(rank), rank, $"The set has {count} ids, so ranks go from 0 to {count - 1}.");

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    private static void ThrowShort(int asked, int room, string name) =>
        throw new ArgumentException($"{asked} results are asked for, but the destination takes {room}. Give a longer one.", name);
}
