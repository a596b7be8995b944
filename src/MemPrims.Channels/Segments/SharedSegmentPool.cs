using Microsoft.Win32.SafeHandles;
using MemPrims.Channels.Native;
using MemPrims.Channels.Shared;

namespace MemPrims.Channels.Segments;

/// <summary>
/// The segments that one end of a channel hands to its peer without a copy. A sent segment is the peer's until its credit comes back: the
/// generation it was sent with, written to the peer's shared memory. A credit for anything else is a breach of the protocol. When the
/// peer is gone, its segments come back once its process has ended: until then it may still read them.
/// </summary>
public sealed unsafe class SharedSegmentPool
{
    private const int OpenProcess = 434;

    private readonly IpcChannel _channel;
    private readonly ChannelSocket _socket;
    private readonly ShareLayout _layout;
    private readonly Slot[] _slots;
    private readonly Lock _lock = new();

    // The peer's process, to see its end; null where it is this one.
    private readonly SafeFileHandle? _process;

    internal SharedSegmentPool(IpcChannel channel, ChannelSocket socket, in ShareLayout layout)
    {
        _channel = channel;
        _socket = socket;
        _layout = layout;
        _slots = new Slot[layout.SegmentCount];
        if (channel.PeerCredentials.ProcessId == Environment.ProcessId) return;
        nint file = Posix.SystemCall(OpenProcess, channel.PeerCredentials.ProcessId, 0, 0, 0, 0, 0);
        if (file >= 0) _process = new(file, ownsHandle: true);
    }

    private enum Whose
    {
        Free,
        Rented,
        Sent,
    }

    /// <summary>How many segments there are.</summary>
    public int Count => _slots.Length;

    /// <summary>How long each is.</summary>
    public int SegmentBytes => _layout.SegmentBytes;

    /// <summary>How many could be rented now.</summary>
    public int Available
    {
        get
        {
            using IpcChannel.Use use = new(_channel, evenIfBroken: true);
            lock (_lock)
            {
                Collect();
                return _slots.Count(slot => slot.Whose == Whose.Free);
            }
        }
    }

    /// <summary>Takes a segment, and waits for a credit when all are under way. Dispose a segment that you don't send.</summary>
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
                int free = Array.FindIndex(_slots, static slot => slot.Whose == Whose.Free);
                if (free >= 0)
                {
                    // An object for each use: an old one, disposed late, must not give back what is rented anew.
                    SharedSegment segment = new(this, _socket, free, _socket.Mine!.Start + _layout.Segment(free), SegmentBytes);
                    _slots[free].Whose = Whose.Rented;
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
            if (!segment.IsRented || segment.Pool != this)
                throw new InvalidOperationException("This segment was not rented from this channel's pool, or was sent already.");
            ArgumentOutOfRangeException.ThrowIfNegative(offset);
            ArgumentOutOfRangeException.ThrowIfNegative(length);
            if (offset > segment.Length - length)
                throw new ArgumentOutOfRangeException(nameof(length), length, $"The segment has {segment.Length} bytes.");
            ref Slot slot = ref _slots[segment.Number];
            if (++slot.Generation == 0) slot.Generation = 1;
            slot.Whose = Whose.Sent;
            segment.IsRented = false;
            return new(segment.Number, slot.Generation, offset, length);
        }
    }

    internal void NotSent(SharedSegment segment)
    {
        lock (_lock)
        {
            ref Slot slot = ref _slots[segment.Number];
            slot.Generation = slot.Credited;
            slot.Whose = Whose.Rented;
            segment.IsRented = true;
        }
    }

    internal void GiveBack(SharedSegment segment)
    {
        lock (_lock)
        {
            if (!segment.IsRented) return;
            segment.IsRented = false;
            _slots[segment.Number].Whose = Whose.Free;
        }
        segment.LetGo();
    }

    internal void End()
    {
        lock (_lock) _process?.Dispose();
    }

    // For a test that cannot send four billion messages.
    internal void SetGenerationForTests(int number, uint generation) =>
        _slots[number].Generation = _slots[number].Credited = generation;

    /// <summary>Frees what the peer gave back.</summary>
    private void Collect()
    {
        uint* credits = _socket.Theirs!.Header->Credits;
        bool isOver = _socket.PeerHasEnded && ProcessHasEnded;
        for (int i = 0; i < _slots.Length; i++)
        {
            ref Slot slot = ref _slots[i];
            uint credit = Volatile.Read(ref credits[i]);
            if (slot.Whose == Whose.Sent && (credit == slot.Generation || isOver))
            {
                slot.Whose = Whose.Free;
                slot.Credited = slot.Generation;
            }
            else if (credit != slot.Credited && !isOver) throw _channel.Forged(i, credit, slot.Generation);
        }
    }

    private bool ProcessHasEnded => _process is null || _process.IsClosed
        || ChannelSocket.Poll((int)_process.DangerousGetHandle(), Posix.PollIn, 0) != 0;

    /// <summary>One segment's place.</summary>
    private struct Slot
    {
        public Whose Whose;

        /// <summary>Which use of the segment this is, from its first sending on; never 0 then.</summary>
        public uint Generation;

        /// <summary>The last use that the peer gave back; 0 before the first.</summary>
        public uint Credited;
    }
}
