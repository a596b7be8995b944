using System.Text;

namespace MemPrims.Channels.Native;

// Paths and abstract names as addresses of sockets. Nothing here blocks: a connection is tried, and where the listener's queue is full
// tried again a little later, until the deadline.
internal static unsafe class SocketAddress
{
    private const int PathOffset = 2, Room = 110, LongestPath = 107;

    public static bool IsAbstract(string path) => path.StartsWith('@');

    public static ChannelSocket Connect(string path, Deadline deadline)
    {
        while (true)
        {
            ChannelSocket? socket = TryConnect(path, out int error);
            if (socket is not null) return socket;
            if (error != Errno.EAGAIN)
                throw Errno.Failure(error switch
                {
                    // The kernel refuses a connection to any file that is there.
                    Errno.ECONNREFUSED when !IsAbstract(path) && FileIdentity.Of(path, followsLinks: false) is { IsSocket: false } =>
                        $"{path} is a file or a folder and no socket",
                    Errno.ENOENT or Errno.ECONNREFUSED => $"Nobody listens at {path}",
                    Errno.EPERM or Errno.EACCES =>
                        $"{path} may not be connected to: its permissions, or those of a folder above it, are for another user",
                    Errno.EPROTOTYPE => $"{path} is a socket of another kind (channels use SOCK_SEQPACKET)",
                    _ => $"{path} could not be connected to",
                }, error);
            if (deadline.HasPassed) throw new TimeoutException($"The queue of the listener at {path} stayed full: it does not accept.");
            Thread.Sleep(1);
        }
    }

    // Null with an error number: EAGAIN means that somebody listens and has no room at the moment.
    public static ChannelSocket? TryConnect(string path, out int error)
    {
        ChannelSocket socket = New(path);
        byte* address = stackalloc byte[Room];
        uint length = Write(path, address);
        error = 0;
        while (Posix.Connect(socket.File, address, length) != 0)
        {
            error = Errno.Last;
            if (error == Errno.EINTR) continue;
            socket.Dispose();
            return null;
        }
        _ = Posix.Fcntl(socket.File, Posix.F_SETFL, 0);
        return socket;
    }

    public static ChannelSocket New(string path)
    {
        int file = Posix.Socket(Posix.AF_UNIX, Posix.SOCK_SEQPACKET | Posix.SOCK_CLOEXEC | Posix.SOCK_NONBLOCK, 0);
        return file >= 0 ? new(file) : throw Errno.Failure($"A socket for {path} could not be made", Errno.Last);
    }

    public static void Bind(ChannelSocket socket, string path)
    {
        byte* address = stackalloc byte[Room];
        uint length = Write(path, address);
        // Before bind: the file gets the mode of the socket, so there is no moment in which others may connect.
        if (!IsAbstract(path) && Posix.Fchmod(socket.File, 0b110_000_000) != 0)
            throw Errno.Failure($"The mode of {path} could not be set", Errno.Last);
        if (Posix.Bind(socket.File, address, length) == 0) return;
        int error = Errno.Last;
        throw Errno.Failure(error == Errno.EADDRINUSE ? $"{path} is taken already" : $"No socket could be made at {path}", error);
    }

    public static void CheckUser(ChannelSocket socket, string path, bool? sameUserOnly)
    {
        if (!(sameUserOnly ?? IsAbstract(path))) return;
        PeerCredentials peer = socket.PeerCredentials();
        uint own = Posix.Geteuid();
        if (peer.UserId != own)
            throw new IpcProtocolException(IpcFault.WrongUser, $"Process {peer.ProcessId} at {path} belongs to user {peer.UserId}, " +
                $"this process to {own}. SameUserOnly = false lets it in");
    }

    // Throws unless the path can be the address of a socket; its length in bytes.
    public static int Check(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        if (path == "@") throw new ArgumentException("An abstract address has a name after its @.", nameof(path));
        if (path.Contains('\0')) throw new ArgumentException("The address of a socket has no zero characters.", nameof(path));
        int length = Encoding.UTF8.GetByteCount(path);
        if (length <= LongestPath) return length;
        throw new ArgumentException($"{path} has {length} bytes; the address of a Unix socket has {LongestPath} at most. Use a shorter " +
            "folder.", nameof(path));
    }

    private static uint Write(string path, byte* address)
    {
        int length = Check(path);
        *(ushort*)address = Posix.AF_UNIX;
        Encoding.UTF8.GetBytes(path, new Span<byte>(address + PathOffset, length));
        // An abstract name has a zero in place of the @ and none at its end.
        if (IsAbstract(path)) address[PathOffset] = 0;
        else address[PathOffset + length++] = 0;
        return (uint)(PathOffset + length);
    }
}
