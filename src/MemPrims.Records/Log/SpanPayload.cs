namespace MemPrims.Records.Log;

internal readonly ref struct SpanPayload(ReadOnlySpan<byte> bytes) : ILogPayload
{
    private readonly ReadOnlySpan<byte> _bytes = bytes;

    public static bool RunsForeignCode => false;

    public long Length => _bytes.Length;

    public void CopyTo(int from, Span<byte> destination) => _bytes.Slice(from, destination.Length).CopyTo(destination);
}
