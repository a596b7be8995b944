using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using MemPrims.Channels.Native;

namespace MemPrims.Channels.Segments;

/// <summary>
/// A piece of shared memory to build a message in. <see cref="IpcChannel.Send(SharedSegment, int, int)"/> hands it over;
/// <see cref="Dispose()"/> gives one back that was not sent, and does nothing to one that was. Its memory stays mapped while it is rented
/// or pinned, even where the channel is disposed meanwhile. Don't use a span of it after that: keep the segment itself until you send it.
/// </summary>
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
    [SuppressMessage("Reliability", "CA2015", Justification = "It unmaps nothing while the channel lives. Whoever drops the channel keeps "
        + "the segment or message while using a span of it; without a finalizer a dropped one would leak the mapping for ever.")]
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
