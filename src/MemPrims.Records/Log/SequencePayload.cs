namespace MemPrims.Records.Log;

internal readonly struct SequencePayload(in ReadOnlySequence<byte> bytes) : ILogPayload
{
    private readonly ReadOnlySequence<byte> _bytes = bytes;

    public static bool RunsForeignCode => true;

    public long Length => _bytes.Length;

    public void CopyTo(int from, Span<byte> destination) => _bytes.Slice(from, destination.Length).CopyTo(destination);
}
