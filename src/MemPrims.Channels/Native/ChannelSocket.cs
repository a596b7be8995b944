namespace MemPrims.Channels.Native;

// The socket of a channel and the memory it shares with its peer. Both go when the last call that uses them is done, so no call finds its
// memory unmapped or its descriptor number taken by another file.
internal sealed unsafe class ChannelSocket : SafeHandleMinusOneIsInvalid
{
    public ChannelSocket(int file)
        : base(ownsHandle: true) => SetHandle(file);

    // The number of the socket. Use it while a Hold keeps it open.
    public int File => (int)handle;

    // This end's memory, which only this end writes; null without shared memory.
    public RingMemory? Mine { get; set; }

    // The peer's memory, which this end only reads; null without shared memory at either end.
    public RingMemory? Theirs { get; set; }

    protected override bool ReleaseHandle()
    {
        Theirs?.Unmap();
        Mine?.Unmap();
        if (!HasUnread) return Posix.Close((int)handle) == 0;
        // What nobody received may hold a stranger's descriptors. The kernel closes them with the socket, and that may take long.
        // Usually it does not: after it the peer is told that its messages were left unread, so this waits for it a moment.
        const int longestWait = 1000;
        UnreadSocket unread = new((int)handle);
        Closer.Usual.Add([unread]);
        Uninterrupted.Run(unread, static unread => _ = unread.Closed.Wait(longestWait));
        return true;
    }

    private sealed class UnreadSocket : SafeHandleMinusOneIsInvalid
    {
        public UnreadSocket(int file)
            : base(ownsHandle: true) => SetHandle(file);

        public ManualResetEventSlim Closed { get; } = new();

        protected override bool ReleaseHandle()
        {
            Rights.EndLingerOfUnread((int)handle);
            bool closed = Posix.Close((int)handle) == 0;
            Closed.Set();
            return closed;
        }
    }

    private bool HasUnread
    {
        get
        {
            nint length = Peek(out _);
            if (length != 0) return length > 0;
            // The end, or an empty packet. With credentials asked for, only a packet brings something for which there is no room here.
            // The option disturbs no other holder: both the end and an empty packet are the last that a channel receives.
            SetOption(Posix.SO_PASSCRED, 1);
            return Peek(out int flags) > 0 || (flags & Posix.MSG_CTRUNC) != 0;
        }
    }

    // Looks whether a packet is there, and leaves it: above 0; 0 at the end; less where nothing is.
    private nint Peek(out int flags)
    {
        byte first;
        Posix.Iovec piece = new() { Start = &first, Length = 1 };
        Posix.Msghdr message = new() { Pieces = &piece, PieceCount = 1 };
        nint length;
        while ((length = Posix.Recvmsg(File, &message, Posix.MSG_PEEK | Posix.MSG_DONTWAIT)) < 0
            && Errno.Last is Errno.ECONNRESET or Errno.EINTR) continue;
        flags = message.Flags;
        return length;
    }

    public static ChannelSocket[] Pair()
    {
        int* pair = stackalloc int[2];
        if (Posix.Socketpair(Posix.AF_UNIX, Posix.SOCK_SEQPACKET | Posix.SOCK_CLOEXEC, 0, pair) != 0)
            throw Errno.Failure("A pair of sockets could not be made", Errno.Last);
        return [new(pair[0]), new(pair[1])];
    }

    // A duplicate of a handle that is one end of a channel's connection.
    // Throws ArgumentException where it is another kind of file, or not connected.
    public static ChannelSocket DuplicateOf(SafeHandle handle)
    {
        using Hold hold = Hold.Of(handle);
        using ChannelSocket look = new((int)handle.DangerousGetHandle());
        try
        {
            if (look.GetOption(Posix.SO_DOMAIN, -1) != Posix.AF_UNIX || look.GetOption(Posix.SO_TYPE, -1) != Posix.SOCK_SEQPACKET
                || look.GetOption(Posix.SO_ACCEPTCONN, 0) != 0 || !look.IsConnected)
                throw new ArgumentException("A channel is made from a connected Unix socket of the kind SOCK_SEQPACKET; this " +
                    "handle is none.", nameof(handle));
            return new(look.Duplicate());
        }
        finally
        {
            // The number stays the caller's.
            look.SetHandleAsInvalid();
        }
    }

    public int GetOption(int option, int otherwise)
    {
        int value = 0;
        uint length = sizeof(int);
        return Posix.Getsockopt(File, Posix.SOL_SOCKET, option, &value, &length) == 0 ? value : otherwise;
    }

    public bool SetOption(int option, int value) => Posix.Setsockopt(File, Posix.SOL_SOCKET, option, &value, sizeof(int)) == 0;

    public PeerCredentials PeerCredentials()
    {
        PeerCredentials peer = default;
        uint length = (uint)sizeof(PeerCredentials);
        if (Posix.Getsockopt(File, Posix.SOL_SOCKET, Posix.SO_PEERCRED, &peer, &length) != 0)
            throw Errno.Failure("The peer's credentials could not be read", Errno.Last);
        return peer;
    }

    public bool IsConnected
    {
        get
        {
            byte* name = stackalloc byte[128];
            uint length = 128;
            return Posix.Getpeername(File, name, &length) == 0;
        }
    }

    // Whether one of the events is there within the time. A closed peer counts as readable and as writable.
    public bool Poll(short wanted, int milliseconds) => Poll(File, wanted, milliseconds) != 0;

    public static short Poll(int file, short wanted, int milliseconds)
    {
        Posix.Pollfd one = new() { File = file, Wanted = wanted };
        // A signal ends the wait early: the callers look at their clock and come again.
        return Posix.Poll(&one, 1, milliseconds) > 0 ? one.Ready : (short)0;
    }

    // Whether the other end is closed, or cannot be written to any more.
    public bool PeerHasEnded => (Poll(File, Posix.POLLRDHUP, 0) & (Posix.POLLHUP | Posix.POLLRDHUP | Posix.POLLERR)) != 0;

    public int Duplicate()
    {
        int copy = Posix.Fcntl(File, Posix.F_DUPFD_CLOEXEC, 0);
        return copy >= 0 ? copy : throw Errno.Failure("The socket could not be duplicated", Errno.Last);
    }
}
