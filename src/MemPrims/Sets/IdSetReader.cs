namespace MemPrims.Sets;

/// <summary>
/// Reads the ids of a set in order, upwards or backwards, in blocks of any size, and can skip ahead. It decodes at most 4096 ids at a
/// time, so it takes 16 KiB for any set. A reader is for one thread. If the set is changed meanwhile,
/// an <see cref="InvalidOperationException"/> says so once the ids decoded so far are used up. Damaged bytes that were opened without a
/// check are an <see cref="IdSetDamagedException"/>.
/// </summary>
public sealed class IdSetReader
{
    private readonly IdBlocks _blocks;
    private int _next, _count;

    internal IdSetReader(IdSet set, bool backwards) => _blocks = new(set, backwards);

    /// <summary>Writes the next ids, as many as there are room and ids for, and returns how many; 0 at the end.</summary>
    public int ReadMany(Span<uint> ids)
    {
        int written = 0;
        while (written < ids.Length)
        {
            if (_next == _count)
            {
                // Straight to where they are wanted, as long as whole blocks fit.
                int direct = _blocks.TryReadInto(ids[written..]);
                written += direct;
                if (direct > 0) continue;
                if (!NextBlock()) break;
            }
            ReadOnlySpan<uint> some = _blocks.Ids.AsSpan(_next, Math.Min(_count - _next, ids.Length - written));
            some.CopyTo(ids[written..]);
            _next += some.Length;
            written += some.Length;
        }
        return written;
    }

    /// <summary>Reads the next id; false when there is none.</summary>
    public bool TryRead(out uint id)
    {
        bool exists = _next < _count || NextBlock();
        id = exists ? _blocks.Ids[_next++] : 0;
        return exists;
    }

    /// <summary>Skips the ids below <paramref name="id"/>, or, in a reader that goes backwards, those above it; never goes back.</summary>
    public void AdvanceTo(uint id)
    {
        if (_next == _count || IsBefore(_blocks.Ids[_count - 1], id))
        {
            _next = _count = 0;
            _blocks.SkipTo(id);
        }
        // The block that the id belongs to may end before it.
        while (_next < _count || NextBlock())
        {
            ReadOnlySpan<uint> left = _blocks.Ids.AsSpan(_next, _count - _next);
            _next += _blocks.IsBackwards ? CountAbove(left, id) : (int)SortedSearch.LowerBound(left, id);
            if (_next < _count) break;
        }
    }

    private bool NextBlock()
    {
        _next = 0;
        _count = _blocks.Next();
        return _count > 0;
    }

    private bool IsBefore(uint one, uint other) => _blocks.IsBackwards ? one > other : one < other;

    // Of ids that descend.
    private static int CountAbove(ReadOnlySpan<uint> ids, uint id)
    {
        int low = 0, high = ids.Length;
        while (low < high)
        {
            int middle = (low + high) >> 1;
            if (ids[middle] > id) low = middle + 1;
            else high = middle;
        }
        return low;
    }
}
