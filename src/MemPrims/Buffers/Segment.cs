using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Buffers;

/// <summary>
/// One link of a list: a stretch of a pinned array, or a caller's memory taken in by reference, which has no room for more. After a
/// splice the rest of an array goes on in a segment of its own; the one that began the array owns it, and gives it back.
/// </summary>
internal sealed unsafe class Segment : ReadOnlySequenceSegment<byte>
{
    private byte[]? _array;
    private int _offset;
    private bool _owns;

    /// <summary>The first byte; null where there is no room to write.</summary>
    public byte* Start { get; private set; }

    /// <summary>The bytes from <see cref="Start"/> that may be written.</summary>
    public int Capacity { get; private set; }

    public bool Owns => _owns;

    public long Position => RunningIndex;

    public Segment? Following => Unsafe.As<Segment?>(Next);

    /// <summary>The next one in a stack of spare segments, which is not a list's order.</summary>
    public Segment? SpareBelow;

    /// <summary>The bytes in use, once another follows.</summary>
    public int ClosedLength => Memory.Length;

    /// <summary>Takes a whole array.</summary>
    public void Hold(byte[] array) => Hold(array, 0, owns: true);

    /// <summary>Takes over what another, empty one has; that one has nothing then.</summary>
    public void TakeOver(Segment empty)
    {
        Hold(empty._array, empty._offset, empty._owns);
        empty.LetGo();
    }

    /// <summary>
    /// Goes on in the array of another, behind what that one uses of it. Behind a caller's memory there is nothing to go on in.
    /// </summary>
    public void GoOn(Segment before, int used)
    {
        if (before._array is null) LetGo();
        else Hold(before._array, before._offset + used, owns: false);
    }

    /// <summary>Holds a caller's memory.</summary>
    public void Refer(ReadOnlyMemory<byte> memory)
    {
        LetGo();
        Memory = memory;
        Capacity = memory.Length;
    }

    /// <summary>Ends after <paramref name="used"/> bytes, and another follows.</summary>
    public void Close(int used, Segment next)
    {
        Memory = Memory[..used];
        Next = next;
        next.RunningIndex = RunningIndex + used;
    }

    /// <summary>Is the last one again: an array has its whole room, a caller's memory ends after <paramref name="used"/> bytes.</summary>
    public void Reopen(int used)
    {
        Next = null;
        if (_array is not null) Memory = new(_array, _offset, Capacity);
        else Refer(Memory[..used]);
    }

    public Memory<byte> RoomAfter(int used) => new(_array, _offset + used, Capacity - used);

    /// <summary>Gives the array away, if it is this one's to give: the only way that one reaches the pool.</summary>
    public byte[]? GiveUp()
    {
        byte[]? array = _owns ? _array : null;
        LetGo();
        return array;
    }

    /// <summary>Stands alone, and drops what it holds, unless it owns an array: that it keeps, and all of it is free.</summary>
    public void MakeSpare()
    {
        Next = null;
        RunningIndex = 0;
        if (_owns) Hold(_array!);
        else LetGo();
    }

    private void Hold(byte[]? array, int offset, bool owns)
    {
        _array = array;
        _offset = offset;
        _owns = owns;
        Start = array is null ? null : (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(array)) + offset;
        Capacity = array is null ? 0 : array.Length - SegmentPool.Slack - offset;
        Memory = new(array, offset, Capacity);
    }

    private void LetGo() => Hold(null, 0, owns: false);
}
