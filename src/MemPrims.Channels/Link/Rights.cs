namespace MemPrims.Channels.Link;

// Descriptors beside a message. What arrives is wrapped before anything can throw. What is not wanted, Closer's threads close.
internal static unsafe class Rights
{
    // The most descriptors that the kernel passes with one message (SCM_MAX_FD).
    public const int Most = 253;

    // Room for a control message with that many. So the kernel drops a descriptor only when this process can open no more.
    public const int ControlRoom = 16 + ((Most * sizeof(int)) + 7 & ~7);

    // Stands in the place of descriptors for which this process had no numbers left. Their message is received to its end, then reported.
    public static readonly SafeHandle[] Lost = new SafeHandle[0];

    // Writes the control message. The numbers stay valid while the caller holds references to the handles.
    public static void Write(byte* control, ReadOnlySpan<int> files, ref Posix.Msghdr message)
    {
        var header = (Posix.Cmsghdr*)control;
        int length = sizeof(Posix.Cmsghdr) + (files.Length * sizeof(int));
        *header = new() { Length = length, Level = Posix.SOL_SOCKET, Type = Posix.SCM_RIGHTS };
        files.CopyTo(new Span<int>(header + 1, files.Length));
        message.Control = control;
        message.ControlLength = header->Length + 7 & ~7;
    }

    // Wraps all that came. Null when nothing did.
    public static SafeHandle[]? Take(in Posix.Msghdr message)
    {
        SafeHandle[]? taken = null;
        int count = 0;
        byte* at = message.Control, end = at + message.ControlLength;
        while (at != null && end - at >= sizeof(Posix.Cmsghdr))
        {
            var header = (Posix.Cmsghdr*)at;
            if (header->Length < sizeof(Posix.Cmsghdr) || header->Length > end - at) break;
            if (header->Level == Posix.SOL_SOCKET && header->Type == Posix.SCM_RIGHTS)
            {
                ReadOnlySpan<int> files = new(header + 1, (int)(header->Length - sizeof(Posix.Cmsghdr)) / sizeof(int));
                Array.Resize(ref taken, count + files.Length);
                foreach (int file in files) taken[count++] = new SafeFileHandle(file, ownsHandle: true);
            }
            at += header->Length + 7 & ~7;
        }
        return taken;
    }

    // Turns waiting off for the close of a socket that a stranger told to linger: it would hold a closing thread as long as he likes.
    public static void EndLinger(int file)
    {
        Posix.Linger linger;
        uint length = (uint)sizeof(Posix.Linger);
        // Without seconds to wait, lingering means a reset: that waits for nobody.
        if (Posix.Getsockopt(file, Posix.SOL_SOCKET, Posix.SO_LINGER, &linger, &length) != 0 || linger.IsOn == 0 || linger.Seconds == 0)
            return;
        linger = default;
        _ = Posix.Setsockopt(file, Posix.SOL_SOCKET, Posix.SO_LINGER, &linger, length);
    }

    // The same for the sockets in packets that nobody has received: the kernel closes them with the socket they lie in. The packets stay,
    // so that their sender is told of them.
    public static void EndLingerOfUnread(int socket)
    {
        // The kernel gives a socket room for some 300 packets.
        const int most = 1024;
        byte[] room = ArrayPool<byte>.Shared.Rent(Packets.Largest);
        byte* control = stackalloc byte[ControlRoom];
        int offset = -1;
        fixed (byte* start = room)
        {
            Posix.Iovec piece = new() { Start = start, Length = room.Length };
            // The first look is without an offset: with one, an empty packet that was seen before is passed over.
            for (int i = 0; i < most; i++)
            {
                Posix.Msghdr message = new() { Pieces = &piece, PieceCount = 1, Control = control, ControlLength = ControlRoom };
                nint length = Posix.Recvmsg(socket, &message, Posix.MSG_CMSG_CLOEXEC | Posix.MSG_DONTWAIT | Posix.MSG_PEEK);
                if (length < 0 && Errno.Last is Errno.ECONNRESET or Errno.EINTR) continue;
                if (length < 0) break;
                foreach (SafeHandle copy in Take(message) ?? [])
                {
                    EndLinger((int)copy.DangerousGetHandle());
                    // It lies in the packet still, so this close waits for nobody.
                    copy.Dispose();
                }
                if (offset >= 0) continue;
                offset = (int)length;
                if (Posix.Setsockopt(socket, Posix.SOL_SOCKET, Posix.SO_PEEK_OFF, &offset, sizeof(int)) != 0) break;
            }
        }
        offset = -1;
        _ = Posix.Setsockopt(socket, Posix.SOL_SOCKET, Posix.SO_PEEK_OFF, &offset, sizeof(int));
        ArrayPool<byte>.Shared.Return(room);
    }
}
