using System.Collections;

namespace MemPrims.Sets;

/// <content>From the set to its ids: all of them, one by one, by rank, and beside an id.</content>
public sealed partial class IdSet
{
    private protected override int Decode(Span<uint> destination) => Decode(destination, 0u);

    // Writes all ids in order with `high` above them, and returns how many. The destination was large enough when the ids were counted: if
    // it no longer is, the bytes of a frozen set have changed.
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
    /// decoded so far, at most 4096, are used up. The same holds for the readers and <c>Backwards</c>.
    /// </summary>
    public Enumerator GetEnumerator() => new(this, backwards: false);

    private protected override IEnumerator<uint> Enumerate(bool backwards) => new Enumerator(this, backwards);

    /// <inheritdoc/>
    public override long Rank(uint id)
    {
        SetView view = View();
        int key = (int)(id >> KeyShift), at = view.Seek(key, 0);
        long rank = 0;
        for (int i = 0; i < at; i++) rank += view.Cardinality(i);
        if (at < view.Length && view.Key(at) == key) rank += ContainerOrder.Rank(view[at], (ushort)id);
        GC.KeepAlive(this);
        return rank;
    }

    /// <inheritdoc/>
    public override uint IdAt(long rank)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        SetView view = View();
        if (view.Length == 0) SetErrors.ThrowEmpty();
        long left = rank;
        int at = 0;
        for (; at < view.Length && left >= view.Cardinality(at); at++) left -= view.Cardinality(at);
        if (at == view.Length) SetErrors.ThrowRank(rank, rank - left, nameof(rank));
        uint id = view.IdAt(at, (int)left);
        GC.KeepAlive(this);
        return id;
    }

    /// <inheritdoc/>
    public override void IdsAt(ReadOnlySpan<long> ranks, Span<uint> ids)
    {
        if (ids.Length < ranks.Length) SetErrors.ThrowShort(ranks.Length, ids.Length);
        SetView view = View();
        long[] before = view.CountsBefore();
        SetErrors.CheckRanks(ranks, before[^1]);
        for (int i = 0; i < ranks.Length; i++) ids[i] = view.IdAt(ranks[i], before);
        GC.KeepAlive(this);
    }

    /// <inheritdoc/>
    public override bool TryGetNext(uint from, out uint id)
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

    /// <inheritdoc/>
    public override bool TryGetPrevious(uint from, out uint id)
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
    /// <remarks>
    /// It has four fields and lends its address to no call, so the JIT keeps all of it in registers. That of no set, <c>default</c>, has
    /// no ids.
    /// </remarks>
    public struct Enumerator : IEnumerator<uint>
    {
        private IdBlocks? _blocks;
        private uint[] _ids;
        private int _at, _count;

        internal Enumerator(IdSet set, bool backwards) => (_blocks, _ids, _at) = (new(set, backwards), [], -1);

        /// <summary>The id under way; 0 before the first and after the last one.</summary>
        public readonly uint Current => (uint)_at < (uint)_count ? _ids[_at] : 0;

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
            if (_blocks is not { } blocks) return false;
            (_count, _ids, _at) = (blocks.Next(), blocks.Ids, 0);
            return _count > 0;
        }

        /// <summary>Goes back before the first id.</summary>
        public void Reset() => (_blocks, _at, _count) = (_blocks?.Again(), -1, 0);

        /// <summary>Nothing to do.</summary>
        public readonly void Dispose()
        {
        }
    }
}
