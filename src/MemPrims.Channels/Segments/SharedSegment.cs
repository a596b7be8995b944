using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using MemPrims.Channels.Native;
using MemPrims.Channels.Segments;

namespace MemPrims.Channels;

/// <summary>
/// A piece of shared memory to build a message in. <see cref="IpcChannel.Send(SharedSegment, int, int)"/> hands it over;
/// <see cref="Dispose()"/> gives one back that was not sent, and does nothing to one that was.
/// </summary>
/// <remarks>
/// <para><b>Lifetime.</b> The memory stays mapped while the segment is rented or pinned, even where the channel is disposed meanwhile. A
/// span does not keep the segment alive, unlike <see cref="MemoryManager{T}.Memory"/>. So hold the segment, best by <c>using</c>, for as
/// long as you use a span of it. The collector gives back a segment that nobody holds: it may be rented again, and unmapped once the
/// channel is gone too.</para>
/// <para>A span that is used after the segment was sent or disposed writes into the peer's message, or into the next user's.</para>
/// </remarks>
public sealed unsafe class SharedSegment : MemoryManager<byte>, IDisposable
{
    private readonly SharedSegmentPool _pool;
    private readonly byte* _start;
    private readonly int _length;
    private MappingHold _hold;

    internal SharedSegment(SharedSegmentPool pool, ChannelSocket socket, int number, byte* start, int length)
    {
        _hold.Begin(socket);
        _pool = pool;
        Number = number;
        _start = start;
        _length = length;
        IsRented = true;
    }

    /// <summary>Gives back a segment that was dropped.</summary>
    [SuppressMessage("Reliability", "CA2015", Justification = "The memory stays mapped while the channel lives, and Send needs the "
        + "segment itself. The remarks tell users to hold it. Without a finalizer a dropped one would keep the mapping for ever.")]
    ~SharedSegment()
    {
        if (IsRented) _pool.GiveBack(this);
        _hold.LetGoAll();
    }

    internal SharedSegmentPool Pool => _pool;

    internal int Number { get; }

    /// <summary>Whether its user may write to it: not yet sent, not given back.</summary>
    internal bool IsRented { get; set; }

    /// <summary>How many bytes it has.</summary>
    public int Length => _length;

    /// <summary>The segment's bytes, to be written until it is sent. What it holds at first is left over from its last use.</summary>
    /// <exception cref="InvalidOperationException">It was sent or given back.</exception>
    public override Span<byte> GetSpan() => IsRented ? new(_start, _length) : throw Gone();

    /// <inheritdoc/>
    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)GetSpan().Length, nameof(elementIndex));
        return _hold.TryAdd() ? new(_start + elementIndex, pinnable: this) : throw Gone();
    }

    /// <inheritdoc/>
    public override void Unpin() => LetGo();

    /// <summary>Gives the segment back, unless it was sent.</summary>
    public void Dispose() => _pool.GiveBack(this);

    /// <summary>Ends the user's hold, for a segment that was sent or given back.</summary>
    internal void LetGo()
    {
        if (_hold.LetGo()) GC.SuppressFinalize(this);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing) => Dispose();

    private static InvalidOperationException Gone() => new("This segment was sent or given back: rent another one.");
}
