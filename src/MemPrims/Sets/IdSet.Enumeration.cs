using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <content>From the set to its ids: all of them, one by one, by rank, and beside an id.</content>
public sealed partial class IdSet
{
    /// <summary>All ids in order.</summary>
    /// <exception cref="InvalidOperationException">An array does not take so many.</exception>
    /// <exception cref="IdSetDamagedException">The set was opened without a check, and its bytes are damaged.</exception>
    public uint[] ToArray()
    {
        // Foreign bytes may change meanwhile and leave a part unwritten: that part must not show old memory.
        int count = LengthOfArray(Count);
        uint[] ids = IsFrozen ? new uint[count] : GC.AllocateUninitializedArray<uint>(count);
        if (Decode(ids, 0u) != count) ThrowChanged(0);
        return ids;
    }

    /// <summary>Writes all ids in order.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing is written.</exception>
    /// <exception cref="IdSetDamagedException">The set was opened without a check, and its bytes are damaged.</exception>
    public void CopyTo(Span<uint> destination)
    {
        long count = Count;
        if (destination.Length < count) ThrowNoRoom(count, destination.Length);
        Decode(destination[..(int)count], 0u);
    }

    /// <summary>
    /// Writes all ids in order with <paramref name="high"/> above them, and returns how many. The destination was large enough when the
    /// ids were counted: if it no longer is, the bytes of a frozen set have changed.
    /// </summary>
    internal int Decode<T>(Span<T> destination, T high) where T : unmanaged, IBinaryInteger<T>
    {
        SetView view = View();
        int count = 0;
        bool isFrozen = IsFrozen;
        for (int i = 0; i < view.Length; i++)
        {
            ContainerView container = view[i];
            if (container.Cardinality > destination.Length) ThrowChanged(view.Offset(i));
            T above = high | T.CreateTruncating((uint)view.Key(i) << KeyShift);
            if (isFrozen) ContainerCheck.Cardinality(container, i, view.Offset(i));
            // All that is left is given, because whole vectors are stored: the next container overwrites what is too much.
            ContainerOrder.Decode(container, above, destination);
            destination = destination[container.Cardinality..];
            count += container.Cardinality;
        }
        GC.KeepAlive(this);
        return count;
    }

    /// <summary>Reads the ids in order, in blocks, with skips.</summary>
    public IdSetReader GetReader() => new(this, backwards: false);

    /// <summary>Reads the ids from the greatest to the least, in blocks, with skips.</summary>
    public IdSetReader GetReverseReader() => new(this, backwards: true);

    /// <summary>
    /// Goes through the ids in order. If the set is changed meanwhile, an <see cref="InvalidOperationException"/> says so once the ids
    /// decoded so far, at most 4096, are used up. The same holds for the readers and <see cref="Backwards"/>.
    /// </summary>
    public Enumerator GetEnumerator() => new(this, backwards: false);

    /// <summary>The ids from the greatest to the least.</summary>
    /// <exception cref="InvalidOperationException">The set was changed meanwhile.</exception>
    public IEnumerable<uint> Backwards()
    {
        Enumerator ids = new(this, backwards: true);
        while (ids.MoveNext()) yield return ids.Current;
    }

    IEnumerator<uint> IEnumerable<uint>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal static int LengthOfArray(long count) => count <= Array.MaxLength
        ? (int)count
        : throw new InvalidOperationException($"The set has {count} ids, more than an array takes. Read them in blocks: GetReader().");

    internal static void ThrowChanged(long offset) =>
        throw new IdSetDamagedException(offset, "There are not as many ids as a moment ago: the bytes change while they are read");

    internal static void ThrowNoRoom(long count, int room) =>
        throw new ArgumentException($"The set has {count} ids, but the destination takes {room}. Give a longer one.", "destination");

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

    /// <summary>The least id; false when the set is empty.</summary>
    public bool TryGetMin(out uint id) => TryGetNext(0, out id);

    /// <summary>The greatest id; false when the set is empty.</summary>
    public bool TryGetMax(out uint id) => TryGetPrevious(uint.MaxValue, out id);

    /// <summary>The least id at or above <paramref name="from"/>; false when there is none.</summary>
    public bool TryGetNext(uint from, out uint id)
    {
        SetView view = View();
        int key = (int)(from >> KeyShift), at = view.Seek(key, 0), below = 0;
        if (at < view.Length && view.Key(at) == key && (ushort)from > 0)
        {
            below = ContainerOrder.Rank(view[at], (ushort)(from - 1));
            if (below >= view.Cardinality(at)) (at, below) = (at + 1, 0);
        }
        bool exists = at < view.Length;
        id = exists ? IdAt(view, at, below) : 0;
        GC.KeepAlive(this);
        return exists;
    }

    /// <summary>The greatest id at or below <paramref name="from"/>; false when there is none.</summary>
    public bool TryGetPrevious(uint from, out uint id)
    {
        SetView view = View();
        int key = (int)(from >> KeyShift), at = view.Seek(key, 0), upTo = 0;
        if (at < view.Length && view.Key(at) == key) upTo = Math.Min(ContainerOrder.Rank(view[at], (ushort)from), view.Cardinality(at));
        if (upTo == 0 && at > 0) upTo = view.Cardinality(--at);
        id = upTo > 0 ? IdAt(view, at, upTo - 1) : 0;
        GC.KeepAlive(this);
        return upTo > 0;
    }

    /// <summary>The ids of a set, one by one.</summary>
    /// <remarks>It has four fields and lends its address to no call, so the JIT keeps all of it in registers.</remarks>
    public struct Enumerator : IEnumerator<uint>
    {
        private IdBlocks _blocks;
        private uint[] _ids;
        private int _at, _count;

        internal Enumerator(IdSet set, bool backwards) => (_blocks, _ids, _at, _count) = (new(set, backwards), [], -1, 0);

        /// <summary>The id under way.</summary>
        public readonly uint Current => _ids[_at];

        readonly object IEnumerator.Current => Current;

        /// <summary>Moves to the next id; false when there is none.</summary>
        /// <exception cref="InvalidOperationException">The set was changed meanwhile.</exception>
        /// <exception cref="IdSetDamagedException">The set was opened without a check, and its bytes are damaged.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool MoveNext()
        {
            int next = _at + 1;
            if (next < _count)
            {
                _at = next;
                return true;
            }
            (_count, _ids, _at) = (_blocks.Next(), _blocks.Ids, 0);
            return _count > 0;
        }

        /// <summary>Goes back before the first id.</summary>
        public void Reset() => (_blocks, _ids, _at, _count) = (_blocks.Again(), [], -1, 0);

        /// <summary>Nothing to do.</summary>
        public readonly void Dispose()
        {
        }
    }
}
