namespace MemPrims.Buffers;

public sealed unsafe partial class SegmentList
{
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

    // Notes a hole at a place of the working segment, and sets its bytes to zero.
    internal Hole Register(byte* place, int bytes)
    {
        Block.Clear(place, bytes);
        long position = PositionOf(place);
        return new(this, _holes.Add(place, position, bytes), position, bytes);
    }

    internal Span<byte> TakeHole(long number)
    {
        ObjectDisposedException.ThrowIf(_user == Disposed, this);
        return _holes.Take(number);
    }
}
