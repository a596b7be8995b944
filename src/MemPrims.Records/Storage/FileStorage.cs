using System.IO.MemoryMappedFiles;
using MemPrims.Records.Waiting;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Records.Storage;

/// <summary>
/// A file of the operating system. Syncs by <c>fdatasync</c> on Linux, which leaves out the times of the file but not its length.
///
/// Locks are Linux's open-file-description locks on single bytes. They belong to the open file and not to the process: two handles in one
/// process exclude each other, closing one leaves the other's locks alone (which classic <c>fcntl</c> locks do not), and the kernel frees
/// them when the process dies.
/// </summary>
internal sealed unsafe class FileStorage : IStorage
{
    private const int ZerosAtOnce = 1 << 20;

    private readonly SafeFileHandle _file;
    private readonly InPlaceStores? _stores;
    private bool _locked;
    private SafeFileHandle? _beside;
    // The length to which the process is known to be allowed to write.
    private long _writable;
    private bool? _syncsParts;

    private FileStorage(string path, SafeFileHandle file, bool canWrite, InPlaceStores? stores = null)
    {
        Path = path;
        _file = file;
        CanWrite = canWrite;
        _stores = stores;
        try
        {
            _ = Length;
        }
        catch (NotSupportedException e)
        {
            // The runtime asks the system for the place in the file once, and takes it for a stream for good where that fails.
            file.Dispose();
            throw new IOException($"{path}: the system does not tell the place in the file.", e);
        }
    }

    public static FileStorage Open(string path, FileMode mode, FileAccess access, MappedFileOptions? options = null)
    {
        string full = SystemPath.Full(path);
        // Before it is opened: opening a pipe waits until somebody writes to it.
        if (OperatingSystem.IsLinux() && mode != FileMode.CreateNew && FileIdentity.Of(full) is { IsOrdinaryFile: false })
            throw new MappedFileException(MappedFileReason.NotThisFormat, full, "The path names a folder, a pipe or a device, and not "
                + "a file.");
        return OpenAnyKind(full, mode, access, options);
    }

    /// <summary>The same without a look at what the path names.</summary>
    public static FileStorage OpenAnyKind(string full, FileMode mode, FileAccess access, MappedFileOptions? options = null)
    {
        try
        {
            // Another process's writer is kept out by the writer lock alone: FileShare is advice on Unix, and would keep readers out on
            // Windows.
            SafeFileHandle file = File.OpenHandle(full, mode, access, FileShare.ReadWrite | FileShare.Delete);
            bool stores = access.HasFlag(FileAccess.Write) && options is { Durability: Durability.ProcessCrash };
            return new(full, file, access.HasFlag(FileAccess.Write), stores ? new(file, options!.StoreThroughMap) : null);
        }
        catch (Exception e) when (e is UnauthorizedAccessException or IOException && IoErrors.Of(e, full, "open the file") is { } told)
        {
            throw told;
        }
    }

    /// <summary>A file that is open, for reading. It is closed with this.</summary>
    public static FileStorage Over(string path, SafeFileHandle file) => new(path, file, canWrite: false);

    /// <summary>Makes a file that nobody but this user may open, until <see cref="TryTake"/> says who else.</summary>
    public static FileStorage CreatePrivate(string path)
    {
        FileStreamOptions options = new()
        {
            Mode = FileMode.CreateNew, Access = FileAccess.ReadWrite, Share = FileShare.ReadWrite | FileShare.Delete, BufferSize = 0,
        };
        if (!OperatingSystem.IsWindows()) options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        return new(path, new FileStream(path, options).SafeFileHandle, canWrite: true);
    }

    /// <summary>Gives this file the rights of another one; see <see cref="FileRights.TryGive"/>.</summary>
    public bool TryTake(FileRights rights, bool wholly) => rights.TryGive(_file, wholly);

    public FileRights? Rights => FileRights.Of(_file);

    public string Path { get; }

    public bool CanWrite { get; }

    public long Length => RandomAccess.GetLength(_file);

    public bool WritesPieces => _stores is { IsUsed: true };

    public void Expect(long offset, int length) => _stores?.Prefetch(offset, length);

    public int Read(long offset, Span<byte> bytes)
    {
        int read = 0, more;
        // Before a place that the disk cannot read the system gives what there is; asked for the rest, it tells.
        while (read < bytes.Length && (more = RandomAccess.Read(_file, bytes[read..], offset + read)) > 0) read += more;
        return read;
    }

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        if (_stores is null || !_stores.TryStore(offset, bytes)) WriteByCall(offset, bytes);
    }

    private void WriteByCall(long offset, ReadOnlySpan<byte> bytes)
    {
        RequireWritable(offset + bytes.Length);
        try
        {
            RandomAccess.Write(_file, bytes, offset);
        }
        catch (Exception e) when (e is ArgumentOutOfRangeException or UnauthorizedAccessException)
        {
            // Two errors of the system that the runtime does not tell as an IOException: the file may grow no longer (EFBIG), and writing
            // is forbidden.
            throw new IOException($"Writing {bytes.Length} bytes at {offset} of {Path} failed: {e.Message}",
                e) { HResult = e is ArgumentOutOfRangeException ? Errno.EFBIG : Errno.EACCES };
        }
    }

    // Beyond the limit of the process (RLIMIT_FSIZE) the system would not only refuse to write, but end the process by a signal.
    private void RequireWritable(long length)
    {
        if (length <= _writable || !OperatingSystem.IsLinux()) return;
        _writable = Posix.Getrlimit(Posix.RLIMIT_FSIZE, out Posix.Rlimit limit) == 0 ? (long)Math.Min(limit.Soft, long.MaxValue)
            : long.MaxValue;
        if (length > _writable)
            throw new IOException($"{Path} may not get longer than {_writable} bytes, the limit of this process (ulimit -f).",
                Errno.EFBIG);
    }

    public void Extend(long length)
    {
        long from = Length;
        if (from >= length) return;
        _writable = 0;
        RequireWritable(length);
        byte[] zeros = new byte[Math.Min(length - from, ZerosAtOnce)];
        for (; from < length; from += zeros.Length)
            WriteByCall(from, zeros.AsSpan(0, (int)Math.Min(zeros.Length, length - from)));
    }

    public void FillHoles(long start, long end)
    {
        end = Math.Min(end, Length);
        while (OperatingSystem.IsLinux() && start < end && Posix.Lseek(_file, start, Posix.SEEK_HOLE) is >= 0 and var hole && hole < end)
        {
            start = Posix.Lseek(_file, hole, Posix.SEEK_DATA) is >= 0 and var data ? Math.Min(data, end) : end;
            // A file system without the call is none that takes blocks to read.
            if (Posix.Fallocate(_file, 0, hole, start - hole) != 0 && Errno.Last is not (Errno.EOPNOTSUPP or Errno.ENOSYS))
                throw IoErrors.OfLastCall("Giving blocks to the holes of", Path);
        }
    }

    public IEnumerable<(long Start, long End)> DataParts()
    {
        long length = Length;
        if (!OperatingSystem.IsLinux())
        {
            yield return (0, length);
            yield break;
        }
        for (long start = 0, end; start < length && (start = Posix.Lseek(_file, start, Posix.SEEK_DATA)) >= 0; start = end)
        {
            end = Posix.Lseek(_file, start, Posix.SEEK_HOLE);
            if (end <= start) end = length;
            yield return (start, end);
        }
    }

    public void BeginSync()
    {
        if (OperatingSystem.IsLinux()) _ = Posix.SyncFileRange(_file, 0, 0, Posix.SYNC_FILE_RANGE_WRITE);
    }

    // Only where it was looked up that the flag of such a write does no more and no less. On tmpfs no sync costs anything.
    public bool SyncsParts => _syncsParts ??= OperatingSystem.IsLinux()
        && InPlaceStores.TypeOfFileSystem(_file) is Posix.EXT4_SUPER_MAGIC or Posix.XFS_SUPER_MAGIC;

    public void WriteSynced(long offset, ReadOnlySpan<byte> bytes)
    {
        RequireWritable(offset + bytes.Length);
        if (_syncsParts == true && TryWriteSynced(offset, bytes)) return;
        _syncsParts = false;
        Write(offset, bytes);
        Sync();
    }

    // Linux's pwritev2 with RWF_DSYNC: a write and an fdatasync of its range, where fdatasync itself always means the whole file. False
    // when the system has no such call: nothing was written then.
    private bool TryWriteSynced(long offset, ReadOnlySpan<byte> bytes)
    {
        fixed (byte* start = bytes)
        {
            for (nint done = 0; done < bytes.Length;)
            {
                Posix.Iovec piece = new() { Start = start + done, Length = bytes.Length - done };
                nint written = Posix.Pwritev2(_file, &piece, 1, offset + done, Posix.RWF_DSYNC);
                if (written > 0)
                {
                    done += written;
                    continue;
                }
                int error = written == 0 ? 0 : Errno.Last;
                if (error == Errno.EINTR) continue;
                if (done == 0 && error is Errno.EINVAL or Errno.ENOSYS or Errno.EOPNOTSUPP) return false;
                throw IoErrors.OfLastCall($"A synced write of {bytes.Length} bytes at {offset} of", Path);
            }
        }
        return true;
    }

    public void Sync() => Sync(_file);

    private void Sync(SafeFileHandle file)
    {
        if (OperatingSystem.IsLinux()) SyncData(file);
        else RandomAccess.FlushToDisk(file);
    }

    // On an open file description of its own. The kernel tells a failed writeback once on each: on a shared one this sync could take the
    // error of bytes that WriteSynced waits for, which would then return as if they were on the disk.
    public RunningSync BeginSyncBeside()
    {
        Task sync;
        try
        {
            SafeFileHandle beside = _beside ??= Again();
            sync = Task.Factory.StartNew(() => Sync(beside), CancellationToken.None, TaskCreationOptions.LongRunning,
                TaskScheduler.Default);
        }
        catch (Exception e) when (e is TaskSchedulerException or IOException or UnauthorizedAccessException)
        {
            // The system has no thread or no descriptor to give: the commit takes longer, and must not fail for that.
            Sync();
            return new(static () => true, static () => { });
        }
        return new(() => sync.IsCompleted, () => OrderedLock.Uninterrupted(sync, static task =>
        {
            Task.WaitAny(task);
            task.GetAwaiter().GetResult();
        }));
    }

    public MappedRegion Map(long offset, long length)
    {
        return OperatingSystem.IsLinux() ? FileMap.Map(_file, Path, offset, length) : MapByRuntime();

        // Apart, so that its assembly is loaded only where it is needed.
        [MethodImpl(MethodImplOptions.NoInlining)]
        MappedRegion MapByRuntime() => MappedRegion.Of(_file, offset, length, MemoryMappedFileAccess.Read);
    }

    public bool TryLock(LockByte which, bool exclusive)
    {
        if (!OperatingSystem.IsLinux())
            throw new PlatformNotSupportedException($"Writing and pinning {Path} takes open-file-description locks, which only Linux "
                + "has. Reading works: use OpenRead.");
        return SetLock(exclusive ? Posix.F_WRLCK : Posix.F_RDLCK, which) switch
        {
            0 => _locked = true,
            Errno.EAGAIN or Errno.EACCES => false,
            _ => throw IoErrors.OfLastCall($"Locking byte {(int)which} of", Path, " Its file system may have no such locks."),
        };
    }

    public void Unlock(LockByte which) => SetLock(Posix.F_UNLCK, which);

    private int SetLock(short type, LockByte which)
    {
        Posix.Flock request = new() { Type = type, Start = (long)which, Length = 1 };
        while (Posix.Fcntl(_file, Posix.F_OFD_SETLK, ref request) != 0)
            if (Errno.Last != Errno.EINTR) return Errno.Last;
        return 0;
    }

    /// <summary>Which file is open; null where the system will not say.</summary>
    public FileIdentity? Identity => OperatingSystem.IsLinux() ? FileIdentity.Of(_file) : null;

    // Not by what the files contain: a copy that was moved over this file may be the same byte for byte.
    public bool IsStillThere() => IsAt(Path);

    /// <summary>Whether that path leads to this file.</summary>
    public bool IsAt(string path) =>
        !OperatingSystem.IsLinux() || (FileIdentity.Of(_file) is { } here && FileIdentity.Of(path) is { } there && here.IsSameAs(there));

    public bool HasName => Identity is not { Names: 0 };

    // By the handle and not by the path, which may name another file by now. Only Linux has pins, and so only it comes here.
    public IStorage Reopen() => new FileStorage(Path, Again(), canWrite: false);

    // An open file description of its own.
    private SafeFileHandle Again()
    {
        // Beside Dispose on another thread, the number might otherwise be another file's by now.
        using Hold held = Hold.Of(_file);
        return File.OpenHandle($"/proc/self/fd/{_file.DangerousGetHandle()}", FileMode.Open, FileAccess.Read,
            FileShare.ReadWrite | FileShare.Delete);
    }

    public void Dispose()
    {
        // Closing alone does not free them: what is still mapped keeps the open file description alive.
        for (LockByte which = LockByte.EvenTransactions; _locked && !_file.IsClosed
            && which <= LockByte.Writer; which++) Unlock(which);
        _stores?.Dispose();
        _beside?.Dispose();
        _file.Dispose();
    }

    /// <summary>Puts the folder's entry for a new or renamed file on the disk.</summary>
    public static void SyncFolderOf(string path) => SyncFolder(System.IO.Path.GetDirectoryName(path)!);

    /// <summary>Puts the names in a folder on the disk. The system resolves the path: what follows a link is in the link's folder.
    /// </summary>
    public static void SyncFolder(string path)
    {
        if (!OperatingSystem.IsLinux()) return;
        using SafeFileHandle folder = OpenFolder(path);
        while (Posix.Fsync(folder) != 0)
            if (Errno.Last != Errno.EINTR) throw IoErrors.OfLastCall("fsync of the folder", path);
    }

    /// <summary>A folder, for a sync. A process that is started meanwhile does not have it.</summary>
    internal static SafeFileHandle OpenFolder(string path)
    {
        int folder;
        while ((folder = Posix.Open(path, Posix.O_CLOEXEC, 0)) < 0)
            if (Errno.Last != Errno.EINTR) throw IoErrors.OfLastCall("Opening the folder", path);
        return new(folder, ownsHandle: true);
    }

    private void SyncData(SafeFileHandle file)
    {
        while (Posix.Fdatasync(file) != 0)
            if (Errno.Last != Errno.EINTR) throw IoErrors.OfLastCall("fdatasync of", Path);
    }
}
