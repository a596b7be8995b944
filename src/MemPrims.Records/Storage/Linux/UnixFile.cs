using System.Runtime.Versioning;

namespace MemPrims.Systems;

// Locks are open-file-description locks on single bytes. They belong to the open file and not to the process: two handles in one process
// exclude each other, closing one leaves the other's alone (`fcntl`'s classic locks do not), and a process that dies frees them.
internal partial class UnixFile
{
    private const int ENXIO = 6;

    protected enum LockKind
    {
        Shared,
        Exclusive,
        None,
    }

    [UnsupportedOSPlatform("windows")]
    public override SafeFileHandle CreatePrivate(string path)
    {
        FileStreamOptions options = new() { Mode = FileMode.CreateNew, Access = FileAccess.ReadWrite, Share = Shared, BufferSize = 0 };
        KeepPrivate(options);
        return new FileStream(path, options).SafeFileHandle;
    }

    public override bool TryLock(SafeFileHandle file, string path, LockByte which, bool exclusive)
    {
        LockKind kind = exclusive ? LockKind.Exclusive : LockKind.Shared;
        while (!SetLock(file, kind, which))
        {
            int error = Errno.Last;
            if (error == Errno.EACCES || error == TakenError) return false;
            if (error != Errno.EINTR)
                throw IoErrors.OfLastCall($"Locking byte {(int)which} of", path, " Its file system may have no such locks.");
        }
        return true;
    }

    public override void Unlock(SafeFileHandle file, LockByte which)
    {
        while (!SetLock(file, LockKind.None, which) && Errno.Last == Errno.EINTR) { }
    }

    // The error of a lock that another open file holds.
    protected virtual int TakenError => Errno.EAGAIN;

    // False when the call failed.
    protected virtual bool SetLock(SafeFileHandle file, LockKind kind, LockByte which) =>
        throw new PlatformNotSupportedException("Writing and pinning take locks that belong to an open file: only those of Linux, macOS "
            + "and Windows are used. Reading works: use OpenRead.");

    // The parts of a file that are no holes, by the numbers that a system has for these questions.
    protected static IEnumerable<(long Start, long End)> DataParts(SafeFileHandle file, long length, int seekData, int seekHole)
    {
        for (long start = 0, end; start < length; start = end)
        {
            long data = Posix.Lseek(file, start, seekData);
            // Behind the last of them. A file system that knows of no holes fails in another way: all may be data.
            if (data < 0 && Errno.Last == ENXIO) yield break;
            start = Math.Max(data, start);
            end = Posix.Lseek(file, start, seekHole);
            if (end <= start) end = length;
            yield return (start, end);
        }
    }
}
