using System.Buffers;

namespace MemPrims.TestKit;

// Memory of which nothing but the span is asked.
public abstract class SpanMemory : MemoryManager<byte>
{
    public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
    }
}
