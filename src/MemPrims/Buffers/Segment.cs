namespace MemPrims.Buffers;

// One link of a list: a part of a pinned array, or a caller's memory that the list refers to. A caller's memory has no room for more.
// After SegmentList.Splice the rest of an array goes on in a second segment. The segment that had the array first owns it and gives it
// back to the pool.
internal sealed unsafe class Segment : ReadOnlySequenceSegment<byte>
{
    private byte[]? _array;
    private int _offset;

    // The first byte; null where nothing can be written.
    public byte* Start { get; private set; }

    // The bytes from Start that may be written.
    public int Capacity { get; private set; }

    // Whether the array is this segment's.
    public bool Owns { get; private set; }

    public Segment? Following => Unsafe.As<Segment?>(Next);

    // The next one in a stack of spare segments. It has nothing to do with the order in a list.
    public Segment? SpareBelow;

    // Takes a whole array.
    public void Hold(byte[] array) => Hold(array, 0, owns: true);

    // Takes the memory of another segment that is empty. That one then has none.
    public void TakeOver(Segment empty)
    {
        Hold(empty._array, empty._offset, empty.Owns);
        empty.LetGo();
    }

    // Takes the part of another segment's array that the other does not use. A caller's memory has no such part.
    public void GoOn(Segment before, int used)
    {
        if (before._array is null) LetGo();
        else Hold(before._array, before._offset + used, owns: false);
    }

    // Refers to a caller's memory.
    public void Refer(ReadOnlyMemory<byte> memory)
    {
        LetGo();
        Memory = memory;
        Capacity = memory.Length;
    }

    // Ends after `used` bytes, and another follows.
    public void Close(int used, Segment next)
    {
        Memory = Memory[..used];
        Next = next;
        next.RunningIndex = RunningIndex + used;
    }

    // Makes this the last segment again. An array then has all its room, and a caller's memory ends after `used` bytes.
    public void Reopen(int used)
    {
        Next = null;
        if (_array is not null) Memory = new(_array, _offset, Capacity);
        else Refer(Memory[..used]);
    }

    public Memory<byte> RoomAfter(int used) => new(_array, _offset + used, Capacity - used);

    // Gives the array to the pool, if this segment owns one. Arrays reach the pool in no other way.
    public void Return()
    {
        byte[]? array = Owns ? _array : null;
        LetGo();
        if (array is not null) SegmentPool.Return(array);
    }

    // Leaves its list. An array that it owns stays with it, all of it free; other memory is let go.
    public void MakeSpare()
    {
        Next = null;
        RunningIndex = 0;
        if (Owns) Hold(_array!);
        else LetGo();
    }

    private void Hold(byte[]? array, int offset, bool owns)
    {
        _array = array;
        _offset = offset;
        Owns = owns;
        Start = array is null ? null : (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(array)) + offset;
        Capacity = array is null ? 0 : array.Length - SegmentPool.Slack - offset;
        Memory = new(array, offset, Capacity);
    }

    private void LetGo() => Hold(null, 0, owns: false);
}
