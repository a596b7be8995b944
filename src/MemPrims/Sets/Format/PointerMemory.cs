using System.Buffers;

namespace MemPrims.Sets;

/// <summary>Memory that is not the garbage collector's, as <see cref="Memory{T}"/>.</summary>
internal sealed unsafe class PointerMemory(byte* start, int length) : MemoryManager<byte>
{
    public override Span<byte> GetSpan() => new(start, length);

    public override MemoryHandle Pin(int elementIndex = 0) => new(start + elementIndex);

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
    }
}
