namespace MemPrims.Codecs;

/// <summary>
/// Goes over the ids of a list of <see cref="PackedIds"/>, and can skip ahead. It decodes one block at a time, into 2 KiB of its own.
/// A reader is for one thread, and reads the bytes where they lie: they must stay as they are.
/// </summary>
public unsafe ref struct PackedIdsReader
{
    private readonly ReadOnlySpan<byte> _source;
    private PackedIdsBlocks _blocks;
    private Ids _ids;
    private int _at, _count;

    /// <summary>Stands before the first id.</summary>
    /// <exception cref="DamagedDataException">The bytes are no list.</exception>
    public PackedIdsReader(ReadOnlySpan<byte> source)
    {
        _source = source;
        fixed (byte* from = source) _blocks = new(from, source.Length, ulong.MaxValue);
    }

    /// <summary>How many ids the list has.</summary>
    public readonly int Count => _blocks.Count;

    /// <summary>Reads the next id; false when there is none.</summary>
    /// <exception cref="DamagedDataException">The bytes are no list.</exception>
    public bool TryRead(out ulong id)
    {
        id = 0;
        if (_at == _count && !MoveNext()) return false;
        id = _ids[_at++];
        return true;
    }

    /// <summary>Writes the next ids, as many as there are room and ids for, and returns how many; 0 at the end.</summary>
    /// <exception cref="DamagedDataException">The bytes are no list.</exception>
    public int ReadMany(Span<ulong> ids)
    {
        int written = 0;
        while (written < ids.Length && (_at < _count || MoveNext()))
        {
            int count = Math.Min(_count - _at, ids.Length - written);
            ((ReadOnlySpan<ulong>)_ids).Slice(_at, count).CopyTo(ids[written..]);
            _at += count;
            written += count;
        }
        return written;
    }

    /// <summary>
    /// Skips the ids below <paramref name="id"/>; never goes back. Of blocks that are skipped only the heads are looked at.
    /// </summary>
    /// <exception cref="DamagedDataException">The bytes are no list.</exception>
    public void AdvanceTo(ulong id)
    {
        int before = _blocks.Index;
        fixed (byte* from = _source)
        {
            _blocks.Pin(from);
            _blocks.MoveTo(id);
            if (_blocks.Index != before) Decode();
        }
        int at = ((ReadOnlySpan<ulong>)_ids)[_at.._count].BinarySearch(id);
        _at += at < 0 ? ~at : at;
    }

    private bool MoveNext()
    {
        fixed (byte* from = _source)
        {
            _blocks.Pin(from);
            if (!_blocks.MoveNext()) return false;
            Decode();
        }
        return true;
    }

    private void Decode()
    {
        fixed (ulong* ids = (Span<ulong>)_ids) _blocks.Decode(ids);
        _at = 0;
        _count = _blocks.Gaps + 1;
    }

    [InlineArray(PackedBlock.MostIds)]
    private struct Ids
    {
        private ulong _first;
    }
}
