using MemPrims.Channels.Native;
using MemPrims.Channels.Shared;

namespace MemPrims.Channels.Segments;

/// <summary>
/// The segments that one end of a channel hands to its peer without a copy. A sent segment is the peer's until its credit comes back: the
/// generation it
/// was sent with, written to the peer's shared memory. A credit for anything else is a breach of the protocol. When the peer is gone, its
/// segments come
/// back once its process has ended: until then it may still read them.
/// </summary>
public sealed unsafe class SharedSegmentPool
{
    private const int OpenProcess = 434;

    private readonly IpcChannel _channel;
    private readonly ChannelSocket _socket;
    private readonly SharedSegment[] _segments;
    private readonly Lock _lock = new();
    private int _process = -1;

    internal SharedSegmentPool(IpcChannel channel, ChannelSocket socket, in ShareLayout layout)
    {
        _channel = channel;
        _socket = socket;
        SegmentBytes = layout.SegmentBytes;
        _segments = new SharedSegment[layout.SegmentCount];
        for (int i = 0; i < _segments.Length; i++)
            _segments[i] = new(this, i, socket.Mine!.Start + layout.Segment(i), layout.SegmentBytes);
        if (channel.PeerCredentials.ProcessId != Environment.ProcessId)
            _process = (int)Posix.SystemCall(OpenProcess, channel.PeerCredentials.ProcessId, 0, 0, 0, 0, 0);
    }

    /// <summary>How many segments there are.</summary>
    public int Count => _segments.Length;

    /// <summary>How long each is.</summary>
    public int SegmentBytes { get; }

    /// <summary>How many could be rented now.</summary>
    public int Available
    {
        get
        {
            using IpcChannel.Use use = new(_channel, evenIfBroken: true);
            lock (_lock)
            {
                Collect();
                return _segments.Count(segment => segment.State == SegmentState.Free);
            }
        }
    }

    /// <summary>Takes a segment, and waits for a credit when all are under way.</summary>
    /// <exception cref="TimeoutException">The peer gave none back in time.</exception>
    /// <exception cref="IpcProtocolException">The peer gave a credit for a segment that it was not sent; the channel is
    /// broken.</exception>
    public SharedSegment Rent(TimeSpan timeout)
    {
        Patience patience = new(Deadline.After(timeout));
        while (true)
        {
            using IpcChannel.Use use = new(_channel, evenIfBroken: true);
            int seen = Volatile.Read(ref _socket.Theirs!.Header->CreditCount);
            lock (_lock)
            {
                Collect();
                foreach (SharedSegment segment in _segments)
                {
                    if (segment.State != SegmentState.Free) continue;
                    Hold();
                    segment.State = SegmentState.Rented;
                    return segment;
                }
            }
            patience.Check($"the peer gave none of {Count} segments back");
            ShareHeader* mine = _socket.Mine!.Header;
            Interlocked.Increment(ref mine->Sleepers);
            Futex.Sleep(&_socket.Theirs.Header->CreditCount, seen, patience.Slice(nothingWakes: true));
            Interlocked.Decrement(ref mine->Sleepers);
        }
    }

    internal SegmentToken BeginSend(SharedSegment segment, int offset, int length)
    {
        lock (_lock)
        {
            if (segment.State != SegmentState.Rented || _segments[segment.Number] != segment)
                throw new InvalidOperationException("This segment was not rented from this channel's pool, or was sent already.");
            ArgumentOutOfRangeException.ThrowIfNegative(offset);
            ArgumentOutOfRangeException.ThrowIfNegative(length);
            if (offset > segment.Length - length)
                throw new ArgumentOutOfRangeException(nameof(length), length, $"The segment has {segment.Length} bytes.");
            if (++segment.Generation == 0) segment.Generation = 1;
            segment.State = SegmentState.Sent;
            return new(segment.Number, segment.Generation, offset, length);
        }
    }

    internal void NotSent(SharedSegment segment)
    {
        lock (_lock)
        {
            segment.Generation = segment.Credited;
            segment.State = SegmentState.Rented;
        }
    }

    internal void GiveBack(SharedSegment segment)
    {
        lock (_lock)
        {
            if (segment.State != SegmentState.Rented) return;
            segment.State = SegmentState.Free;
        }
        LetGo();
    }

    /// <summary>
    /// A rented segment keeps the memory mapped: its user may still write to it when another thread disposes the channel.
    /// </summary>
    private void Hold()
    {
        bool held = false;
        _socket.DangerousAddRef(ref held);
    }

    /// <summary>Ends what <see cref="Rent"/> began, for a segment that was sent or given back.</summary>
    internal void LetGo() => _socket.DangerousRelease();

    internal void End()
    {
        lock (_lock)
        {
            if (_process >= 0) _ = Posix.Close(_process);
            _process = -1;
        }
    }

    /// <summary>Frees what the peer gave back.</summary>
    private void Collect()
    {
        uint* credits = _socket.Theirs!.Header->Credits;
        bool isOver = _socket.PeerHasEnded && (_process < 0 || ChannelSocket.Poll(_process, Posix.PollIn, 0) != 0);
        foreach (SharedSegment segment in _segments)
        {
            uint credit = Volatile.Read(ref credits[segment.Number]);
            if (segment.State == SegmentState.Sent && (credit == segment.Generation || isOver))
            {
                segment.State = SegmentState.Free;
                segment.Credited = segment.Generation;
            }
            else if (credit != segment.Credited && !isOver) throw _channel.Forged(segment.Number, credit, segment.Generation);
        }
    }
}
