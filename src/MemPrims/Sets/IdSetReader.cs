using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// Goes through the ids of a set in order, in blocks of any size, and can skip ahead. It decodes at most 4096 ids at a time, so it takes 16 KiB
/// whatever the set. The set must not be changed meanwhile.
/// </summary>
public sealed class IdSetReader
{
    private const int Block = 4096, BlocksPerContainer = 65536 / Block;

    private readonly IdSet _set;
    private readonly uint[] _ids = new uint[Block];
    private int _container, _part, _next, _count;

    internal IdSetReader(IdSet set) => _set = set;

    /// <summary>Writes the next ids, as many as there are room and ids for, and returns how many; 0 at the end.</summary>
    public int ReadMany(Span<uint> ids)
    {
        int written = 0;
        while (written < ids.Length && (_next < _count || Decode()))
        {
            ReadOnlySpan<uint> some = _ids.AsSpan(_next, Math.Min(_count - _next, ids.Length - written));
            some.CopyTo(ids[written..]);
            _next += some.Length;
            written += some.Length;
        }
        return written;
    }

    /// <summary>Reads the next id; false when there is none.</summary>
    public bool TryRead(out uint id)
    {
        bool exists = _next < _count || Decode();
        id = exists ? _ids[_next++] : 0;
        return exists;
    }

    /// <summary>Skips the ids below <paramref name="id"/>; never goes back.</summary>
    public void AdvanceTo(uint id)
    {
        if (_next == _count || _ids[_count - 1] < id)
        {
            _next = _count = 0;
            SetView view = _set.View();
            int key = (int)(id >> 16), part = (int)(id >> 12 & (BlocksPerContainer - 1)), at = view.Seek(key, _container);
            if (at > _container) (_container, _part) = (at, 0);
            if (at < view.Length && view.Key(at) == key) _part = Math.Max(_part, part);
        }
        // The block that the id belongs to may end below it.
        while (_next < _count || Decode())
        {
            _next += (int)SortedSearch.LowerBound(new ReadOnlySpan<uint>(_ids, _next, _count - _next), id);
            if (_next < _count) break;
        }
        GC.KeepAlive(_set);
    }

    // A sixteenth of a container at a time: no more ids than a block takes, of whatever kind.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Decode()
    {
        SetView view = _set.View();
        while (_container < view.Length)
        {
            int part = _part;
            ContainerView container = view[_container];
            _next = 0;
            _count = ContainerOrder.DecodePart(container, part * Block, part * Block + Block - 1, (uint)view.Key(_container) << 16, _ids);
            if (++_part == BlocksPerContainer) (_container, _part) = (_container + 1, 0);
            if (_count > 0) break;
        }
        GC.KeepAlive(_set);
        return _next < _count;
    }
}
