namespace MemPrims.Pages;

/// <summary>Which file a path leads to, its lock, and its name. Everything but an ordinary file is refused.</summary>
internal static partial class PagesFile
{
    /// <summary>The ordinary file at the end of a path's links: a rename replaces a link itself.</summary>
    public static string Target(string path)
    {
        if (Real(path) is { } real) return real;
        string folder = Path.GetDirectoryName(path) is { Length: > 0 } parent ? parent : ".";
        FileInfo named = new(Path.Combine(Real(folder) ?? Path.GetFullPath(folder), Path.GetFileName(path)));
        if (named.LinkTarget is null) return named.FullName;
        FileSystemInfo target;
        try
        {
            target = named.ResolveLinkTarget(returnFinalTarget: true)!;
        }
        catch (IOException e)
        {
            throw new IOException($"{path}: it is a link that leads to no file: {e.Message}", e);
        }
        return target.Exists ? target.FullName
            : throw new IOException($"{path}: it is a link to {target.FullName}, where nothing is. Give the path of the file itself.");
    }

    /// <summary>Opens or makes a file for one user.</summary>
    // On Windows the open file has to be renamed; elsewhere None is the lock. To open a pipe or a device may wait or do something.
    public static FileStream Lock(string path, FileMode mode)
    {
        if (mode == FileMode.Open && !FileLife.IsOrdinary(path))
            throw new IOException($"{path}: a folder, a pipe, a socket or a device is there. Pages are kept in an ordinary file.");
        const int linuxLocked = 11, macLocked = 35, windowsLocked = unchecked((int)0x80070020);
        FileShare share = OperatingSystem.IsWindows() ? FileShare.Delete : FileShare.None;
        try
        {
            while (true)
            {
                FileStream file = new(Real(path) ?? path, mode, FileAccess.ReadWrite, share, 0);
                if (mode != FileMode.Open || FileLife.IsAt(path, file.SafeFileHandle)) return file;
                // Between the opening and the lock another file has got its name.
                file.Dispose();
            }
        }
        catch (IOException e) when (e.HResult is linuxLocked or macLocked or windowsLocked)
        {
            // The runtime says that another process has it.
            throw new IOException($"{path}: the file is in use, in this process or another. A file of pages has one user: dispose the "
                + "MappedPages that has it open.", e.HResult);
        }
    }

    /// <summary>Renames a file to a name that is free; false when something has it.</summary>
    public static bool TryRename(string path, string name)
    {
        // The runtime looks whether the name is free, then renames: what comes between would be replaced. The system's link fails then.
        if (!OperatingSystem.IsWindows())
        {
            if (Link(path, name) == 0)
            {
                File.Delete(path);
                return true;
            }
            if (Path.Exists(name)) return false;
            // A file system without links.
        }
        try
        {
            File.Move(path, name);
            return true;
        }
        catch (IOException) when (Path.Exists(name))
        {
            return false;
        }
    }

    /// <summary>Throws where the process may make no file so long: the system would end it by a signal (SIGXFSZ).</summary>
    public static void RequireMayHave(string path, long length)
    {
        const int fileSize = 1;
        Limit limit = default;
        if (OperatingSystem.IsWindows() || GetLimit(fileSize, ref limit) != 0 || (ulong)length <= limit.Soft) return;
        throw new IOException($"{path}: it may not grow to {length} bytes, since {limit.Soft} are the limit of this process (ulimit -f).");
    }

    // struct rlimit of 64-bit systems.
    private struct Limit
    {
        public ulong Soft, Hard;
    }

    // Where a path leads, as the system follows it: the runtime takes ".." away by its text, even after a link. Null where nothing is.
    private static unsafe string? Real(string path)
    {
        if (OperatingSystem.IsWindows()) return null;
        nint real = RealPath(path, 0);
        try
        {
            return Marshal.PtrToStringUTF8(real);
        }
        finally
        {
            NativeMemory.Free((void*)real);
        }
    }

    // Without a room given, the result lies in memory of malloc.
    [LibraryImport("libc", EntryPoint = "realpath", StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint RealPath(string path, nint room);

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int GetLimit(int resource, ref Limit limit);

    [LibraryImport("libc", EntryPoint = "link", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Link(string path, string name);
}
