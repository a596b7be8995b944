namespace MemPrims.Records.Storage;

// A file of the operating system, which SystemFile asks for whatever the runtime has not.
internal sealed class FileStorage : IStorage
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
        (Path, _file, CanWrite, _stores) = (path, file, canWrite, stores);
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
        if (mode != FileMode.CreateNew && !SystemFile.Here.IsOrdinary(full))
            throw NotOrdinary(full);
        return Open(full, mode, access, options, anyKind: mode == FileMode.CreateNew);
    }

    // What was opened is looked at. Another may have got the name since the path was.
    public static FileStorage Open(string full, FileMode mode, FileAccess access, MappedFileOptions? options, bool anyKind)
    {
        try
        {
            SafeFileHandle file = SystemFile.Here.Open(full, mode, access);
            if (!anyKind && SystemFile.Here.IdentityOf(file) is { IsOrdinaryFile: false })
            {
                file.Dispose();
                throw NotOrdinary(full);
            }
            bool stores = access.HasFlag(FileAccess.Write) && options is { Durability: Durability.ProcessCrash };
            return new(full, file, access.HasFlag(FileAccess.Write), stores ? new(file, options!.StoreThroughMap) : null);
        }
        catch (Exception e) when (e is UnauthorizedAccessException or IOException && IoErrors.Of(e, full, "open the file") is { } told)
        {
            throw told;
        }
    }

    private static MappedFileException NotOrdinary(string full) =>
        new(MappedFileReason.NotThisFormat, full, "The path names a folder, a pipe or a device. Give that of a file");

    // A file that is open, for reading. It is closed with this.
    public static FileStorage Over(string path, SafeFileHandle file) => new(path, file, canWrite: false);

    // Makes a file that nobody but this user may open, until TryTake says who else.
    public static FileStorage CreatePrivate(string path) => new(path, SystemFile.Here.CreatePrivate(path), canWrite: true);

    // Gives this file the rights of another one; see FileRights.TryGive.
    public bool TryTake(FileRights rights, bool wholly) => rights.TryGive(_file, wholly);

    public FileRights? Rights => SystemFile.Here.RightsOf(_file);

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
            // Two errors of the system that the runtime tells as something else: the file may not grow (EFBIG), writing is forbidden.
            int error = e is ArgumentOutOfRangeException ? Errno.EFBIG : Errno.EACCES;
            throw new IOException($"Writing {bytes.Length} bytes at {offset} of {Path} failed: {e.Message}", e) { HResult = error };
        }
    }

    // Beyond the limit of the process (RLIMIT_FSIZE) the system would not only refuse to write, but end the process by a signal.
    private void RequireWritable(long length)
    {
        if (length <= _writable) return;
        _writable = SystemFile.Here.MostBytes;
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

    public void FillHoles(long start, long end) => SystemFile.Here.FillHoles(_file, Path, start, Math.Min(end, Length));

    public IEnumerable<(long Start, long End)> DataParts() => SystemFile.Here.DataParts(_file, Length);

    public void BeginSync() => SystemFile.Here.BeginSync(_file);

    public bool SyncsParts => _syncsParts ??= SystemFile.Here.SyncsParts(_file);

    public void WriteSynced(long offset, ReadOnlySpan<byte> bytes)
    {
        RequireWritable(offset + bytes.Length);
        if (_syncsParts == true && SystemFile.Here.TryWriteSynced(_file, Path, offset, bytes)) return;
        _syncsParts = false;
        Write(offset, bytes);
        Sync();
    }

    public void Sync() => SystemFile.Here.Sync(_file, Path);

    // On an open file description of its own. The kernel tells a failed writeback once on each: on a shared one this sync could take the
    // error of bytes that WriteSynced waits for, which would then return as if they were on the disk.
    public RunningSync BeginSyncBeside()
    {
        Task sync;
        try
        {
            SafeFileHandle beside = _beside ??= SystemFile.Here.Reopen(_file, Path, syncs: true);
            sync = Task.Factory.StartNew(() => SystemFile.Here.Sync(beside, Path), CancellationToken.None, TaskCreationOptions.LongRunning,
                TaskScheduler.Default);
        }
        catch (Exception e) when (e is TaskSchedulerException or IOException or UnauthorizedAccessException)
        {
            // The system has no thread or no descriptor to give: the commit takes longer, and must not fail for that.
            Sync();
            return new(static () => true, static () => { });
        }
        return new(() => sync.IsCompleted, () => Uninterrupted.Run(sync, static task =>
        {
            Task.WaitAny(task);
            task.GetAwaiter().GetResult();
        }));
    }

    public MappedRegion Map(long offset, long length) => SystemFile.Here.Map(_file, Path, offset, length);

    public bool TryLock(LockByte which, bool exclusive)
    {
        bool locked = SystemFile.Here.TryLock(_file, Path, which, exclusive);
        _locked |= locked;
        return locked;
    }

    public void Unlock(LockByte which) => SystemFile.Here.Unlock(_file, which);

    // Which file is open; null where the system will not say.
    public FileIdentity? Identity => SystemFile.Here.IdentityOf(_file);

    // Not by what the files contain: a copy that was moved over this file may be the same byte for byte.
    public bool IsStillThere() => IsAt(Path);

    public bool IsAt(string path) => SystemFile.Here.IsAt(path, _file);

    public bool HasName => Identity is not { Names: 0 };

    public IStorage Reopen() => new FileStorage(Path, SystemFile.Here.Reopen(_file, Path, syncs: false), canWrite: false);

    public void Dispose()
    {
        // Closing alone does not free them: what is still mapped keeps the open file description alive.
        for (LockByte which = LockByte.EvenTransactions; _locked && !_file.IsClosed
            && which <= LockByte.Writer; which++) Unlock(which);
        SystemFile.Here.EndSharing(_file);
        _stores?.Dispose();
        _beside?.Dispose();
        _file.Dispose();
    }

    // Puts the folder's entry for a new or renamed file on the disk.
    public static void SyncFolderOf(string path) => SystemFile.Here.SyncFolder(System.IO.Path.GetDirectoryName(path)!);
}
