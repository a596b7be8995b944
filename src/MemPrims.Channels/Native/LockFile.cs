namespace MemPrims.Channels.Native;

// A lock beside a socket's path, so that of two processes that find a stale socket only one replaces it. The file is removed while it is
// still locked; who waited for it finds that the path names another file now, and begins anew.
internal sealed class LockFile(string path, SafeFileHandle file) : IDisposable
{
    private const int LOCK_EX = 2, LOCK_NB = 4;

    public static LockFile Take(string socketPath, Deadline deadline)
    {
        string path = socketPath + ".lock";
        while (true)
        {
            SafeFileHandle file = Open(path, socketPath);
            bool locked = Posix.Flock((int)file.DangerousGetHandle(), LOCK_EX | LOCK_NB) == 0;
            if (locked && FileIdentity.Of(file) is { } held && FileIdentity.Of(path, followsLinks: false) is { } named
                && held.IsSameAs(named)) return new(path, file);
            file.Dispose();
            if (deadline.HasPassed)
                throw new TimeoutException($"{path} stayed locked: another process is about to listen at {socketPath}.");
            Thread.Sleep(1);
        }
    }

    private static SafeFileHandle Open(string path, string socketPath)
    {
        // A link is not followed: whoever may write to the folder could have any file made or locked by it.
        const int O_RDWR = 2, O_CREAT = 0x40, ownerOnly = 0b110_000_000;
        int O_NOFOLLOW = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 0x8000 : 0x20000;
        int file;
        while ((file = Posix.Open(path, O_RDWR | O_CREAT | Posix.O_CLOEXEC | O_NOFOLLOW, ownerOnly)) < 0)
        {
            int error = Errno.Last;
            if (error == Errno.EINTR) continue;
            if (error == Errno.ENOENT)
                throw new DirectoryNotFoundException($"No socket can be made at {socketPath}: its folder does not exist. Make it first.");
            throw Errno.Failure($"No socket can be made at {socketPath}: the lock file beside it, {path}, "
                + (error == Errno.ELOOP ? "is a symbolic link, which is not followed: remove it" : "could not be opened"), error);
        }
        SafeFileHandle opened = new(file, ownsHandle: true);
        if (FileIdentity.Of(opened) is { IsOrdinaryFile: true } && RandomAccess.GetLength(opened) == 0) return opened;
        opened.Dispose();
        throw new IOException($"No socket can be made at {socketPath}: beside it is {path}, which is no lock of a listener, since that is "
            + "an empty file. Choose another path.");
    }

    public void Dispose()
    {
        // Where it stays, the next one locks it.
        _ = Posix.Unlink(path);
        file.Dispose();
    }
}
