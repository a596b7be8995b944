using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;
using MemPrims.Records.Waiting;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Records.Storage;

/// <summary>
/// A file of the operating system. Syncs by <c>fdatasync</c> on Linux, which leaves out the times of the file but not its length.
/// </summary>
internal sealed partial class FileStorage : IStorage
{
    private const int ZerosAtOnce = 1 << 20;
    private const int Data = 3, Hole = 4;      // SEEK_DATA, SEEK_HOLE

    private readonly SafeFileHandle _file;
    private readonly InPlaceStores? _stores;
    private bool _locked;
    private readonly OwnThread _syncs = new("MemPrims.Records: syncs beside commits");
    // The length to which the process is known to be allowed to write.
    private long _writable;
    private bool? _syncsParts;

    private FileStorage(string path, SafeFileHandle file, bool canWrite, InPlaceStores? stores = null)
    {
        Path = path;
        _file = file;
        CanWrite = canWrite;
        _stores = stores;
    }

    public static FileStorage Open(string path, FileMode mode, FileAccess access, MappedFileOptions? options = null)
    {
        string full = System.IO.Path.GetFullPath(path);
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

    public string Path { get; }

    public bool CanWrite { get; }

    public long Length => RandomAccess.GetLength(_file);

    public bool WritesPieces => _stores is { IsUsed: true };

    public void Expect(long offset, int length) => _stores?.Prefetch(offset, length);

    public int Read(long offset, Span<byte> bytes) => RandomAccess.Read(_file, bytes, offset);

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
            const int tooLong = 27, forbidden = 13;
            throw new IOException($"Writing {bytes.Length} bytes at {offset} of {Path} failed: {e.Message}",
                e) { HResult = e is ArgumentOutOfRangeException ? tooLong : forbidden };
        }
    }

    // Beyond the limit of the process (RLIMIT_FSIZE) the system would not only refuse to write, but end the process by a signal.
    private void RequireWritable(long length)
    {
        if (length <= _writable || !OperatingSystem.IsLinux()) return;
        const int fileSize = 1, tooLong = 27;
        Limit limit = default;
        _writable = GetLimit(fileSize, ref limit) == 0 ? (long)Math.Min(limit.Soft, long.MaxValue) : long.MaxValue;
        if (length > _writable)
            throw new IOException($"{Path} may not get longer than {_writable} bytes, the limit of this process (ulimit -f).", tooLong);
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
        const int notSupported = 95, noSuchCall = 38;
        end = Math.Min(end, Length);
        while (OperatingSystem.IsLinux() && start < end && Seek(_file, start, Hole) is >= 0 and var hole && hole < end)
        {
            start = Seek(_file, hole, Data) is >= 0 and var data ? Math.Min(data, end) : end;
            // A file system without the call is none that takes blocks to read.
            if (Allocate(_file, 0, hole, start - hole) != 0 && Marshal.GetLastPInvokeError() is not (notSupported or noSuchCall))
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
        for (long start = 0, end; start < length && (start = Seek(_file, start, Data)) >= 0; start = end)
        {
            end = Seek(_file, start, Hole);
            if (end <= start) end = length;
            yield return (start, end);
        }
    }

    public void BeginSync()
    {
        const uint writeWithoutWaiting = 2;
        if (OperatingSystem.IsLinux()) _ = BeginSync(_file, 0, 0, writeWithoutWaiting);
    }

    public bool SyncsParts => _syncsParts ??= OperatingSystem.IsLinux() && PartSync.IsWorthwhile(_file);

    public void WriteSynced(long offset, ReadOnlySpan<byte> bytes)
    {
        RequireWritable(offset + bytes.Length);
        if (_syncsParts == true && PartSync.TryWrite(_file, Path, offset, bytes)) return;
        _syncsParts = false;
        Write(offset, bytes);
        Sync();
    }

    public void Sync()
    {
        if (OperatingSystem.IsLinux()) SyncData();
        else RandomAccess.FlushToDisk(_file);
    }

    public RunningSync BeginSyncBeside()
    {
        TaskCompletionSource ended = new();
        _syncs.Post(() =>
        {
            try
            {
                Sync();
                ended.SetResult();
            }
            catch (Exception e)
            {
                ended.SetException(e);
            }
        });
        return new(() => ended.Task.IsCompleted, () => OrderedLock.Uninterrupted(ended.Task, static task =>
        {
            Task.WaitAny(task);
            task.GetAwaiter().GetResult();
        }));
    }

    public MappedRegion Map(long offset, long length)
    {
        if (OperatingSystem.IsLinux()) return FileMap.Map(_file, Path, offset, length);
        return MappedRegion.Of(_file, offset, length, MemoryMappedFileAccess.Read);
    }

    public bool TryLock(LockByte which, bool exclusive) => OpenFileLock.TryLock(_file, Path, which, exclusive) && (_locked = true);

    public void Unlock(LockByte which) => OpenFileLock.Unlock(_file, which);

    /// <summary>Which file is open; null where the system will not say.</summary>
    public FileIdentity? Identity => OperatingSystem.IsLinux() ? FileIdentity.Of(_file) : null;

    // Not by what the files contain: a copy that was moved over this file may be the same byte for byte.
    public bool IsStillThere() =>
        !OperatingSystem.IsLinux() || (FileIdentity.Of(_file) is { } here && FileIdentity.Of(Path) is { } there && here.IsSameAs(there));

    public bool HasName => Identity is not { HasName: false };

    // By the handle and not by the path, which may name another file by now. Only Linux has pins, and so only it comes here.
    public IStorage Reopen()
    {
        bool held = false;
        try
        {
            // Held meanwhile: beside Dispose on another thread, the number might otherwise be another file's by now.
            _file.DangerousAddRef(ref held);
            return new FileStorage(Path, File.OpenHandle($"/proc/self/fd/{_file.DangerousGetHandle()}", FileMode.Open, FileAccess.Read,
                FileShare.ReadWrite | FileShare.Delete), canWrite: false);
        }
        finally
        {
            if (held) _file.DangerousRelease();
        }
    }

    public void Dispose()
    {
        // Closing alone does not free them: what is still mapped keeps the open file description alive.
        for (LockByte which = LockByte.EvenTransactions; _locked && !_file.IsClosed
            && which <= LockByte.Writer; which++) OpenFileLock.Unlock(_file, which);
        _stores?.Dispose();
        _file.Dispose();
    }

    /// <summary>Puts the folder's entry for a new or renamed file on the disk.</summary>
    public static void SyncFolderOf(string path)
    {
        if (!OperatingSystem.IsLinux()) return;
        int folder = OpenFolder(System.IO.Path.GetDirectoryName(System.IO.Path.GetFullPath(path))!, 0);
        if (folder < 0) throw IoErrors.OfLastCall("Opening the folder of", path);
        try
        {
            if (SyncFolder(folder) != 0) throw IoErrors.OfLastCall("fsync of the folder of", path);
        }
        finally
        {
            _ = CloseFolder(folder);
        }
    }

    private void SyncData()
    {
        const int interrupted = 4;
        while (SyncData(_file) != 0)
            if (Marshal.GetLastPInvokeError() != interrupted) throw IoErrors.OfLastCall("fdatasync of", Path);
    }

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    private static partial int SyncData(SafeFileHandle file);

    // struct rlimit of 64-bit Linux.
    private struct Limit
    {
        public ulong Soft, Hard;
    }

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int GetLimit(int resource, ref Limit limit);

    [LibraryImport("libc", EntryPoint = "fallocate", SetLastError = true)]
    private static partial int Allocate(SafeFileHandle file, int mode, long offset, long length);

    [LibraryImport("libc", EntryPoint = "lseek")]
    private static partial long Seek(SafeFileHandle file, long offset, int whence);

    [LibraryImport("libc", EntryPoint = "sync_file_range")]
    private static partial int BeginSync(SafeFileHandle file, long offset, long length, uint flags);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenFolder(string path, int flags);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    private static partial int SyncFolder(int folder);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int CloseFolder(int folder);
}
