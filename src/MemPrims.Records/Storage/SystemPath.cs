namespace MemPrims.Records.Storage;

// Paths as the system follows them. The runtime takes `..` out of a path by its text; the system goes up from where a link has led.
internal static class SystemPath
{
    // The absolute path. One that the runtime and the system take for two places is refused: the rest of a program, which asks the
    // runtime, would mean another file by it.
    public static string Full(string path)
    {
        string full = Path.GetFullPath(path);
        if (path.Contains("..", StringComparison.Ordinal)
            && Path.GetDirectoryName(path) is { } folder
            && !IsSame(SystemFile.Here.IdentityOf(folder), SystemFile.Here.IdentityOf(Path.GetDirectoryName(full) ?? full)))
            throw new MappedFileException(MappedFileReason.NotThisFormat, path, "A \"..\" in the path follows a link, or a folder that is "
                + $"not there: to the system the path does not lead to {full}, which .NET takes it for. Give a path without \"..\"");
        return full;
    }

    private static bool IsSame(FileIdentity? one, FileIdentity? other) =>
        one is { } a && other is { } b ? a.IsSameAs(b) : one is null && other is null;

    // The file's own place: each link is followed from where it stands. Of a link to no file, it is where that file would be. A row of
    // links that has no end is left to the system to refuse.
    public static string EndOfLinks(string full)
    {
        const int mostLinks = 40;
        full = InRealFolder(full);
        for (int link = 0; link < mostLinks && new FileInfo(full).LinkTarget is { } target; link++)
            full = InRealFolder(Path.Combine(Path.GetDirectoryName(full)!, target));
        return full;
    }

    // The runtime must see no ".." that it would take away with the name of a link.
    private static string InRealFolder(string path) => Path.GetFileName(path) is "" or "." or ".." ? Real(path)
        : Path.Combine(Real(Path.GetDirectoryName(path)!), Path.GetFileName(path));

    private static string Real(string folder)
    {
        if (SystemFile.Here.Real(folder) is { } real) return real;
        throw Errno.Last is Errno.ENOENT or Errno.ENOTDIR ? new DirectoryNotFoundException($"There is no folder {folder}: make it first.")
            : IoErrors.OfLastCall("Following the links in", folder);
    }
}
