using System.Buffers;

namespace MemPrims.Channels.Segments;

/// <summary>
/// A piece of shared memory to build a message in. <see cref="IpcChannel.Send(SharedSegment, int, int)"/> hands it over;
/// <see cref="IDisposable.Dispose"/>
/// gives one back that was not sent. Its memory stays mapped while it is rented, even where the channel is disposed meanwhile. A span of
/// it must not
/// be used after it was sent or given back.
/// </summary>
public sealed unsafe class SharedSegment : MemoryManager<byte>
{
    private readonly SharedSegmentPool _pool;
    private readonly byte* _start;
    private readonly int _length;

    internal SharedSegment(SharedSegmentPool pool, int number, byte* start, int length)
    {
        _pool = pool;
        Number = number;
        _start = start;
        _length = length;
    }

    internal int Number { get; }

    /// <summary>Which use of the segment this is; never 0.</summary>
    internal uint Generation { get; set; }

    /// <summary>The last use that the peer gave back; 0 before the first.</summary>
    internal uint Credited { get; set; }

    internal SegmentState State { get; set; }

    /// <summary>How many bytes it has.</summary>
    public int Length => _length;

    /// <summary>The segment's bytes, to be written until it is sent. What it holds at first is left over from its last use.</summary>
    /// <exception cref="InvalidOperationException">It was sent or given back.</exception>
    public override Span<byte> GetSpan()
    {
        if (State != SegmentState.Rented) throw new InvalidOperationException("This segment was sent or given back: rent another one.");
        return new(_start, _length);
    }

    /// <inheritdoc/>
    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)GetSpan().Length, nameof(elementIndex));
        return new(_start + elementIndex);
    }

    /// <inheritdoc/>
    public override void Unpin()
    {
        // Mapped memory does not move.
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing) _pool.GiveBack(this);
    }
}

/// <summary>Whose a segment is at the moment.</summary>
internal enum SegmentState
{
    Free,
    Rented,
    Sent,
}
