namespace MemPrims.Sets;

/// <content>From the set to its ids: one by one, by rank, and beside an id.</content>
public sealed partial class IdSet64
{
    // What the iterator takes from its reader at a time.
    private const int Block = 256;

    /// <inheritdoc cref="IdSet.GetReader"/>
    public IdSet64Reader GetReader() => new(this, backwards: false);

    /// <inheritdoc cref="IdSet.GetReverseReader"/>
    public IdSet64Reader GetReverseReader() => new(this, backwards: true);

    /// <summary>
    /// Goes through the ids in order. If the set is changed meanwhile, the next step throws an <see cref="InvalidOperationException"/>.
    /// The same holds for the readers and for <c>Backwards</c>.
    /// </summary>
    public IEnumerator<ulong> GetEnumerator() => Enumerate(backwards: false);

    // The reader is made at once, so that it tells of changes before the first step, too.
    private protected override IEnumerator<ulong> Enumerate(bool backwards) => Enumerate(new(this, backwards), Version);

    private IEnumerator<ulong> Enumerate(IdSet64Reader reader, int version)
    {
        ulong[] block = new ulong[Block];
        for (int count; (count = reader.ReadMany(block)) > 0;)
            for (int i = 0; i < count; i++)
            {
                yield return block[i];
                ThrowIfChangedSince(version);
            }
    }

    private protected override int Decode(Span<ulong> destination)
    {
        int count = 0;
        for (int i = 0; i < _sets.Count; i++) count += _sets[i].Decode(destination[count..], Id(_keys[i], 0));
        return count;
    }

    /// <inheritdoc/>
    public override bool TryGetNext(ulong from, out ulong id)
    {
        int at = Find(from);
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

    /// <inheritdoc/>
    public override bool TryGetPrevious(ulong from, out ulong id)
    {
        int at = Find(from);
        if (at >= 0 && _sets[at].TryGetPrevious((uint)from, out uint low))
        {
            id = Id(_keys[at], low);
            return true;
        }
        int before = (at >= 0 ? at : ~at) - 1;
        id = before >= 0 ? Id(_keys[before], _sets[before].Max) : 0;
        return before >= 0;
    }

    /// <inheritdoc/>
    public override long Rank(ulong id)
    {
        int at = Find(id);
        long rank = at < 0 ? 0 : _sets[at].Rank((uint)id);
        for (int i = 0; i < (at < 0 ? ~at : at); i++) rank += _sets[i].Count;
        return rank;
    }

    /// <inheritdoc/>
    public override ulong IdAt(long rank)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        if (IsEmpty) SetErrors.ThrowEmpty();
        long left = rank;
        for (int i = 0; i < _sets.Count; i++)
        {
            long count = _sets[i].Count;
            if (left < count) return Id(_keys[i], _sets[i].IdAt(left));
            left -= count;
        }
        SetErrors.ThrowRank(rank, rank - left, nameof(rank));
        return 0;
    }

    /// <inheritdoc/>
    public override void IdsAt(ReadOnlySpan<long> ranks, Span<ulong> ids)
    {
        if (ids.Length < ranks.Length) SetErrors.ThrowShort(ranks.Length, ids.Length);
        long[][] inParts = [.. _sets.Select(static set => set.View().CountsBefore())];
        long[] before = new long[_sets.Count + 1];
        for (int i = 0; i < _sets.Count; i++) before[i + 1] = before[i] + inParts[i][^1];
        SetErrors.CheckRanks(ranks, before[^1]);
        for (int i = 0; i < ranks.Length; i++)
        {
            int at = before.AsSpan().BinarySearch(ranks[i]);
            if (at < 0) at = ~at - 1;
            ids[i] = Id(_keys[at], _sets[at].View().IdAt(ranks[i] - before[at], inParts[at]));
        }
        GC.KeepAlive(this);
    }
}
