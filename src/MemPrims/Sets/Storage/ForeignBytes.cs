namespace MemPrims.Sets;

// Bytes of a caller's, in memory that .NET knows or at a pointer, and so possibly more than 2 GiB.
internal readonly unsafe struct ForeignBytes
{
    private readonly ReadOnlyMemory<byte> _memory;
    private readonly byte* _start;
    private readonly object? _owner;

    public ForeignBytes(ReadOnlyMemory<byte> memory) => (_memory, Length) = (memory, memory.Length);

    public ForeignBytes(byte* start, long length, object? owner)
    {
        (Length, _owner) = (length, owner);
        _start = start;
    }

    public long Length { get; }

    // The bytes after an offset, as many as one piece of memory can have.
    public ReadOnlyMemory<byte> From(long at) =>
        _start is null ? _memory[(int)at..] : new PointerMemory(_start + at, Rest(at), _owner).Memory;

    // The same as a span. The owner has to be kept alive besides.
    public ReadOnlySpan<byte> Span(long at) => _start is null ? _memory.Span[(int)at..] : new(_start + at, Rest(at));

    private int Rest(long at) => (int)Math.Min(Length - at, int.MaxValue);
}
