namespace MemPrims.Pages;

// Which file a path leads to, its lock, and its name. Everything but an ordinary file is refused.
internal static class PagesFile
{
    // The ordinary file at the end of a path's links: a rename replaces a link itself.
    public static string Target(string path)
    {
        if (SystemFile.Here.Real(path) is { } real) return real;
        string folder = Path.GetDirectoryName(path) is { Length: > 0 } parent ? parent : ".";
        FileInfo named = new(Path.Combine(SystemFile.Here.Real(folder) ?? Path.GetFullPath(folder), Path.GetFileName(path)));
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

    // Opens or makes a file for one user.
    public static FileStream Lock(string path, FileMode mode)
    {
        if (mode == FileMode.Open && !SystemFile.Here.IsOrdinary(path))
            throw new IOException($"{path}: a folder, a pipe, a socket or a device is there. Pages are kept in an ordinary file.");
        const int linuxLocked = 11, macLocked = 35, windowsLocked = unchecked((int)0x80070020);
        try
        {
            while (true)
            {
                FileStream file = new(SystemFile.Here.Real(path) ?? path, mode, FileAccess.ReadWrite, SystemFile.Here.Alone, 0);
                if (mode != FileMode.Open || SystemFile.Here.IdentityOf(file.SafeFileHandle) is null
                    || SystemFile.Here.IsAt(path, file.SafeFileHandle)) return file;
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

    // Throws where the process may make no file so long: the system would end it by a signal (SIGXFSZ).
    public static void RequireMayHave(string path, long length)
    {
        if (SystemFile.Here.MostBytes is var most && length > most)
            throw new IOException($"{path}: it may not grow to {length} bytes, since {most} are the limit of this process (ulimit -f).");
    }
}
