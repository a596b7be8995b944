using System.Collections;
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
        int count = SetErrors.LengthOfArray(Count);
        uint[] ids = IsFrozen ? new uint[count] : GC.AllocateUninitializedArray<uint>(count);
        if (Decode(ids, 0u) != count) SetErrors.ThrowBytesChanged(0);
        return ids;
    }

    /// <summary>Writes all ids in order.</summary>
    /// <exception cref="ArgumentException">
    /// The destination is too short; nothing is written. It may be so for a destination of <see cref="Count"/> ids, if the bytes of a
    /// frozen set have changed meanwhile.
    /// </exception>
    /// <exception cref="IdSetDamagedException">The set was opened without a check, and its bytes are damaged.</exception>
    public void CopyTo(Span<uint> destination)
    {
        long count = Count;
        if (destination.Length < count) SetErrors.ThrowNoRoom(count, destination.Length);
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
            if (container.Cardinality > destination.Length) SetErrors.ThrowBytesChanged(view.Offset(i));
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

    /// <summary>The least id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public uint Min => TryGetMin(out uint id) ? id : ThrowNoId();

    /// <summary>The greatest id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public uint Max => TryGetMax(out uint id) ? id : ThrowNoId();

    // Only damaged bytes have containers without ids.
    private uint ThrowNoId() => IsEmpty ? SetErrors.ThrowEmpty<uint>()
        : throw new IdSetDamagedException(View().Offset(0), "The container has no ids");

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
        if (view.Length == 0) SetErrors.ThrowEmpty<uint>();
        long left = rank;
        int at = 0;
        for (; at < view.Length && left >= view.Cardinality(at); at++) left -= view.Cardinality(at);
        if (at == view.Length) SetErrors.ThrowRank(rank, rank - left, nameof(rank));
        uint id = view.IdAt(at, (int)left);
        GC.KeepAlive(this);
        return id;
    }

    /// <summary>Writes for each id how many ids of the set are at or below it.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than the ids.</exception>
    public void RankMany(ReadOnlySpan<uint> ids, Span<long> ranks)
    {
        if (ranks.Length < ids.Length) SetErrors.ThrowShort(ids.Length, ranks.Length, nameof(ranks));
        SetView view = View();
        long[] before = view.CountsBefore();
        for (int i = 0; i < ids.Length; i++) ranks[i] = view.Rank(ids[i], before);
        GC.KeepAlive(this);
    }

    /// <summary>Writes for each rank the id that has so many ids below it.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than the ranks.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The set has not that many ids; nothing is written.</exception>
    public void IdsAt(ReadOnlySpan<long> ranks, Span<uint> ids)
    {
        if (ids.Length < ranks.Length) SetErrors.ThrowShort(ranks.Length, ids.Length, nameof(ids));
        SetView view = View();
        long[] before = view.CountsBefore();
        SetErrors.CheckRanks(ranks, before[^1]);
        for (int i = 0; i < ranks.Length; i++) ids[i] = view.IdAt(ranks[i], before);
        GC.KeepAlive(this);
    }

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
        id = exists ? view.IdAt(at, below) : 0;
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
        id = upTo > 0 ? view.IdAt(at, upTo - 1) : 0;
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
