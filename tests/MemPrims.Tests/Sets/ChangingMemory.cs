namespace MemPrims.Tests.Sets;

// Bytes that change once they have been asked for so often.
internal sealed class ChangingMemory(byte[] bytes) : SpanMemory
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
