namespace MemPrims.Linux;

// The system calls of a package, with the numbers of 64-bit Linux on x64 and arm64; here those that Records and Channels both make, and in
// each package the others. Every call that may wait keeps the transition to the garbage collector.
internal static unsafe partial class Posix
{
    public const int PROT_READ = 1, PROT_WRITE = 2, MAP_SHARED = 1;
    public const int O_CLOEXEC = 0x80000;

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string path, int flags, uint mode);
    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    public static partial byte* Mmap(byte* address, nint length, int protection, int flags, int file, nint offset);
    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    public static partial int Munmap(byte* address, nint length);

    // struct iovec: one piece of memory.
    public struct Iovec
    {
        public byte* Start;
        public nint Length;
    }
}
