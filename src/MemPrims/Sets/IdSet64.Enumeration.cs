namespace MemPrims.Sets;

/// <content>From the set to its ids: all of them, one by one, by rank, and beside an id.</content>
public sealed partial class IdSet64
{
    /// <inheritdoc cref="IdSet.ToArray"/>
    public ulong[] ToArray()
    {
        ulong[] ids = new ulong[SetErrors.LengthOfArray(Count)];
        if (Decode(ids) != ids.Length) SetErrors.ThrowBytesChanged(0);
        return ids;
    }

    /// <inheritdoc cref="IdSet.CopyTo"/>
    public void CopyTo(Span<ulong> destination)
    {
        long count = Count;
        if (destination.Length < count) SetErrors.ThrowNoRoom(count, destination.Length);
        Decode(destination[..(int)count]);
    }

    private int Decode(Span<ulong> destination)
    {
        int count = 0;
        for (int i = 0; i < _parts.Count; i++) count += _parts[i].Decode(destination[count..], Id(_parts.Keys[i], 0));
        return count;
    }

    /// <inheritdoc cref="IdSet.GetReader"/>
    public IdSet64Reader GetReader() => new(this, backwards: false);

    /// <inheritdoc cref="IdSet.GetReverseReader"/>
    public IdSet64Reader GetReverseReader() => new(this, backwards: true);

    /// <summary>
    /// Goes through the ids in order. If the set is changed meanwhile, the next step throws an <see cref="InvalidOperationException"/>.
    /// The same holds for the readers and <see cref="Backwards"/>.
    /// </summary>
    public IEnumerator<ulong> GetEnumerator()
    {
        int version = Version;
        for (int i = 0; i < _parts.Count; i++)
        {
            uint key = _parts.Keys[i];
            foreach (uint low in _parts[i])
            {
                yield return Id(key, low);
                ThrowIfChangedSince(version);
            }
        }
    }

    /// <inheritdoc cref="IdSet.Backwards"/>
    public IEnumerable<ulong> Backwards()
    {
        int version = Version;
        for (int i = _parts.Count - 1; i >= 0; i--)
        {
            uint key = _parts.Keys[i];
            foreach (uint low in _parts[i].Backwards())
            {
                yield return Id(key, low);
                ThrowIfChangedSince(version);
            }
        }
    }

    /// <inheritdoc cref="IdSet.Min"/>
    public ulong Min => TryGetMin(out ulong id) ? id : SetErrors.ThrowEmpty<ulong>();

    /// <inheritdoc cref="IdSet.Max"/>
    public ulong Max => TryGetMax(out ulong id) ? id : SetErrors.ThrowEmpty<ulong>();

    /// <inheritdoc cref="IdSet.TryGetMin"/>
    public bool TryGetMin(out ulong id) => TryGetNext(0, out id);

    /// <inheritdoc cref="IdSet.TryGetMax"/>
    public bool TryGetMax(out ulong id) => TryGetPrevious(ulong.MaxValue, out id);

    /// <inheritdoc cref="IdSet.TryGetNext"/>
    public bool TryGetNext(ulong from, out ulong id)
    {
        int at = _parts.Find((uint)(from >> KeyShift));
        if (at >= 0 && _parts[at].TryGetNext((uint)from, out uint low))
        {
            id = Id(_parts.Keys[at], low);
            return true;
        }
        int next = at >= 0 ? at + 1 : ~at;
        bool exists = next < _parts.Count;
        id = exists ? Id(_parts.Keys[next], _parts[next].Min) : 0;
        return exists;
    }

    /// <inheritdoc cref="IdSet.TryGetPrevious"/>
    public bool TryGetPrevious(ulong from, out ulong id)
    {
        int at = _parts.Find((uint)(from >> KeyShift));
        if (at >= 0 && _parts[at].TryGetPrevious((uint)from, out uint low))
        {
            id = Id(_parts.Keys[at], low);
            return true;
        }
        int before = (at >= 0 ? at : ~at) - 1;
        id = before >= 0 ? Id(_parts.Keys[before], _parts[before].Max) : 0;
        return before >= 0;
    }

    /// <inheritdoc cref="IdSet.Rank(uint)"/>
    public long Rank(ulong id)
    {
        long rank = 0;
        uint key = (uint)(id >> KeyShift);
        for (int i = 0; i < _parts.Count && _parts.Keys[i] <= key; i++)
            rank += _parts.Keys[i] == key ? _parts[i].Rank((uint)id) : _parts[i].Count;
        return rank;
    }

    /// <inheritdoc cref="IdSet.IdAt(long)"/>
    public ulong IdAt(long rank)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        if (IsEmpty) SetErrors.ThrowEmpty<ulong>();
        long left = rank;
        for (int i = 0; i < _parts.Count; i++)
        {
            long count = _parts[i].Count;
            if (left < count) return Id(_parts.Keys[i], _parts[i].IdAt(left));
            left -= count;
        }
        SetErrors.ThrowRank(rank, rank - left, nameof(rank));
        return 0;
    }

    /// <inheritdoc cref="IdSet.RankMany"/>
    public void RankMany(ReadOnlySpan<ulong> ids, Span<long> ranks)
    {
        if (ranks.Length < ids.Length) SetErrors.ThrowShort(ids.Length, ranks.Length, nameof(ranks));
        long[] before = CountsBefore(out long[][] inParts);
        for (int i = 0; i < ids.Length; i++)
        {
            int at = _parts.Find((uint)(ids[i] >> KeyShift));
            ranks[i] = at < 0 ? before[~at] : before[at] + _parts[at].View().Rank((uint)ids[i], inParts[at]);
        }
        GC.KeepAlive(this);
    }

    /// <inheritdoc cref="IdSet.IdsAt"/>
    public void IdsAt(ReadOnlySpan<long> ranks, Span<ulong> ids)
    {
        if (ids.Length < ranks.Length) SetErrors.ThrowShort(ranks.Length, ids.Length, nameof(ids));
        long[] before = CountsBefore(out long[][] inParts);
        SetErrors.CheckRanks(ranks, before[^1]);
        for (int i = 0; i < ranks.Length; i++)
        {
            int at = before.AsSpan().BinarySearch(ranks[i]);
            if (at < 0) at = ~at - 1;
            ids[i] = Id(_parts.Keys[at], _parts[at].View().IdAt(ranks[i] - before[at], inParts[at]));
        }
        GC.KeepAlive(this);
    }

    /// <summary>How many ids are before each part, with the number of all at the end; and, in each part, before its containers.</summary>
    private long[] CountsBefore(out long[][] inParts)
    {
        inParts = new long[_parts.Count][];
        long[] before = new long[_parts.Count + 1];
        for (int i = 0; i < _parts.Count; i++)
        {
            inParts[i] = _parts[i].View().CountsBefore();
            before[i + 1] = before[i] + inParts[i][^1];
        }
        return before;
    }
}
