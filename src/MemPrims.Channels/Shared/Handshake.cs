using System.Runtime.InteropServices;
using MemPrims.Channels.Native;

namespace MemPrims.Channels.Shared;

/// <summary>
/// The first packet in each direction: version, limits, and this end's shared memory as a descriptor. It goes before the end refuses
/// descriptors, so that an end which takes none from its user's peer still gets what the channel itself needs.
/// </summary>
internal static unsafe class Handshake
{
    private const int Version = 2;

    [StructLayout(LayoutKind.Sequential)]
    private struct Hello
    {
        public int Version, RingBytes, SegmentCount, SegmentBytes, MaxHandles, MaxPoolPages;
        public long MaxMessageBytes;
    }

    /// <summary>What both ends have, and what the peer takes.</summary>
    public readonly record struct Agreement(ShareLayout Mine, ShareLayout Theirs, long MaxMessageBytes, int MaxHandles)
    {
        /// <summary>Without a handshake the peer's limits are not known: the peer checks them itself.</summary>
        public static Agreement Unknown => new(default, default, long.MaxValue, Rights.Most);
    }

    public static ShareLayout Offer(ChannelSocket socket, ChannelOptions options)
    {
        int segment = options.SegmentCount == 0 ? 0
            : checked((options.SegmentBytes + ShareLayout.Page - 1) / ShareLayout.Page * ShareLayout.Page);
        ShareLayout layout = new(ShareLayout.UsualRing, options.SegmentCount, segment);
        int file = -1;
        if (options.UseSharedMemory) socket.Mine = SharedMemory.TryCreate(layout.Length, out file);
        if (socket.Mine is null) layout = default;
        try
        {
            Hello hello = new()
            {
                Version = Version, RingBytes = layout.RingBytes, SegmentCount = layout.SegmentCount, SegmentBytes = layout.SegmentBytes,
                MaxHandles = options.MaxHandles, MaxMessageBytes = options.MaxMessageBytes,
                MaxPoolPages = (int)Math.Min(options.MaxPoolBytes / ShareLayout.Page, int.MaxValue),
            };
            PacketHeader header = new(PacketKind.Hello, sizeof(Hello)) { Handles = (byte)(file < 0 ? 0 : 1) };
            Posix.Piece* pieces = stackalloc Posix.Piece[2] {
                new() { Start = (byte*)&header, Length = PacketHeader.Size }, new() { Start = (byte*)&hello, Length = sizeof(Hello) } };
            Posix.Message message = new() { Pieces = pieces, PieceCount = 2 };
            byte* control = stackalloc byte[Rights.ControlRoom];
            if (file >= 0) Rights.Write(control, [file], ref message);
            // A new socket has room: what fails here is the peer that is gone already, told by the receive that follows.
            while (Posix.Send(socket.File, &message, Posix.NoSignal | Posix.DontWait) < 0)
            {
                if (Errno.Last == Errno.Interrupted) continue;
                if (Errno.Last is Errno.BrokenPipe or Errno.Reset) break;
                throw Errno.Failure("The handshake could not be sent", Errno.Last);
            }
        }
        finally
        {
            if (file >= 0) _ = Posix.Close(file);
        }
        return layout;
    }

    public static Agreement Complete(ChannelSocket socket, ShareLayout mine, ChannelOptions options, in Patience patience,
        string peer)
    {
        while (!socket.Poll(Posix.PollIn, patience.Slice(nothingWakes: false)))
        {
            patience.Token.ThrowIfCancellationRequested();
            if (patience.Deadline.HasPassed) throw new TimeoutException($"{peer} did not answer the handshake within {options.Timeout}.");
        }
        byte* room = stackalloc byte[PacketHeader.Size + sizeof(Hello)], control = stackalloc byte[Rights.ControlRoom];
        Posix.Piece piece = new() { Start = room, Length = PacketHeader.Size + sizeof(Hello) };
        Posix.Message message = new() { Pieces = &piece, PieceCount = 1, Control = control, ControlLength = Rights.ControlRoom };
        nint received;
        while ((received = Posix.Receive(socket.File, &message, Posix.CloseOnExecRights | Posix.DontWait)) < 0)
            if (Errno.Last != Errno.Interrupted)
                throw new IpcProtocolException(IpcFault.PeerGone, $"{peer} was gone before the handshake was over",
                    Errno.Failure("Receiving failed", Errno.Last));
        SafeHandle[]? handles = Rights.Take(message);
        try
        {
            if (received == 0) throw new IpcProtocolException(IpcFault.PeerGone,
                $"{peer} closed the connection before the handshake was over");
            Hello hello = *(Hello*)(room + PacketHeader.Size);
            PacketHeader header = *(PacketHeader*)room;
            ShareLayout theirs = new(hello.RingBytes, hello.SegmentCount, hello.SegmentBytes);
            bool whole = received == PacketHeader.Size + sizeof(Hello)
                && (message.Flags & (Posix.Truncated | Posix.ControlTruncated)) == 0;
            if (!whole || !header.IsOurs || header.Kind != PacketKind.Hello || header.Total != sizeof(Hello)
                || header.Handles != (handles?.Length ?? 0) || header.Handles > 1
                || hello.MaxMessageBytes < 0 || hello.MaxPoolPages < 0 || hello.MaxHandles is < 0 or > Rights.Most
                || (header.Handles == 1 ? !theirs.IsSound : theirs != default))
                throw new IpcProtocolException(IpcFault.BadHandshake,
                    $"{peer} began with {received} bytes and {handles?.Length ?? 0} descriptors that are no handshake");
            if (hello.Version != Version) throw new IpcProtocolException(IpcFault.BadHandshake,
                $"{peer} speaks version {hello.Version} of the protocol, this end version {Version}");
            // A ring takes memory of both ends: the sender's for the bytes, the receiver's for how far it has come.
            if (handles is null || socket.Mine is null) return new(mine, theirs, hello.MaxMessageBytes, hello.MaxHandles);
            // Before it is mapped: reading a segment gives it memory, and that counts as this process's. Each end looks at both pools, so
            // that both are told why.
            if (theirs.PoolBytes > options.MaxPoolBytes) throw new IpcProtocolException(IpcFault.BadHandshake,
                $"{peer} has segments of {theirs.PoolBytes} bytes in all; this end takes {options.MaxPoolBytes} (MaxPoolBytes)");
            long taken = (long)hello.MaxPoolPages * ShareLayout.Page;
            if (mine.PoolBytes > taken) throw new IpcProtocolException(IpcFault.BadHandshake,
                $"This end has segments of {mine.PoolBytes} bytes in all; {peer} takes {taken} (its MaxPoolBytes)");
            socket.Theirs = SharedMemory.Open((int)handles[0].DangerousGetHandle(), theirs.Length);
            // Its seals tell that it is a memory file, and it is mapped: closing it waits for nobody.
            handles[0].Dispose();
            return new(mine, theirs, hello.MaxMessageBytes, hello.MaxHandles);
        }
        finally
        {
            Rights.CloseElsewhere(handles);
        }
    }

    /// <summary>Lets the kernel refuse descriptors at their sender, where it can (Linux 6.16), or take them again.</summary>
    public static void LimitHandles(ChannelSocket socket, ChannelOptions options) =>
        socket.SetOption(Posix.OptionPassRights, options.MaxHandles == 0 ? 0 : 1);
}
