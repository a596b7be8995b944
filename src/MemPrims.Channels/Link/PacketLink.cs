namespace MemPrims.Channels.Link;

// The SOCK_SEQPACKET socket of a channel: packets with their headers and descriptors, bells, and the end of the peer. Nothing here waits.
// What a packet means is for others; what makes it a packet at all is checked here. Any number of threads may send; one receives.
internal sealed unsafe class PacketLink(ChannelSocket socket, int mostHandles)
{
    private volatile bool _wasReset;

    // The longest payload that this end sends in one packet.
    // The kernel gives twice what is asked for. A packet of a half leaves room for the next one while the peer takes this one.
    public int Room { get; } = Math.Min(Packets.Largest,
        Math.Max(socket.GetOption(Posix.SO_SNDBUF, 1 << 16) / Packets.ShareOfSendBuffer, 4096) & ~7);

    // Whether the kernel has told that the peer left packets unread. It tells once, to whoever comes first.
    public bool WasReset => _wasReset;

    public bool PeerHasEnded => socket.PeerHasEnded;

    // Sends one packet, whole or not at all; 0 or the error. `pieces`[0] is the header's place.
    public int TrySend(ref PacketHeader header, Posix.Iovec* pieces, int count, ReadOnlySpan<int> files)
    {
        int error = TrySend(socket, ref header, pieces, count, files);
        // The kernel tells this once. The receiver wants to know it too, when it has drained what came before.
        if (error == Errno.ECONNRESET) _wasReset = true;
        return error;
    }

    public static int TrySend(ChannelSocket socket, ref PacketHeader header, Posix.Iovec* pieces, int count, ReadOnlySpan<int> files)
    {
        header.Handles = (byte)files.Length;
        fixed (PacketHeader* first = &header)
        {
            pieces[0] = new() { Start = (byte*)first, Length = PacketHeader.Size };
            Posix.Msghdr message = new() { Pieces = pieces, PieceCount = count + 1 };
            return files.IsEmpty ? TrySend(socket, &message) : TrySend(socket, &message, files);
        }
    }

    private static int TrySend(ChannelSocket socket, Posix.Msghdr* message, ReadOnlySpan<int> files)
    {
        byte* control = stackalloc byte[Rights.ControlRoom];
        Rights.Write(control, files, ref *message);
        return TrySend(socket, message);
    }

    private static int TrySend(ChannelSocket socket, Posix.Msghdr* message)
    {
        while (Posix.Sendmsg(socket.File, message, Posix.MSG_NOSIGNAL | Posix.MSG_DONTWAIT) < 0)
            if (Errno.Last is not Errno.EINTR and var error) return error;
        return 0;
    }

    // Sends a packet that wakes a receiver and says nothing; 0 where that one wakes it, or one of those that fill its socket. ENOBUFS:
    // the kernel had no memory. All other errors: the peer has ended, or this end was disposed.
    public int Ring()
    {
        PacketHeader header = new(PacketKind.Bell, 0);
        Posix.Iovec piece;
        int error = TrySend(ref header, &piece, 0, default);
        return error == Errno.EAGAIN ? 0 : error == Errno.ENOMEM ? Errno.ENOBUFS : error;
    }

    // Rings once the kernel has memory again, which no event tells, while it is needed: nothing else may wake the sleeper.
    public void RingLater(Func<bool> isNeeded) => Task.Delay(1).ContinueWith(_ =>
    {
        using Hold hold = Hold.TryOf(socket);
        if (hold.IsThere && isNeeded() && Ring() == Errno.ENOBUFS) RingLater(isNeeded);
    }, TaskScheduler.Default);

    // Takes a packet if one is there. Its payload is scattered over two places: where it is expected to belong, and an overflow for what
    // does not fit there. So no length has to be asked for first.
    // Throws IpcProtocolException where it is no packet of ours, or its descriptors are not those it announces. They are closed.
    public Packet TryReceive(byte* target, int room, byte* overflow)
    {
        Packet packet = new(target, room, overflow);
        Posix.Iovec* pieces = stackalloc Posix.Iovec[3]
        {
            new() { Start = (byte*)&packet.Header, Length = PacketHeader.Size }, new() { Start = target, Length = room },
            new() { Start = overflow, Length = Packets.Largest - room },
        };
        byte* control = stackalloc byte[Rights.ControlRoom];
        Posix.Msghdr message;
        nint received;
        while (true)
        {
            // Also where no descriptors are taken: without room for them the kernel would close them here, and that may take long.
            message = new() { Pieces = pieces, PieceCount = 3, Control = control, ControlLength = Rights.ControlRoom };
            received = Posix.Recvmsg(socket.File, &message, Posix.MSG_CMSG_CLOEXEC | Posix.MSG_DONTWAIT);
            if (received >= 0) break;
            int error = Errno.Last;
            if (error == Errno.EAGAIN) return packet;
            // The kernel tells of a reset once, and before the packets that came earlier. They are received first.
            if (error == Errno.ECONNRESET) _wasReset = true;
            else if (error != Errno.EINTR) throw Errno.Failure("Receiving failed", error);
        }
        packet.Handles = Rights.Take(message);
        try
        {
            if (received == 0)
            {
                // A packet of nothing reads like the end, but for its descriptors and for a peer that is there.
                if (packet.Handles is not null || !PeerHasEnded)
                    throw new IpcProtocolException(IpcFault.BadHeader, "The peer sent an empty packet: every packet has a header");
                packet.IsEnd = true;
                packet.Length = 0;
                return packet;
            }
            Check(ref packet, received, message.Flags);
            packet.Length = (int)received - PacketHeader.Size;
            return packet;
        }
        catch
        {
            Closer.Usual.Add(packet.Handles);
            throw;
        }
    }

    private void Check(ref Packet packet, nint received, int flags)
    {
        int count = packet.Handles?.Length ?? 0, announced = packet.Header.Handles;
        if (received < PacketHeader.Size || !packet.Header.IsOurs) throw new IpcProtocolException(IpcFault.BadHeader,
            $"A packet of {received} bytes does not begin with the header of a message");
        if ((flags & Posix.MSG_TRUNC) != 0) throw new IpcProtocolException(IpcFault.BadHeader,
            $"A packet is longer than {Packets.Largest} bytes, the most that this protocol sends in one");
        if (announced > mostHandles)
            throw new IpcProtocolException(IpcFault.UnwantedHandles,
                $"The peer sent {announced} descriptors with a message; this end takes {mostHandles} (MaxHandles)");
        // The room was enough for all that the kernel passes. So where it cut some, this process had no numbers left.
        bool lost = (flags & Posix.MSG_CTRUNC) != 0 && count < announced;
        if (count != announced && !lost) throw new IpcProtocolException(IpcFault.UnwantedHandles,
            $"The peer sent {count} descriptors with a message that announces {announced}");
        if (!lost) return;
        Closer.Usual.Add(packet.Handles);
        packet.Handles = Rights.Lost;
    }

    // Sleeps until a packet is there or can be sent, the peer has ended, or the time is over.
    public bool Poll(short events, int milliseconds) => socket.Poll(events, milliseconds);
}
