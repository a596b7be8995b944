using System.Buffers;

namespace MemPrims.Tests.Sets;

// Memory of an owner's, which nobody pins.
internal abstract class LentMemory : MemoryManager<byte>
{
    public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
    }
}

// Bytes that change once they have been asked for so often.
internal sealed class ChangingMemory(byte[] bytes) : LentMemory
{
    private int _left = int.MaxValue;
    private Action? _change;

    public byte[] Bytes { get; } = [.. bytes];

    public void ChangeAfter(int asked, Action change) => (_left, _change) = (asked, change);

    public override Span<byte> GetSpan()
    {
        if (_left-- == 0) _change?.Invoke();
        return Bytes;
    }
}
