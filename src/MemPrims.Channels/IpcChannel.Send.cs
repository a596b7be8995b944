using System.Buffers;
using System.Runtime.InteropServices;
using MemPrims.Channels.Native;

namespace MemPrims.Channels;

// Sending. The pieces of a payload are pinned where they lie. With a ring they are copied into it (IpcChannel.RingSend.cs). Without one a
// list of them goes to sendmsg, with the header as its first entry: in one packet, or in several where it is too long for one.
public sealed unsafe partial class IpcChannel
{
    // More pieces than these are gathered in one buffer first: the kernel takes 1,024 at once, one of which is the header.
    private const int MostPieces = 1000, PiecesOnStack = 32;

    private readonly ulong _fragmentsOf = (ulong)Random.Shared.NextInt64() << 24;
    private uint _lastFragmented;

    /// <summary>Sends a message, and waits while the peer does not keep up, for <see cref="ChannelOptions.Timeout"/> at most.</summary>
    /// <exception cref="ArgumentException">The message is longer than both ends take. Nothing was sent.</exception>
    /// <exception cref="TimeoutException">The peer did not keep up. If a part was sent, the channel is broken.</exception>
    /// <exception cref="IpcProtocolException">The peer is gone, or the channel is broken.</exception>
    public void Send(ReadOnlySpan<byte> payload)
    {
        // Most messages find room at once. They need no look at the clock: it costs a tenth of what a small one takes.
        if (!Send(payload, Patience.NoneAtAll)) Send(payload, new Patience(Deadline.After(_options.Timeout)));
    }

    /// <summary>Sends a message from the pieces it lies in, with descriptors. The handles stay the caller's.</summary>
    /// <exception cref="ArgumentException">More than 253 handles, one that is null or invalid, or a message longer than both ends take.
    /// Nothing was sent.</exception>
    /// <exception cref="ObjectDisposedException">A handle is closed, or the channel was disposed. Nothing was sent.</exception>
    /// <exception cref="IpcProtocolException">The peer takes no descriptors or is gone, or the channel is broken.</exception>
    /// <exception cref="TimeoutException">The peer did not keep up. If a part was sent, the channel is broken.</exception>
    public void Send(in ReadOnlySequence<byte> payload, ReadOnlySpan<SafeHandle> handles = default) =>
        Send(payload, handles, new Patience(Deadline.After(_options.Timeout)));

    /// <summary>Sends a message with descriptors. The handles stay the caller's.</summary>
    public void Send(ReadOnlySpan<byte> payload, ReadOnlySpan<SafeHandle> handles) =>
        Send(payload, new Patience(Deadline.After(_options.Timeout)), handles);

    /// <summary>
    /// Sends a message if that needs no waiting. False when the peer does not keep up or another thread is sending; nothing was sent
    /// then.
    /// </summary>
    /// <remarks>
    /// A message that is longer than the ring of a channel holds (1 MiB less 96 bytes) never goes without waiting, so the answer is false
    /// always: use <see cref="SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>. Without shared memory that is so for messages beyond
    /// one packet, of half the socket's send buffer (about 100 KiB).
    /// </remarks>
    public bool TrySend(ReadOnlySpan<byte> payload) => Send(payload, Patience.NoneAtAll);

    /// <inheritdoc cref="TrySend(ReadOnlySpan{byte})"/>
    public bool TrySend(ReadOnlySpan<byte> payload, ReadOnlySpan<SafeHandle> handles) => Send(payload, Patience.NoneAtAll, handles);

    /// <inheritdoc cref="TrySend(ReadOnlySpan{byte})"/>
    public bool TrySend(in ReadOnlySequence<byte> payload, ReadOnlySpan<SafeHandle> handles = default) =>
        Send(payload, handles, Patience.NoneAtAll);

    private bool Send(ReadOnlySpan<byte> payload, in Patience patience, ReadOnlySpan<SafeHandle> handles = default)
    {
        fixed (byte* start = payload)
        {
            Posix.Piece* pieces = stackalloc Posix.Piece[2];
            pieces[1] = new() { Start = start, Length = payload.Length };
            return Send(pieces, 1, payload.Length, handles, patience);
        }
    }

    private bool Send(in ReadOnlySequence<byte> payload, ReadOnlySpan<SafeHandle> handles, in Patience patience)
    {
        if (payload.IsSingleSegment) return Send(payload.FirstSpan, patience, handles);
        // Counted, and not asked for: a sequence of somebody's own segments may have another length than its pieces.
        long total = 0;
        int count = 0;
        foreach (ReadOnlyMemory<byte> memory in payload)
        {
            total += memory.Length;
            if (!memory.IsEmpty) count++;
        }
        ThrowIfTooLong(total);
        if (count > MostPieces && total <= _packetRoom) return SendGathered(payload, (int)total, handles, patience);
        Posix.Piece[]? rented = null;
        MemoryHandle[] pins = ArrayPool<MemoryHandle>.Shared.Rent(count);
        int pinned = 0;
        long left = total;
        Posix.Piece* onStack = stackalloc Posix.Piece[PiecesOnStack + 1];
        try
        {
            if (count > PiecesOnStack) rented = ArrayPool<Posix.Piece>.Shared.Rent(count + 1);
            fixed (Posix.Piece* onHeap = rented)
            {
                Posix.Piece* pieces = rented is null ? onStack : onHeap;
                foreach (ReadOnlyMemory<byte> memory in payload)
                {
                    if (memory.IsEmpty) continue;
                    if (pinned == count) throw Changed();
                    pins[pinned] = memory.Pin();
                    pieces[++pinned] = new() { Start = (byte*)pins[pinned - 1].Pointer, Length = memory.Length };
                    left -= memory.Length;
                }
                if (pinned != count || left != 0) throw Changed();
                return Send(pieces, count, total, handles, patience);
            }
        }
        finally
        {
            foreach (ref MemoryHandle pin in pins.AsSpan(0, pinned)) pin.Dispose();
            ArrayPool<MemoryHandle>.Shared.Return(pins, clearArray: true);
            if (rented is not null) ArrayPool<Posix.Piece>.Shared.Return(rented);
        }
    }

    private bool SendGathered(in ReadOnlySequence<byte> payload, int total, ReadOnlySpan<SafeHandle> handles, in Patience patience)
    {
        byte[] gathered = ArrayPool<byte>.Shared.Rent(total);
        payload.CopyTo(gathered);
        bool sent = Send(gathered.AsSpan(0, total), patience, handles);
        ArrayPool<byte>.Shared.Return(gathered);
        return sent;
    }

    /// <summary>Holds the handles while their numbers are used, then sends. <paramref name="pieces"/>[0] is the header's place.</summary>
    private bool Send(Posix.Piece* pieces, int count, long total, ReadOnlySpan<SafeHandle> handles, in Patience patience)
    {
        if (handles.Length > Rights.Most)
            throw new ArgumentException($"{handles.Length} handles in one message: the kernel passes {Rights.Most} at most. Send the " +
                "others with another message.", nameof(handles));
        ThrowIfTooLong(total);
        if (handles.IsEmpty) return SendLocked(pieces, count, total, default, patience);
        int held = 0;
        int* files = stackalloc int[Rights.Most];
        try
        {
            for (; held < handles.Length; held++)
            {
                ArgumentNullException.ThrowIfNull(handles[held], nameof(handles));
                if (handles[held].IsInvalid) throw new ArgumentException($"Handle {held} is no open file.", nameof(handles));
                bool added = false;
                handles[held].DangerousAddRef(ref added);
                files[held] = (int)handles[held].DangerousGetHandle();
            }
            // After the look at every handle: what the caller did wrong is told before what the peer does not take.
            if (handles.Length > _peersHandles) throw Refused(handles.Length);
            return SendLocked(pieces, count, total, new(files, held), patience);
        }
        finally
        {
            while (held > 0) handles[--held].DangerousRelease();
        }
    }

    private bool SendLocked(Posix.Piece* pieces, int count, long total, ReadOnlySpan<int> files, in Patience patience) =>
        SendLocked(new(PacketKind.Whole, total), pieces, count, total, files, patience, out _);

    /// <summary>Sends a message as an entry of the ring, or its bytes in packets.</summary>
    private bool SendLocked(in PacketHeader entry, Posix.Piece* pieces, int count, long total, ReadOnlySpan<int> files,
        in Patience patience, out bool byRing)
    {
        byRing = false;
        using Use use = new(this);
        if (!EnterSending(patience)) return false;
        try
        {
            // What was waited for may have broken the channel.
            ThrowIfUnusable();
            bool sent, peerTakesNone = false;
            do
            {
                if (!TryChooseWay(entry.Kind == PacketKind.Segment, patience, out byRing)) return false;
                sent = byRing ? SendEntry(entry, pieces, count, files, patience, out peerTakesNone)
                    : SendPackets(pieces, count, total, files, patience);
            }
            while (byRing && peerTakesNone);
            if (sent) ChannelEvents.Sent(total);
            return sent;
        }
        finally
        {
            _sending.Exit();
        }
    }

    private bool SendPackets(Posix.Piece* pieces, int count, long total, ReadOnlySpan<int> files, in Patience patience)
    {
        if (patience.None && total > _packetRoom) return false;
        NoteSleeper();
        PacketHeader header = new(PacketKind.Whole, total);
        return total <= _packetRoom ? SendPacket(ref header, pieces, count, files, patience)
            : SendFragments(ref header, pieces, count, files, patience);
    }

    /// <summary>Before a send: where it wakes a peer that sleeps, the answer takes longer.</summary>
    private void NoteSleeper()
    {
        if (_socket.Theirs is { } theirs && (Volatile.Read(ref theirs.Header->SleepsOnSocket) & 1) != 0) _spinner.WokePeer();
    }

    private bool EnterSending(in Patience patience)
    {
        if (_sending.TryEnter()) return true;
        if (patience.None) return false;
        while (!_sending.Wait(patience.Slice(nothingWakes: true), patience.Token))
        {
            ThrowIfUnusable();
            patience.Check("another thread was sending");
        }
        return true;
    }

    /// <summary>One packet for each part, in order. What fails after the first one breaks the channel.</summary>
    private bool SendFragments(ref PacketHeader header, Posix.Piece* pieces, int count, ReadOnlySpan<int> files, in Patience patience)
    {
        header.Kind = PacketKind.Fragment;
        header.Id = _fragmentsOf + ++_lastFragmented;
        Posix.Piece* window = stackalloc Posix.Piece[MostPieces + 1];
        int at = 1;
        nint into = 0;
        try
        {
            while (header.Offset < header.Total)
            {
                int taken = 0;
                nint room = _packetRoom;
                while (room > 0 && at <= count && taken < MostPieces)
                {
                    nint length = Math.Min(room, pieces[at].Length - into);
                    window[++taken] = new() { Start = pieces[at].Start + into, Length = length };
                    room -= length;
                    into += length;
                    if (into < pieces[at].Length) continue;
                    at++;
                    into = 0;
                }
                _ = SendPacket(ref header, window, taken, header.Offset == 0 ? files : default, patience);
                header.Offset += _packetRoom - room;
                header.Handles = 0;
            }
            return true;
        }
        catch (Exception e) when (header.Offset > 0)
        {
            BreakUnlessGone(e);
            if (e is TimeoutException) throw CutByTime(e);
            throw;
        }
    }

    /// <summary>Sends one packet, whole or not at all.</summary>
    private bool SendPacket(ref PacketHeader header, Posix.Piece* pieces, int count, ReadOnlySpan<int> files, in Patience patience)
    {
        header.Handles = (byte)files.Length;
        fixed (PacketHeader* first = &header)
        {
            pieces[0] = new() { Start = (byte*)first, Length = PacketHeader.Size };
            Posix.Message message = new() { Pieces = pieces, PieceCount = count + 1 };
            if (files.IsEmpty) return SendPacket(&message, false, patience);
            byte* control = stackalloc byte[Rights.ControlRoom];
            Rights.Write(control, files, ref message);
            return SendPacket(&message, true, patience);
        }
    }

    private bool SendPacket(Posix.Message* message, bool hasFiles, in Patience patience)
    {
        while (Posix.Send(_socket.File, message, Posix.NoSignal | Posix.DontWait) < 0)
        {
            int error = Errno.Last;
            if (error == Errno.Interrupted) continue;
            if (error is not (Errno.TryAgain or Errno.NoBuffers)) throw SendFailure(error, hasFiles);
            if (patience.None) return false;
            ChannelEvents.Blocked();
            _socket.Poll(Posix.PollOut, patience.Slice(_isHeldElsewhere));
            // NoBuffers: the kernel is short of memory for a moment, and no event tells when that is over.
            if (error == Errno.NoBuffers) Thread.Sleep(1);
            ThrowIfUnusable();
            patience.Check("the peer did not take what was sent");
        }
        return true;
    }

    private static TimeoutException CutByTime(Exception e) =>
        new($"{e.Message} A part of the message had gone: the channel is broken.", e);

    private void ThrowIfTooLong(long total)
    {
        if (total <= _mostBytes) return;
        throw new ArgumentException($"A message of {total} bytes is longer than the {_mostBytes} that both ends take " +
            "(MaxMessageBytes). Nothing was sent.");
    }

    private IpcProtocolException Refused(int count, Exception? inner = null) =>
        new(IpcFault.HandlesRefused,
            $"The peer takes {_peersHandles} descriptors with a message and not {count}: its MaxHandles. Nothing was sent", inner);

    private static InvalidOperationException Changed() => new("The sequence changed while it was being sent. Nothing was sent.");

    private Exception SendFailure(int error, bool hasFiles)
    {
        // The kernel tells this once. The receiver wants to know it too, when it has drained what came before.
        if (error == Errno.Reset) _wasReset = true;
        if (_isDisposed) return Disposed();
        if (_broken is { } cause) return new IpcProtocolException(IpcFault.Broken,
            "The channel was broken by an earlier error; close it and connect anew", cause);
        return error switch
        {
            Errno.BrokenPipe or Errno.Reset or Errno.NotConnected or Errno.Refused =>
                new IpcProtocolException(IpcFault.PeerGone, $"The peer (process {PeerCredentials.ProcessId}) has closed the channel",
                    Errno.Failure("Sending failed", error)),
            Errno.NotPermitted when hasFiles =>
                new IpcProtocolException(IpcFault.HandlesRefused, "The peer takes no descriptors: its MaxHandles is 0. Nothing was sent",
                    Errno.Failure("Sending failed", error)),
            Errno.TooManyReferences =>
                new IpcProtocolException(IpcFault.TooManyInFlight, "This user has as many descriptors under way as it may have open " +
                    "(RLIMIT_NOFILE): wait until some were received. Nothing was sent",
                    Errno.Failure("Sending failed", error)),
            _ => Errno.Failure("Sending failed", error),
        };
    }
}
