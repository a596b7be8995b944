namespace MemPrims.Systems;

// Locks are LockFileEx's, of the open file as Linux's are. They keep others from what is locked, so they lie beyond any file's end.
internal sealed unsafe partial class WindowsFile
{
    private const long FirstLock = 1L << 62;
    private const uint LOCKFILE_FAIL_IMMEDIATELY = 1, LOCKFILE_EXCLUSIVE_LOCK = 2;
    private const int ERROR_LOCK_VIOLATION = 33;

    public override bool TryLock(SafeFileHandle file, string path, LockByte which, bool exclusive)
    {
        NativeOverlapped place = PlaceOf(which);
        if (LockFile(file, LOCKFILE_FAIL_IMMEDIATELY | (exclusive ? LOCKFILE_EXCLUSIVE_LOCK : 0), 0, 1, 0, &place)) return true;
        if (Marshal.GetLastPInvokeError() == ERROR_LOCK_VIOLATION) return false;
        throw Failure($"Locking byte {(int)which} of", path);
    }

    public override void Unlock(SafeFileHandle file, LockByte which)
    {
        NativeOverlapped place = PlaceOf(which);
        _ = UnlockFile(file, 0, 1, 0, &place);
    }

    public override SafeFileHandle Reopen(SafeFileHandle file, string path, bool syncs)
    {
        SafeFileHandle reopened = ReopenFile(file, GENERIC_READ | (syncs ? GENERIC_WRITE : 0), ShareAll, 0);
        if (!reopened.IsInvalid) return reopened;
        IOException failure = Failure("Opening once more", path);
        reopened.Dispose();
        throw failure;
    }

    // The system has no such call for all file systems: where it refuses, the names are as safe as its journal makes them.
    public override void SyncFolder(string path)
    {
        using SafeFileHandle folder = Open(path, GENERIC_WRITE);
        if (!folder.IsInvalid) _ = FlushFileBuffers(folder);
    }

    private static NativeOverlapped PlaceOf(LockByte which) => new() { OffsetLow = (int)which, OffsetHigh = (int)(FirstLock >> 32) };

    [LibraryImport("kernel32", EntryPoint = "LockFileEx", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool LockFile(SafeFileHandle file, uint flags, uint reserved, uint low, uint high, NativeOverlapped* place);

    [LibraryImport("kernel32", EntryPoint = "UnlockFileEx", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool UnlockFile(SafeFileHandle file, uint reserved, uint low, uint high, NativeOverlapped* place);

    [LibraryImport("kernel32", EntryPoint = "ReOpenFile", SetLastError = true)]
    private static partial SafeFileHandle ReopenFile(SafeFileHandle file, uint access, uint share, uint flags);

    [LibraryImport("kernel32", EntryPoint = "FlushFileBuffers", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool FlushFileBuffers(SafeFileHandle file);
}
