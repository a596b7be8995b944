using Microsoft.Win32.SafeHandles;

namespace MemPrims.Channels.Native;

/// <summary>
/// A lock beside a socket's path, so that of two processes that find a stale socket only one replaces it. The file is removed while it is
/// still locked; who waited for it finds that the path names another file now, and begins anew.
/// </summary>
internal sealed class LockFile : IDisposable
{
    private const int Exclusive = 2, NotNow = 4;

    private readonly string _path;
    private readonly SafeFileHandle _file;

    private LockFile(string path, SafeFileHandle file)
    {
        _path = path;
        _file = file;
    }

    public static LockFile Take(string socketPath, Deadline deadline)
    {
        string path = socketPath + ".lock";
        while (true)
        {
            // Open for sharing: the runtime's own lock would refuse the second opener.
            SafeFileHandle file = Open(path, socketPath);
            bool locked = Posix.Lock((int)file.DangerousGetHandle(), Exclusive | NotNow) == 0;
            if (locked && FileIdentity.Of(file) == FileIdentity.Of(path)) return new(path, file);
            file.Dispose();
            if (deadline.HasPassed)
                throw new TimeoutException($"{path} stayed locked: another process is about to listen at {socketPath}.");
            Thread.Sleep(1);
        }
    }

    private static SafeFileHandle Open(string path, string socketPath)
    {
        try
        {
            return File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
        }
        catch (DirectoryNotFoundException e)
        {
            throw new DirectoryNotFoundException($"No socket can be made at {socketPath}: its folder does not exist.", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IOException($"No socket can be made at {socketPath}: the lock file beside it, {path}, could not be opened.", e);
        }
    }

    public void Dispose()
    {
        File.Delete(_path);
        _file.Dispose();
    }
}
