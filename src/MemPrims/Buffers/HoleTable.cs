namespace MemPrims.Buffers;

// The holes of a list in the order in which they were left, which is that of their positions: a list grows at its end only. So holes are
// found by halving. Those that are filled are dropped when they are the first or the last ones, or more than the open ones.
internal sealed unsafe class HoleTable
{
    // Not `[]`: the runtime's empty array of a type of ours is compiled at its first use.
    private static readonly Entry[] s_none = new Entry[0];

    private Entry[] _holes = s_none;
    private int _first, _end, _open;
    private long _number;

    public long Add(byte* place, long position, int length)
    {
        if (_end == _holes.Length) MakeRoom();
        _holes[_end++] = new() { Number = ++_number, Position = position, Length = length, Place = place, IsOpen = true };
        _open++;
        return _number;
    }

    public Span<byte> Take(long number)
    {
        int at = First(number, static (in Entry hole, long number) => hole.Number >= number);
        if (at == _end || _holes[at].Number != number || !_holes[at].IsOpen) BufferErrors.HoleIsStale();
        _holes[at].IsOpen = false;
        _open--;
        DropEnds();
        return new(_holes[at].Place, _holes[at].Length);
    }

    // Forgets the holes that end after the new length.
    public void Cut(long length)
    {
        while (_first < _end && _holes[_end - 1].End > length) DropLast();
    }

    public void Clear() => _first = _end = _open = 0;

    // Finds an open hole that has bytes on both sides of `cut`.
    public bool Across(long cut, out long position, out int length)
    {
        int at = _open == 0 ? _end : First(cut, static (in Entry hole, long cut) => hole.End > cut);
        bool isAcross = at < _end && _holes[at].IsOpen && _holes[at].Position < cut;
        (position, length) = isAcross ? (_holes[at].Position, _holes[at].Length) : (0, 0);
        return isAcross;
    }

    // Finds an open hole that begins at `from` or later.
    public bool FirstOpen(long from, out long position, out int length)
    {
        int at = _open == 0 ? _end : First(from, static (in Entry hole, long from) => hole.Position >= from);
        while (at < _end && !(_holes[at].IsOpen && _holes[at].Length > 0)) at++;
        (position, length) = at < _end ? (_holes[at].Position, _holes[at].Length) : (0, 0);
        return at < _end;
    }

    private delegate bool Reaches(in Entry hole, long value);

    // The first hole that reaches a value, or the end; all holes after it do.
    private int First(long value, Reaches reaches)
    {
        int low = _first, high = _end;
        while (low < high)
        {
            int middle = (low + high) >>> 1;
            if (reaches(in _holes[middle], value)) high = middle;
            else low = middle + 1;
        }
        return low;
    }

    private void DropLast()
    {
        if (_holes[--_end].IsOpen) _open--;
        DropEnds();
    }

    private void DropEnds()
    {
        while (_first < _end && !_holes[_end - 1].IsOpen) _end--;
        while (_first < _end && !_holes[_first].IsOpen) _first++;
        if (_first == _end) _first = _end = 0;
    }

    private void MakeRoom()
    {
        int kept = 0;
        Entry[] holes = _open >= _holes.Length / 2 ? new Entry[Math.Max(4, 2 * _holes.Length)] : _holes;
        for (int i = _first; i < _end; i++)
            if (_holes[i].IsOpen) holes[kept++] = _holes[i];
        (_holes, _first, _end) = (holes, 0, kept);
    }

    private struct Entry
    {
        public byte* Place;
        public long Number, Position;
        public int Length;
        public bool IsOpen;

        public readonly long End => Position + Length;
    }
}
