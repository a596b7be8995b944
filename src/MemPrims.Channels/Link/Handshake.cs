namespace MemPrims.Channels.Link;

// The first packet in each direction: version, limits, and this end's shared memory as a descriptor. It goes before the end refuses
// descriptors, so that an end which takes none from its user's peer still gets what the channel itself needs.
internal static unsafe class Handshake
{
    private const int Version = 3;

    [StructLayout(LayoutKind.Sequential)]
    private struct Hello
    {
        public int Version, SmallBytes, LargeBytes, MaxHandles;
        public long MaxMessageBytes;
    }

    // What the peer takes, and why there is no shared memory where there is none.
    public readonly record struct Agreement(long MaxMessageBytes, int MaxHandles, string? NoSharedMemory = null)
    {
        // Without a handshake the peer's limits are not known: the peer checks them itself.
        public static Agreement Unknown => new(long.MaxValue, Rights.Most);
    }

    // Sends what this end has. The socket owns the memory from here on. Why it has none, where it was to have some.
    public static string? Offer(ChannelSocket socket, ChannelOptions options)
    {
        string? none = null;
        int file = -1;
        if (options.UseSharedMemory)
        {
            socket.Mine = RingMemory.TryCreate(RingLayout.Usual, out file, out int refused);
            if (socket.Mine is null) none = $"No memory file could be made: {Errno.Text(refused)}";
        }
        RingLayout layout = socket.Mine?.Layout ?? default;
        try
        {
            Hello hello = new()
            {
                Version = Version, SmallBytes = layout.SmallBytes, LargeBytes = layout.LargeBytes, MaxHandles = options.MaxHandles,
                MaxMessageBytes = options.MaxMessageBytes,
            };
            PacketHeader header = new(PacketKind.Hello, sizeof(Hello));
            Posix.Iovec* pieces = stackalloc Posix.Iovec[2];
            pieces[1] = new() { Start = (byte*)&hello, Length = sizeof(Hello) };
            int error = PacketLink.TrySend(socket, ref header, pieces, 1, file < 0 ? [] : [file]);
            // A new socket has room. Where the peer is gone already, the receive that follows tells.
            if (error is not (0 or Errno.EPIPE or Errno.ECONNRESET)) throw Errno.Failure("The handshake could not be sent", error);
        }
        finally
        {
            if (file >= 0) _ = Posix.Close(file);
        }
        return none;
    }

    public static Agreement Complete(ChannelSocket socket, string? none, ChannelOptions options, Deadline deadline, string peer)
    {
        while (!socket.Poll(Posix.POLLIN, deadline.MillisecondsLeft))
            if (deadline.HasPassed) throw new TimeoutException($"{peer} did not answer the handshake within {options.Timeout}.");
        byte* room = stackalloc byte[PacketHeader.Size + sizeof(Hello)], control = stackalloc byte[Rights.ControlRoom];
        Posix.Iovec piece = new() { Start = room, Length = PacketHeader.Size + sizeof(Hello) };
        Posix.Msghdr message = new() { Pieces = &piece, PieceCount = 1, Control = control, ControlLength = Rights.ControlRoom };
        nint received;
        while ((received = Posix.Recvmsg(socket.File, &message, Posix.MSG_CMSG_CLOEXEC | Posix.MSG_DONTWAIT)) < 0)
            if (Errno.Last != Errno.EINTR)
                throw new IpcPeerGoneException(IpcFault.PeerGone, $"{peer} was gone before the handshake was over",
                    Errno.Failure("Receiving failed", Errno.Last));
        SafeHandle[]? handles = Rights.Take(message);
        try
        {
            if (received == 0) throw new IpcPeerGoneException(IpcFault.PeerGone,
                $"{peer} closed the connection before the handshake was over");
            Hello hello = *(Hello*)(room + PacketHeader.Size);
            PacketHeader header = *(PacketHeader*)room;
            RingLayout theirs = new(hello.SmallBytes, hello.LargeBytes);
            // There is room for as many descriptors as the kernel passes.
            if ((message.Flags & Posix.MSG_CTRUNC) != 0) throw new IpcProtocolException(IpcFault.OutOfDescriptors,
                $"This process had no room for the descriptor of {peer}: close some, or raise the limit (ulimit -n)");
            if (received != PacketHeader.Size + sizeof(Hello) || (message.Flags & Posix.MSG_TRUNC) != 0 || header.Id != 0
                || header.Offset != 0 || !header.IsOurs || header.Kind != PacketKind.Hello || header.Total != sizeof(Hello)
                || header.Handles != (handles?.Length ?? 0) || header.Handles > 1
                || hello.MaxMessageBytes < 0 || hello.MaxHandles is < 0 or > Rights.Most
                || (header.Handles == 1 ? !theirs.IsSound : theirs != default))
                throw new IpcProtocolException(IpcFault.BadHandshake,
                    $"{peer} began with {received} bytes and {handles?.Length ?? 0} descriptors that are no handshake");
            if (hello.Version != Version) throw new IpcProtocolException(IpcFault.BadHandshake,
                $"{peer} speaks version {hello.Version} of the protocol, this end {Version}: give both the same MemPrims.Channels");
            // A ring takes memory of both ends: the sender's for the bytes, the receiver's for how far it has come.
            if (handles is not null && socket.Mine is not null)
            {
                socket.Theirs = RingMemory.Open((int)handles[0].DangerousGetHandle(), theirs, peer);
                // Its seals tell that it is a memory file, and it is mapped: closing it waits for nobody.
                handles[0].Dispose();
                handles = null;
            }
            else if (socket.Mine is not null) none = "The peer offered none";
            return new(hello.MaxMessageBytes, hello.MaxHandles, none);
        }
        finally
        {
            Closer.Usual.Add(handles);
        }
    }
}
