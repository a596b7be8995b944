namespace MemPrims.Linux;

internal static unsafe partial class Posix
{
    public const int SEEK_DATA = 3, SEEK_HOLE = 4, MAP_PRIVATE = 2, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20, MAP_NORESERVE = 0x4000;
    public const int F_OFD_SETLK = 37, RWF_DSYNC = 2, O_NONBLOCK = 0x800, LOCK_SH = 1, LOCK_NB = 4, LOCK_UN = 8;
    public const short F_RDLCK = 0, F_WRLCK = 1, F_UNLCK = 2;
    public const nint EXT4_SUPER_MAGIC = 0xEF53, XFS_SUPER_MAGIC = 0x58465342, TMPFS_MAGIC = 0x01021994;

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    public static partial byte* Mmap(byte* address, nint length, int protection, int flags, SafeFileHandle file, long offset);
    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int Fcntl(SafeFileHandle file, int command, ref Flock request);
    [LibraryImport("libc", EntryPoint = "pwritev2", SetLastError = true)]
    public static partial nint Pwritev2(SafeFileHandle file, Iovec* pieces, int count, long offset, int flags);
    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    public static partial int Fdatasync(SafeFileHandle file);
    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    public static partial int Fsync(SafeFileHandle file);
    [LibraryImport("libc", EntryPoint = "fallocate", SetLastError = true)]
    public static partial int Fallocate(SafeFileHandle file, int mode, long offset, long length);
    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    public static partial long Lseek(SafeFileHandle file, long offset, int whence);
    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    public static partial int LockWhole(SafeFileHandle file, int operation);
    [LibraryImport("libc", EntryPoint = "fstatfs")]
    public static partial int Fstatfs(SafeFileHandle file, out Statfs found);

    // struct flock. Process must be 0 for open-file-description locks; Whence 0 counts from the start of the file.
    public struct Flock
    {
        public short Type, Whence;
        public long Start, Length;
        public int Process;
    }

    // struct statfs begins with the type; its size, 120 bytes, is rounded up generously.
    [StructLayout(LayoutKind.Sequential, Size = 256)]
    public struct Statfs
    {
        public nint Type;
    }
}
