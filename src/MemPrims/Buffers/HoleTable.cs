namespace MemPrims.Buffers;

// The holes that the open appender has left, in the order of their numbers. Those that are filled are dropped when no other is open, or
// when they are more than the open ones.
internal sealed unsafe class HoleTable
{
    // Not `[]`: the runtime's empty array of a type of ours is compiled at its first use.
    private static readonly Entry[] s_none = new Entry[0];

    private Entry[] _holes = s_none;
    private int _count, _open;
    private long _number;

    public long Add(byte* place, long position, int length)
    {
        if (_count == _holes.Length) MakeRoom();
        _holes[_count++] = new() { Number = ++_number, Position = position, Length = length, Place = place };
        _open++;
        return _number;
    }

    // The bytes of a hole that is filled now.
    public Span<byte> Take(long number)
    {
        int at = 0;
        for (int high = _count; at < high;)
        {
            int middle = (at + high) >>> 1;
            if (_holes[middle].Number >= number) high = middle;
            else at = middle + 1;
        }
        if (at == _count || _holes[at].Number != number || _holes[at].Place == null) BufferErrors.ThrowHoleIsStale();
        Span<byte> bytes = new(_holes[at].Place, _holes[at].Length);
        _holes[at].Place = null;
        if (--_open == 0) _count = 0;
        return bytes;
    }

    public void Clear() => _count = _open = 0;

    // Finds the first hole that has bytes and is not filled.
    public bool FirstOpen(out long position, out int length)
    {
        int at = _open == 0 ? _count : 0;
        while (at < _count && (_holes[at].Place == null || _holes[at].Length == 0)) at++;
        (position, length) = at < _count ? (_holes[at].Position, _holes[at].Length) : (0, 0);
        return at < _count;
    }

    private void MakeRoom()
    {
        int kept = 0;
        Entry[] holes = _open >= _holes.Length / 2 ? new Entry[Math.Max(4, 2 * _holes.Length)] : _holes;
        for (int i = 0; i < _count; i++)
            if (_holes[i].Place != null) holes[kept++] = _holes[i];
        (_holes, _count) = (holes, kept);
    }

    private struct Entry
    {
        // Null when the hole is filled.
        public byte* Place;
        public long Number, Position;
        public int Length;
    }
}
