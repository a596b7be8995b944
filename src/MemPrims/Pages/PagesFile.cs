namespace MemPrims.Pages;

// Which file a path leads to, its lock, and its name. Everything but an ordinary file is refused.
internal static class PagesFile
{
    private const int TooManyOpen = 24, TooManyOpenInAll = 23, ReadOnlyFileSystem = 30, WindowsWriteProtected = unchecked((int)0x80070013);

    // The ordinary file at the end of a path's links: a rename replaces a link itself.
    public static string Target(string path)
    {
        if (SystemFile.Here.Real(path) is { } real) return real;
        if (Path.EndsInDirectorySeparator(path)) throw new DirectoryNotFoundException($"There is no folder {path}.");
        string folder = Path.GetDirectoryName(path) is { Length: > 0 } parent ? parent : ".";
        if (!Directory.Exists(folder)) throw new DirectoryNotFoundException($"There is no folder {folder} for {path}: make it first.");
        FileInfo named = new(Path.Combine(SystemFile.Here.Real(folder) ?? Path.GetFullPath(folder), Path.GetFileName(path)));
        if (named.LinkTarget is null) return named.FullName;
        throw new IOException($"{path}: it is a link to {named.LinkTarget}, which leads to no file. Give the path of the file itself.");
    }

    // Makes a file for one user that later gets a name. The rights are those of the file that it takes the place of, from before its first
    // byte; null where it takes none.
    public static FileStream Make(string path, string name, FileRights? rights)
    {
        FileStreamOptions options = new()
        {
            Mode = FileMode.CreateNew, Access = FileAccess.ReadWrite, Share = SystemFile.Here.Alone, BufferSize = 0,
        };
        if (rights is not null) SystemFile.Here.KeepPrivate(options);
        FileStream made;
        try
        {
            made = new(path, options);
        }
        catch (IOException e) when (e.HResult is TooManyOpen or TooManyOpenInAll)
        {
            throw TooManyFiles(name, e);
        }
        catch (Exception e) when (e is UnauthorizedAccessException || e.GetType() == typeof(IOException))
        {
            // The runtime names the path, which is none that the caller gave.
            string told = $"{name}: no file can be made in its folder. Let this process write there, or give another path ({e.Message})";
            if (e is IOException) throw new IOException(told, e) { HResult = e.HResult };
            throw new UnauthorizedAccessException(told, e);
        }
        rights?.TryGive(made.SafeFileHandle, wholly: false);
        return made;
    }

    // Opens a file for one user.
    public static FileStream Lock(string path)
    {
        if (!SystemFile.Here.IsOrdinary(path)) throw NotOrdinary(path);
        const int linuxLocked = 11, macLocked = 35, windowsLocked = unchecked((int)0x80070020);
        try
        {
            while (true)
            {
                FileStream file = new(SystemFile.Here.Real(path) ?? path, FileMode.Open, FileAccess.ReadWrite, SystemFile.Here.Alone, 0);
                FileIdentity? opened = SystemFile.Here.IdentityOf(file.SafeFileHandle);
                bool isOrdinary = opened is not { IsOrdinaryFile: false };
                if (isOrdinary && (opened is null || SystemFile.Here.IsAt(path, file.SafeFileHandle))) return file;
                file.Dispose();
                // Another may have got the name since it was looked at.
                if (!isOrdinary) throw NotOrdinary(path);
                // So here, between the opening and the lock.
            }
        }
        catch (IOException e) when (e.HResult is TooManyOpen or TooManyOpenInAll)
        {
            throw TooManyFiles(path, e);
        }
        catch (IOException e) when (e.HResult is linuxLocked or macLocked or windowsLocked)
        {
            // The runtime says that another process has it.
            throw new IOException($"{path}: the file is in use, in this process or another. A file of pages has one user: dispose the "
                + "MappedPages that has it open.", e.HResult);
        }
        catch (Exception e)
            when (e is UnauthorizedAccessException or IOException { HResult: ReadOnlyFileSystem or WindowsWriteProtected })
        {
            string told = $"{path}: it can't be opened for writing, as a file of pages has to be. Change the rights to it, or copy it "
                + $"where this process may write ({e.Message})";
            if (e is IOException) throw new IOException(told, e) { HResult = e.HResult };
            throw new UnauthorizedAccessException(told, e);
        }
    }

    private static IOException TooManyFiles(string path, IOException e)
    {
        string told = $"{path}: it can't be opened, since this process or the system has as many files open as it may (ulimit -n). " +
            "Close some, or raise the limit.";
        return new(told, e) { HResult = e.HResult };
    }

    private static IOException NotOrdinary(string path) =>
        new($"{path}: a folder, a pipe, a socket or a device is there. Pages are kept in an ordinary file.");

    // Throws where the process may make no file so long: the system would end it by a signal (SIGXFSZ).
    public static void RequireMayHave(string path, long length)
    {
        if (SystemFile.Here.MostBytes is var most && length > most)
            throw new IOException($"{path}: it may not grow to {length} bytes, since {most} are the limit of this process (ulimit -f).");
    }
}
