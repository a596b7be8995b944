using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using MemPrims.Channels.Native;
using MemPrims.Channels.Segments;
using MemPrims.Channels.Shared;

namespace MemPrims.Channels;

/// <summary>
/// The segments that one end of a channel hands to its peer without a copy. A sent segment is the peer's until the peer gives it back,
/// which it does by disposing the message (at once, where it received a copy). When the peer is gone, its segments come back once it has
/// unmapped them, or its process has ended: until then it may still read them.
/// </summary>
/// <remarks>
/// The peer gives a segment back by a credit: the generation that the segment was sent with, written to the peer's shared memory. A credit
/// for anything else is a breach of the protocol. A segment takes memory when it is rented for the first time, and keeps it.
/// </remarks>
public sealed class SharedSegmentPool
{
    private const int OpenProcess = 434, NoSuchProcess = 3;

    private readonly IpcChannel _channel;
    private readonly ChannelSocket _socket;
    private readonly ShareLayout _layout;
    private readonly Slot[] _slots;
    private readonly Lock _lock = new();

    // The peer's process, to see its end; null where it is this one, or where the descriptor could not be had.
    private SafeFileHandle? _process;

    internal SharedSegmentPool(IpcChannel channel, ChannelSocket socket, in ShareLayout layout)
    {
        _channel = channel;
        _socket = socket;
        _layout = layout;
        _slots = new Slot[layout.SegmentCount];
        // Now, and not when the peer is gone: its number could be another process's by then.
        _ = TryOpenProcess();
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

    /// <summary>Takes a segment, and waits while none is free. Dispose a segment that you don't send.</summary>
    /// <exception cref="TimeoutException">None came back in time; the message tells who has them.</exception>
    /// <exception cref="IOException">There is no memory for the segment, which is used for the first time.</exception>
    /// <exception cref="IpcProtocolException">The peer gave back a segment that it was not sent; the channel is broken.</exception>
    public unsafe SharedSegment Rent(TimeSpan timeout)
    {
        Patience patience = new(Deadline.After(timeout));
        while (true)
        {
            using IpcChannel.Use use = new(_channel, evenIfBroken: true);
            int seen = Volatile.Read(ref _socket.Theirs!.Header->CreditCount);
            if (TryRent(out SharedSegment? segment)) return segment;
            if (patience.Deadline.HasPassed) throw NoneFree();
            ShareHeader* mine = _socket.Mine!.Header;
            Interlocked.Increment(ref mine->SleepersOnCredit);
            Futex.Sleep(&_socket.Theirs.Header->CreditCount, seen, patience.Slice(nothingWakes: true));
            Interlocked.Decrement(ref mine->SleepersOnCredit);
        }
    }

    /// <summary>Takes a segment if one is free now.</summary>
    /// <inheritdoc cref="Rent(TimeSpan)"/>
    public unsafe bool TryRent([NotNullWhen(true)] out SharedSegment? segment)
    {
        using IpcChannel.Use use = new(_channel, evenIfBroken: true);
        lock (_lock)
        {
            Collect();
            int free = Array.FindIndex(_slots, static slot => slot.Whose == Whose.Free);
            segment = null;
            if (free < 0) return false;
            ref Slot slot = ref _slots[free];
            // Only the first time: what has memory keeps it, and a write to it cannot fail any more.
            if (!slot.HasMemory && !_socket.Mine!.Populate(_layout.Segment(free), SegmentBytes))
                throw Errno.Failure($"There is no memory for a segment of {SegmentBytes} bytes", Errno.Last);
            slot.HasMemory = true;
            // An object for each use: an old one, disposed late, must not give back what is rented anew.
            segment = new(this, _socket, free, _socket.Mine!.Start + _layout.Segment(free), SegmentBytes);
            slot.Whose = Whose.Rented;
            return true;
        }
    }

    /// <summary>
    /// Takes a segment, and waits without a thread while none is free, for <see cref="ChannelOptions.Timeout"/> at most.
    /// </summary>
    /// <inheritdoc cref="Rent(TimeSpan)"/>
    public async ValueTask<SharedSegment> RentAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Deadline deadline = Deadline.After(_channel.TimeLimit);
        SharedSegment? segment;
        // A segment comes back by a word in memory, which no poll can wait for.
        for (int pause = 1; !TryRent(out segment); pause = Math.Min(pause * 2, 16))
        {
            if (deadline.HasPassed) throw NoneFree();
            await Task.Delay(pause, cancellationToken).ConfigureAwait(false);
        }
        return segment;
    }

    private TimeoutException NoneFree()
    {
        using IpcChannel.Use use = new(_channel, evenIfBroken: true);
        lock (_lock)
        {
            int rented = _slots.Count(slot => slot.Whose == Whose.Rented), sent = _slots.Count(slot => slot.Whose == Whose.Sent);
            string peer = _socket.PeerHasEnded ? "the peer, which has closed its end, has them mapped still"
                : "the peer has not disposed their messages";
            return new($"No segment became free in time. Of {Count}, {rented} are rented here and neither sent nor disposed; {sent} were "
                + $"sent{(sent > 0 ? $", and {peer}" : "")}.");
        }
    }

    internal unsafe byte* Start(SharedSegment segment) => _socket.Mine!.Start + _layout.Segment(segment.Number);

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
    private unsafe void Collect()
    {
        uint* credits = _socket.Theirs!.Header->Credits;
        bool isOver = PeerReadsNoMore();
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

    /// <summary>
    /// Whether the peer has unmapped the segments, or its process has ended. A peer in this process has always the first: it may close
    /// its end and go on reading a message.
    /// </summary>
    private unsafe bool PeerReadsNoMore()
    {
        if (Volatile.Read(ref _socket.Theirs!.Header->HasLetGo) != 0) return true;
        if (!_socket.PeerHasEnded) return false;
        if (_process is null && !TryOpenProcess()) return Errno.Last == NoSuchProcess;
        return _process is { IsClosed: false } && ChannelSocket.Poll((int)_process.DangerousGetHandle(), Posix.PollIn, 0) != 0;
    }

    private bool TryOpenProcess()
    {
        Marshal.SetLastPInvokeError(0);
        int process = _channel.PeerCredentials.ProcessId;
        nint file = process == Environment.ProcessId ? -1 : Posix.SystemCall(OpenProcess, process, 0, 0, 0, 0, 0);
        if (file >= 0) _process = new(file, ownsHandle: true);
        return file >= 0;
    }

    /// <summary>One segment's place.</summary>
    private struct Slot
    {
        public Whose Whose;

        /// <summary>Whether it was rented before: then its pages have memory.</summary>
        public bool HasMemory;

        /// <summary>Which use of the segment this is, from its first sending on; never 0 then.</summary>
        public uint Generation;

        /// <summary>The last use that the peer gave back; 0 before the first.</summary>
        public uint Credited;
    }
}
