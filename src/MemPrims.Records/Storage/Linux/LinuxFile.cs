namespace MemPrims.Systems;

// Syncs by `fdatasync`, which leaves out the times of the file but not its length.
internal sealed unsafe partial class LinuxFile
{
    public override bool MapsBeyondEnd => true;

    // The runtime's open of a pipe waits until somebody writes to it, and the path may lead to one by now, whatever it led to when it was
    // looked at. This waits for nothing, and FileStorage looks at what it got. To write, the runtime opens: that waits for no pipe.
    public override SafeFileHandle Open(string path, FileMode mode, FileAccess access)
    {
        if (access != FileAccess.Read) return base.Open(path, mode, access);
        int opened;
        while ((opened = Posix.Open(path, Posix.O_CLOEXEC | Posix.O_NONBLOCK, 0)) < 0)
        {
            // Who has a lease of the file is told by the first attempt, and gives it back.
            if (Errno.Last == Errno.EAGAIN) Thread.Sleep(1);
            else if (Errno.Last != Errno.EINTR) throw NotOpened(path);
        }
        SafeFileHandle file = new(opened, ownsHandle: true);
        // As the runtime does, for those that ask to be alone with a file (FileShare.None). A file system without such locks has none.
        if (Posix.LockWhole(file, Posix.LOCK_SH | Posix.LOCK_NB) == 0 || Errno.Last != Errno.EAGAIN) return file;
        file.Dispose();
        throw new IOException($"{path} is in use by somebody who shares it with nobody.", Errno.EAGAIN);
    }

    public override void EndSharing(SafeFileHandle file)
    {
        using Hold held = Hold.TryOf(file);
        if (held.IsThere) _ = Posix.LockWhole(file, Posix.LOCK_UN);
    }

    // What the runtime would throw.
    private static Exception NotOpened(string path) => Errno.Last switch
    {
        Errno.ENOENT when Directory.Exists(Path.GetDirectoryName(path)) => new FileNotFoundException($"There is no file {path}.", path),
        Errno.ENOENT or Errno.ENOTDIR => new DirectoryNotFoundException($"There is no folder that {path} is in."),
        Errno.EACCES => new UnauthorizedAccessException($"{path} may not be opened."),
        Errno.ENAMETOOLONG => new PathTooLongException($"{path} is too long a path."),
        _ => IoErrors.OfLastCall("Opening", path),
    };

    public override MappedRegion Map(SafeFileHandle file, string path, long offset, long length) =>
        FileMap.Map(file, path, offset, length);

    public override void EndMap(object owner) => (owner as FileMap)?.End();

    protected override bool SetLock(SafeFileHandle file, LockKind kind, LockByte which)
    {
        short type = kind switch { LockKind.Shared => Posix.F_RDLCK, LockKind.Exclusive => Posix.F_WRLCK, _ => Posix.F_UNLCK };
        Posix.Flock request = new() { Type = type, Start = (long)which, Length = 1 };
        return Posix.Fcntl(file, Posix.F_OFD_SETLK, ref request) == 0;
    }

    public override SafeFileHandle Reopen(SafeFileHandle file, string path, bool syncs)
    {
        // Beside Dispose on another thread, the number might otherwise be another file's by now.
        using Hold held = Hold.Of(file);
        try
        {
            return File.OpenHandle($"/proc/self/fd/{file.DangerousGetHandle()}", FileMode.Open, FileAccess.Read, Shared);
        }
        catch (IOException e) when (IoErrors.Of(e, path, "open the file once more") is { } told)
        {
            throw told;
        }
    }

    public override void BeginSync(SafeFileHandle file) => _ = SyncFileRange(file, 0, 0, SYNC_FILE_RANGE_WRITE);

    public override void Sync(SafeFileHandle file, string path)
    {
        while (Posix.Fdatasync(file) != 0)
            if (Errno.Last != Errno.EINTR) throw IoErrors.OfLastCall("fdatasync of", path);
    }

    // Only where it was looked up that the flag of such a write does no more and no less. On tmpfs no sync costs anything.
    public override bool SyncsParts(SafeFileHandle file) => TypeOf(file) is Posix.EXT4_SUPER_MAGIC or Posix.XFS_SUPER_MAGIC;

    // pwritev2 with RWF_DSYNC: a write and an fdatasync of its range, where fdatasync itself always means the whole file.
    public override bool TryWriteSynced(SafeFileHandle file, string path, long offset, ReadOnlySpan<byte> bytes)
    {
        fixed (byte* start = bytes)
        {
            for (nint done = 0; done < bytes.Length;)
            {
                Posix.Iovec piece = new() { Start = start + done, Length = bytes.Length - done };
                nint written = Posix.Pwritev2(file, &piece, 1, offset + done, Posix.RWF_DSYNC);
                if (written > 0)
                {
                    done += written;
                    continue;
                }
                int error = written == 0 ? 0 : Errno.Last;
                if (error == Errno.EINTR) continue;
                if (done == 0 && error is Errno.EINVAL or Errno.ENOSYS or Errno.EOPNOTSUPP) return false;
                throw IoErrors.OfLastCall($"A synced write of {bytes.Length} bytes at {offset} of", path);
            }
        }
        return true;
    }

    public override void SyncFolder(string path)
    {
        using SafeFileHandle folder = OpenFolder(path);
        while (Posix.Fsync(folder) != 0)
            if (Errno.Last != Errno.EINTR) throw IoErrors.OfLastCall("fsync of the folder", path);
    }

    public override void GiveRights(string folder, string to)
    {
        using SafeFileHandle from = OpenFolder(folder), made = OpenFolder(to);
        FileRights.Of(from)?.TryGive(made, wholly: false);
    }

    // A folder, for a sync. A process that is started meanwhile does not have it. Where a pipe has come there, this does not wait for it.
    public static SafeFileHandle OpenFolder(string path)
    {
        int folder;
        while ((folder = Posix.Open(path, Posix.O_CLOEXEC | Posix.O_NONBLOCK, 0)) < 0)
            if (Errno.Last != Errno.EINTR) throw IoErrors.OfLastCall("Opening the folder", path);
        return new(folder, ownsHandle: true);
    }

    public override bool StoresInPlace(SafeFileHandle file, bool onDisks) => Environment.Is64BitProcess
        && TypeOf(file) is var type && (type == Posix.TMPFS_MAGIC || (onDisks && type == Posix.EXT4_SUPER_MAGIC));

    // An old ext2 driver has no such call, and is refused by that.
    public override bool TryAllocate(SafeFileHandle file, long start, long length) => Posix.Fallocate(file, 0, start, length) == 0;

    public override void FillHoles(SafeFileHandle file, string path, long start, long end)
    {
        while (start < end && Posix.Lseek(file, start, Posix.SEEK_HOLE) is >= 0 and var hole && hole < end)
        {
            start = Posix.Lseek(file, hole, Posix.SEEK_DATA) is >= 0 and var data ? Math.Min(data, end) : end;
            // A file system without the call is none that takes blocks to read.
            if (!TryAllocate(file, hole, start - hole) && Errno.Last is not (Errno.EOPNOTSUPP or Errno.ENOSYS))
                throw IoErrors.OfLastCall("Giving blocks to the holes of", path);
        }
    }

    public override IEnumerable<(long Start, long End)> DataParts(SafeFileHandle file, long length) =>
        DataParts(file, length, Posix.SEEK_DATA, Posix.SEEK_HOLE);

    // The number by which Linux knows a file's file system; 0 when it does not say.
    private static nint TypeOf(SafeFileHandle file) => Posix.Fstatfs(file, out Posix.Statfs found) == 0 ? found.Type : 0;
}
