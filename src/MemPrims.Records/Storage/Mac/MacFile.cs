using System.Runtime.Versioning;

namespace MemPrims.Systems;

// The runtime takes a lock of the whole file with each that it opens (flock). In macOS' kernel that is a lock like those of single bytes,
// so a reader that the runtime opened would keep every writer out. Files are therefore opened by `open`, without one.
//
// Syncs are the runtime's, which are F_FULLFSYNC: they reach the disk itself. Maps are the runtime's, too, and end with a collection.
internal unsafe partial class MacFile
{
    internal const int O_RDWR = 2, O_CLOEXEC = 0x100_0000, O_NONBLOCK = 4;
    internal const int F_OFD_SETLK = 90, EAGAIN = 35, SEEK_HOLE = 3, SEEK_DATA = 4;
    internal const short F_RDLCK = 1, F_UNLCK = 2, F_WRLCK = 3;

    public override SafeFileHandle Open(string path, FileMode mode, FileAccess access)
    {
        while (true)
        {
            if (mode != FileMode.CreateNew)
            {
                SafeFileHandle file = OpenByCall(path, access);
                if (!file.IsInvalid) return file;
                int error = Errno.Last;
                file.Dispose();
                if (error == Errno.EINTR) continue;
                if (mode == FileMode.Open || error != Errno.ENOENT)
                {
                    // It tells of the failure as everywhere. What is there after all, or now, is tried again.
                    base.Open(path, FileMode.Open, access).Dispose();
                    continue;
                }
            }
            try
            {
                return Unlocked(base.Open(path, FileMode.CreateNew, FileAccess.ReadWrite), path);
            }
            catch (IOException e) when (e.HResult == Errno.EEXIST && mode == FileMode.OpenOrCreate)
            {
                // Another process was faster.
            }
        }
    }

    [UnsupportedOSPlatform("windows")]
    public override SafeFileHandle CreatePrivate(string path) => Unlocked(base.CreatePrivate(path), path);

    // By the path, since /dev/fd gives the same open file once more, with its locks. A file that has lost its name cannot be opened anew.
    public override SafeFileHandle Reopen(SafeFileHandle file, string path, bool syncs) => Again(file, path, FileAccess.Read);

    public override void SyncFolder(string path)
    {
        using SafeFileHandle folder = OpenByCall(path, FileAccess.Read);
        if (folder.IsInvalid) throw IoErrors.OfLastCall("Opening the folder", path);
        RandomAccess.FlushToDisk(folder);
    }

    public override IEnumerable<(long Start, long End)> DataParts(SafeFileHandle file, long length) =>
        DataParts(file, length, SEEK_DATA, SEEK_HOLE);

    protected override int TakenError => EAGAIN;

    protected override bool SetLock(SafeFileHandle file, LockKind kind, LockByte which)
    {
        short type = kind switch { LockKind.Shared => F_RDLCK, LockKind.Exclusive => F_WRLCK, _ => F_UNLCK };
        Flock request = new() { Type = type, Start = (long)which, Length = 1 };
        return Fcntl(file, F_OFD_SETLK, &request) == 0;
    }

    // A variadic function finds its third argument in the third register on x64, and on the stack on Apple's arm64, behind what fills all
    // eight registers. Here it lies in every place where it may be looked for.
    protected static int Fcntl(SafeFileHandle file, int command, void* argument) =>
        Fcntl(file, command, argument, argument, argument, argument, argument, argument, argument);

    private SafeFileHandle Unlocked(SafeFileHandle made, string path)
    {
        using (made) return Again(made, path, FileAccess.ReadWrite);
    }

    private SafeFileHandle Again(SafeFileHandle file, string path, FileAccess access)
    {
        SafeFileHandle opened = OpenByCall(path, access);
        if (opened.IsInvalid) throw IoErrors.OfLastCall("Opening once more", path);
        if (IdentityOf(opened) is { } again && IdentityOf(file) is { } here && again.IsSameAs(here)) return opened;
        opened.Dispose();
        throw new IOException($"{path} was replaced or deleted while it was open: it cannot be opened once more.");
    }

    // With two arguments it is no variadic call, whatever the processor. It makes no file.
    private SafeFileHandle OpenByCall(string path, FileAccess access) =>
        new(OpenOf(path, WithoutWaiting | (access.HasFlag(FileAccess.Write) ? O_RDWR : 0)), ownsHandle: true);

    // A pipe may have come where a file was looked at: its open would wait until somebody writes to it.
    protected virtual int WithoutWaiting => O_CLOEXEC | O_NONBLOCK;

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenOf(string path, int flags);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int Fcntl(SafeFileHandle file, int command, void* third, void* fourth, void* fifth, void* sixth, void* seventh,
        void* eighth, void* onStack);

    internal struct Flock
    {
        public long Start, Length;
        public int Process;
        public short Type, Whence;
    }
}
