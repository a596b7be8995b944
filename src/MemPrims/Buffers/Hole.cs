namespace MemPrims.Buffers;

/// <summary>
/// A place in a <see cref="SegmentList"/> whose bytes are written later, for example a length before its content. It is filled once,
/// before the appender that left it commits. Filling it again or later is an error.
/// </summary>
public readonly struct Hole
{
    private readonly SegmentList _list;
    private readonly long _number;

    internal Hole(SegmentList list, long number, long position, int length)
    {
        (_list, _number) = (list, number);
        (Position, Length) = (position, length);
    }

    /// <summary>The position of its first byte in the list.</summary>
    public long Position { get; }

    /// <summary>How many bytes it has.</summary>
    public int Length { get; }

    /// <summary>The position in the list of the first byte after it.</summary>
    public long End => Position + Length;

    /// <summary>Fills it. The source has exactly <see cref="Length"/> bytes.</summary>
    public void Fill(ReadOnlySpan<byte> source)
    {
        if (source.Length != Length) BufferErrors.ThrowHoleHasAnotherSize(Length, source.Length);
        if (_list is null) BufferErrors.ThrowHoleIsStale();
        source.CopyTo(_list!.TakeHole(_number));
    }

    /// <summary>Fills it with a number of exactly its size, little-endian.</summary>
    public void Fill<T>(T value)
        where T : unmanaged
    {
        Scalar.Require<T>();
        Fill(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value)));
    }
}
