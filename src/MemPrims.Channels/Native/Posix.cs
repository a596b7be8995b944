using System.Runtime.InteropServices;

namespace MemPrims.Channels.Native;

/// <summary>
/// The system calls of this package, with the numbers of 64-bit Linux on x64 and arm64. Every call that may wait keeps the transition to
/// the garbage collector. Only <see cref="CurrentProcessor"/> goes without: it reads a register or a page of the kernel's.
/// </summary>
internal static unsafe partial class Posix
{
    public const int Unix = 1, SeqPacket = 5, CloseOnExecSocket = 0x80000, NonBlockingSocket = 0x800;
    public const int SocketLevel = 1, Rights = 1;
    public const int OptionType = 3, OptionSendBuffer = 7, OptionLinger = 13, OptionPassCredentials = 16, OptionPeerCredentials = 17,
        OptionAccepting = 30, OptionDomain = 39, OptionPeekOffset = 42, OptionPassRights = 83;
    public const int DontWait = 0x40, NoSignal = 0x4000, CloseOnExecRights = 0x40000000, Peek = 2, Truncated = 0x20, ControlTruncated = 8;
    public const short PollIn = 1, PollOut = 4, PollError = 8, PollHangUp = 0x10, PollReadHangUp = 0x2000;
    public const int ShutdownBoth = 2;

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    public static partial int Socket(int domain, int type, int protocol);

    [LibraryImport("libc", EntryPoint = "socketpair", SetLastError = true)]
    public static partial int SocketPair(int domain, int type, int protocol, int* pair);

    [LibraryImport("libc", EntryPoint = "bind", SetLastError = true)]
    public static partial int Bind(int socket, byte* address, uint length);

    [LibraryImport("libc", EntryPoint = "listen", SetLastError = true)]
    public static partial int Listen(int socket, int backlog);

    [LibraryImport("libc", EntryPoint = "connect", SetLastError = true)]
    public static partial int Connect(int socket, byte* address, uint length);

    [LibraryImport("libc", EntryPoint = "accept4", SetLastError = true)]
    public static partial int Accept(int socket, byte* address, uint* length, int flags);

    [LibraryImport("libc", EntryPoint = "getpeername", SetLastError = true)]
    public static partial int PeerName(int socket, byte* address, uint* length);

    [LibraryImport("libc", EntryPoint = "sendmsg", SetLastError = true)]
    public static partial nint Send(int socket, Message* message, int flags);

    [LibraryImport("libc", EntryPoint = "recvmsg", SetLastError = true)]
    public static partial nint Receive(int socket, Message* message, int flags);

    [LibraryImport("libc", EntryPoint = "shutdown", SetLastError = true)]
    public static partial int Shutdown(int socket, int how);

    [LibraryImport("libc", EntryPoint = "getsockopt", SetLastError = true)]
    public static partial int GetOption(int socket, int level, int option, void* value, uint* length);

    [LibraryImport("libc", EntryPoint = "setsockopt", SetLastError = true)]
    public static partial int SetOption(int socket, int level, int option, void* value, uint length);

    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    public static partial int Poll(PollFile* files, ulong count, int milliseconds);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    public static partial int Close(int file);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string path, int flags, uint mode);

    [LibraryImport("libc", EntryPoint = "fchmod", SetLastError = true)]
    public static partial int ChangeMode(int file, uint mode);

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    public static partial int Lock(int file, int operation);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    public static partial uint EffectiveUser();

    // Variadic functions: on both processors whole numbers go where those of fixed parameters go.
    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int Control(int file, int command, nint argument);

    [LibraryImport("libc", EntryPoint = "memfd_create", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int CreateMemoryFile(string name, uint flags);

    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    public static partial int SetFileLength(int file, nint length);

    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    public static partial nint Seek(int file, nint offset, int from);

    [LibraryImport("libc", EntryPoint = "fallocate", SetLastError = true)]
    public static partial int Allocate(int file, int mode, nint offset, nint length);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    public static partial byte* Map(byte* address, nint length, int protection, int flags, int file, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    public static partial int Unmap(byte* address, nint length);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    public static partial int Advise(byte* address, nint length, int advice);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    public static partial nint SystemCall(nint number, nint a, nint b, nint c, nint d, nint e, nint f);

    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    public static partial int EventFile(uint initial, int flags);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    public static partial nint Write(int file, void* source, nint length);

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    public static partial nint Read(int file, void* target, nint length);

    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    public static partial int CreateEpoll(int flags);

    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    public static partial int ControlEpoll(int epoll, int operation, int file, byte* wanted);

    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    public static partial int WaitEpoll(int epoll, byte* ready, int most, int milliseconds);

    [LibraryImport("libc", EntryPoint = "sched_getcpu")]
    [SuppressGCTransition]
    public static partial int CurrentProcessor();

    /// <summary>One piece of memory of a message: struct iovec.</summary>
    public struct Piece
    {
        public byte* Start;
        public nint Length;
    }

    /// <summary>struct msghdr.</summary>
    public struct Message
    {
        public void* Name;
        public uint NameLength;
        public Piece* Pieces;
        public nint PieceCount;
        public byte* Control;
        public nint ControlLength;
        public int Flags;
    }

    /// <summary>struct cmsghdr; the descriptors follow it.</summary>
    public struct ControlHeader
    {
        public nint Length;
        public int Level, Type;
    }

    /// <summary>struct linger.</summary>
    public struct Linger
    {
        public int IsOn, Seconds;
    }

    /// <summary>struct pollfd.</summary>
    public struct PollFile
    {
        public int File;
        public short Wanted, Ready;
    }
}
