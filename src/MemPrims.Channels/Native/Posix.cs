namespace MemPrims.Linux;

internal static unsafe partial class Posix
{
    public const int AF_UNIX = 1, SOCK_SEQPACKET = 5, SOCK_CLOEXEC = 0x80000, SOCK_NONBLOCK = 0x800;
    public const int SOL_SOCKET = 1, SCM_RIGHTS = 1;
    public const int SO_TYPE = 3, SO_SNDBUF = 7, SO_LINGER = 13, SO_PASSCRED = 16, SO_PEERCRED = 17, SO_ACCEPTCONN = 30, SO_DOMAIN = 39,
        SO_PEEK_OFF = 42, SO_PASSRIGHTS = 83;
    public const int MSG_DONTWAIT = 0x40, MSG_NOSIGNAL = 0x4000, MSG_CMSG_CLOEXEC = 0x40000000, MSG_PEEK = 2, MSG_TRUNC = 0x20,
        MSG_CTRUNC = 8;
    public const short POLLIN = 1, POLLOUT = 4, POLLERR = 8, POLLHUP = 0x10, POLLRDHUP = 0x2000;
    public const int SHUT_RDWR = 2, SEEK_END = 2;
    public const int F_SETFL = 4, F_DUPFD_CLOEXEC = 1030, F_ADD_SEALS = 1033, F_GET_SEALS = 1034;
    public const int MADV_POPULATE_WRITE = 23;

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    public static partial int Socket(int domain, int type, int protocol);
    [LibraryImport("libc", EntryPoint = "socketpair", SetLastError = true)]
    public static partial int Socketpair(int domain, int type, int protocol, int* pair);
    [LibraryImport("libc", EntryPoint = "bind", SetLastError = true)]
    public static partial int Bind(int socket, byte* address, uint length);
    [LibraryImport("libc", EntryPoint = "listen", SetLastError = true)]
    public static partial int Listen(int socket, int backlog);
    [LibraryImport("libc", EntryPoint = "connect", SetLastError = true)]
    public static partial int Connect(int socket, byte* address, uint length);
    [LibraryImport("libc", EntryPoint = "accept4", SetLastError = true)]
    public static partial int Accept4(int socket, byte* address, uint* length, int flags);
    [LibraryImport("libc", EntryPoint = "getpeername", SetLastError = true)]
    public static partial int Getpeername(int socket, byte* address, uint* length);
    [LibraryImport("libc", EntryPoint = "sendmsg", SetLastError = true)]
    public static partial nint Sendmsg(int socket, Msghdr* message, int flags);
    [LibraryImport("libc", EntryPoint = "recvmsg", SetLastError = true)]
    public static partial nint Recvmsg(int socket, Msghdr* message, int flags);
    [LibraryImport("libc", EntryPoint = "shutdown", SetLastError = true)]
    public static partial int Shutdown(int socket, int how);
    [LibraryImport("libc", EntryPoint = "getsockopt", SetLastError = true)]
    public static partial int Getsockopt(int socket, int level, int option, void* value, uint* length);
    [LibraryImport("libc", EntryPoint = "setsockopt", SetLastError = true)]
    public static partial int Setsockopt(int socket, int level, int option, void* value, uint length);
    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    public static partial int Poll(Pollfd* files, ulong count, int milliseconds);
    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    public static partial int Close(int file);
    [LibraryImport("libc", EntryPoint = "fchmod", SetLastError = true)]
    public static partial int Fchmod(int file, uint mode);

    // By the very path: the runtime's File.Delete would take ".." out of it, even after a link.
    [LibraryImport("libc", EntryPoint = "unlink", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Unlink(string path);
    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    public static partial int Flock(int file, int operation);
    [LibraryImport("libc", EntryPoint = "geteuid")]
    public static partial uint Geteuid();

    // Variadic functions: on both processors whole numbers go where those of fixed parameters go.
    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int Fcntl(int file, int command, nint argument);
    [LibraryImport("libc", EntryPoint = "memfd_create", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int MemfdCreate(string name, uint flags);
    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    public static partial int Ftruncate(int file, nint length);
    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    public static partial nint Lseek(int file, nint offset, int from);
    [LibraryImport("libc", EntryPoint = "fallocate", SetLastError = true)]
    public static partial int Fallocate(int file, int mode, nint offset, nint length);
    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    public static partial int Madvise(byte* address, nint length, int advice);
    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    public static partial nint Syscall(nint number, nint a, nint b, nint c, nint d, nint e, nint f);
    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    public static partial int EpollCreate1(int flags);
    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    public static partial int EpollCtl(int epoll, int operation, int file, byte* wanted);
    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    public static partial int EpollWait(int epoll, byte* ready, int most, int milliseconds);

    // Without the transition to the garbage collector: it reads a register or a page of the kernel's.
    [LibraryImport("libc", EntryPoint = "sched_getcpu")]
    [SuppressGCTransition]
    public static partial int SchedGetcpu();

    public struct Msghdr
    {
        public void* Name;
        public uint NameLength;
        public Iovec* Pieces;
        public nint PieceCount;
        public byte* Control;
        public nint ControlLength;
        public int Flags;
    }

    // struct cmsghdr; the descriptors follow it.
    public struct Cmsghdr
    {
        public nint Length;
        public int Level, Type;
    }

    public struct Linger
    {
        public int IsOn, Seconds;
    }

    public struct Pollfd
    {
        public int File;
        public short Wanted, Ready;
    }
}
