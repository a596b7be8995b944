namespace MemPrims.Sets;

// Memory outside the garbage collector, as Memory<T>. It keeps `owner` alive.
internal sealed unsafe class PointerMemory(byte* start, int length, object? owner = null) : MemoryManager<byte>
{
    private readonly object? _owner = owner;

    public byte* Start => start;

    public override Span<byte> GetSpan() => new(start, length);

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        GC.KeepAlive(_owner);
        return new(start + elementIndex);
    }

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
    }
}

// A reference to a buffer's handle: the buffer stays until this is collected, even if somebody else disposes the handle meanwhile.
internal sealed unsafe class HandleReference
{
    private readonly SafeBuffer _owner;

    private HandleReference(SafeBuffer owner)
    {
        _owner = owner;
        byte* start = null;
        owner.AcquirePointer(ref start);
        Start = start;
    }

    ~HandleReference()
    {
        // Null when the constructor failed: then there is no reference to give back.
        if (Start is not null) _owner.ReleasePointer();
    }

    public byte* Start { get; }

    // A reference to a buffer that has `length` bytes from `offset` on.
    public static HandleReference Of(SafeBuffer owner, long offset, long length)
    {
        ArgumentNullException.ThrowIfNull(owner);
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        if ((ulong)offset > owner.ByteLength || (ulong)length > owner.ByteLength - (ulong)offset)
            throw new ArgumentOutOfRangeException(
                nameof(length), length, $"The buffer has {owner.ByteLength} bytes, too few for {length} from {offset} on.");
        return new(owner);
    }
}
