namespace MemPrims.Buffers;

public sealed unsafe partial class SegmentList
{
    // The holes that are not filled yet. A slot is used for many holes, one after the other; the generation tells which one it has now.
    private readonly HoleTable _holes = new();

    /// <summary>Leaves a hole of <paramref name="bytes"/> bytes, to be filled later. It lies in one segment.</summary>
    public Hole LeaveHole(int bytes)
    {
        if (bytes < 0) BufferErrors.NegativeLength(nameof(bytes), bytes);
        MakeRoom(bytes);
        Hole hole = Register(_position, bytes);
        _position += bytes;
        return hole;
    }

    /// <summary>Notes a hole at a place of the working segment, and sets its bytes to zero.</summary>
    internal Hole Register(byte* place, int bytes)
    {
        Block.Clear(place, bytes);
        long position = PositionOf(place);
        int slot = _holes.Add(place, position, bytes, out int generation);
        return new(this, slot, generation, position, bytes);
    }

    internal Span<byte> TakeHole(int slot, int generation)
    {
        ObjectDisposedException.ThrowIf(_user == Disposed, this);
        return _holes.Take(slot, generation);
    }

    // Few holes are open at the same time, so a search goes over all slots. Free slots form a chain.
    private sealed class HoleTable
    {
        private const int None = -1;

        private Slot[] _slots = [];
        private int _used, _open, _free = None;

        public int Add(byte* place, long position, int length, out int generation)
        {
            int index = _free;
            if (index == None)
            {
                index = _used++;
                if (index == _slots.Length) Array.Resize(ref _slots, Math.Max(4, 2 * index));
            }
            else _free = _slots[index].NextFree;
            ref Slot slot = ref _slots[index];
            slot.Place = place;
            (slot.IsOpen, slot.Position, slot.Length) = (true, position, length);
            _open++;
            generation = ++slot.Generation;
            return index;
        }

        public Span<byte> Take(int index, int generation)
        {
            if (!_slots[index].IsOpen || _slots[index].Generation != generation) BufferErrors.HoleIsStale();
            Close(index);
            return new(_slots[index].Place, _slots[index].Length);
        }

        /// <summary>Forgets the holes that end after the new length.</summary>
        public void Cut(long length)
        {
            for (int i = 0; i < _used; i++)
                if (_slots[i].IsOpen && _slots[i].Position + _slots[i].Length > length) Close(i);
        }

        public void Clear() => Cut(-1);

        /// <summary>Finds an open hole that has bytes on both sides of <paramref name="cut"/>.</summary>
        public bool Across(long cut, out long position, out int length)
        {
            for (int i = 0; _open > 0 && i < _used; i++)
                if (_slots[i].IsOpen && _slots[i].Position < cut && cut < _slots[i].Position + _slots[i].Length)
                {
                    (position, length) = (_slots[i].Position, _slots[i].Length);
                    return true;
                }
            (position, length) = (0, 0);
            return false;
        }

        /// <summary>Finds an open hole that begins at <paramref name="from"/> or later.</summary>
        public bool FirstOpen(long from, out long position, out int length)
        {
            for (int i = 0; _open > 0 && i < _used; i++)
                if (_slots[i].IsOpen && _slots[i].Length > 0 && _slots[i].Position >= from)
                {
                    (position, length) = (_slots[i].Position, _slots[i].Length);
                    return true;
                }
            (position, length) = (0, 0);
            return false;
        }

        private void Close(int index)
        {
            _open--;
            _slots[index].IsOpen = false;
            _slots[index].NextFree = _free;
            _free = index;
        }

        private struct Slot
        {
            public byte* Place;
            public long Position;
            public int Length, Generation, NextFree;
            public bool IsOpen;
        }
    }
}
