namespace MemPrims.Systems;

// What the running system says of a file and does with it, beyond what the runtime offers: the seam between Records and Pages, which name
// no system, and a class for each. Here are the verbs of both, in Records the others. By default it is what the runtime can do.
internal abstract partial class SystemFile
{
    // The running system's. Chosen once.
    public static readonly SystemFile Here =
        OperatingSystem.IsLinux() ? new LinuxFile() : OperatingSystem.IsMacOS() ? new MacFile()
        : OperatingSystem.IsWindows() ? new WindowsFile() : new UnixFile();

    // How a file is shared that has one user, who may rename it while it is open.
    public virtual FileShare Alone => FileShare.Delete;

    // The length beyond which the system ends a process that writes to a file.
    public virtual long MostBytes => long.MaxValue;

    // Where a path leads, as the system follows it; null where the system does not say, or nothing is there.
    // The runtime takes ".." out of a path by its text; the system goes up from where a link has led.
    public virtual string? Real(string path) => null;

    // Which file is open; null when the system will not say.
    public virtual FileIdentity? IdentityOf(SafeFileHandle file) => null;

    // Which file a path leads to; null when it leads to none, or the system will not say.
    public virtual FileIdentity? IdentityOf(string path) => null;

    // Whether a path leads to anything, through links.
    // To the runtime, a link to nothing is there.
    public virtual bool IsThere(string path) => File.Exists(path);

    // Whether a path leads to that open file. True where nobody knows.
    public virtual bool IsAt(string path, SafeFileHandle file) =>
        IdentityOf(file) is not { } here || (IdentityOf(path) is { } there && here.IsSameAs(there));

    // Whether what a path leads to is no folder, pipe, socket or device. It is not opened: that may wait, or do something. True where
    // there is nothing, and where nobody knows.
    public virtual bool IsOrdinary(string path) => !Directory.Exists(path);

    // Whose an open file is, and who may do what with it; null where nobody knows.
    public virtual FileRights? RightsOf(SafeFileHandle file) => null;

    // A file that is made with them is at first this user's alone, where the system makes files of other users', too.
    public virtual void KeepPrivate(FileStreamOptions options) { }

    // Renames a file to a name that is free; false when something has it.
    // The runtime looks whether the name is free, then renames: what comes between would be replaced. A link fails then.
    public bool TryRename(string path, string name)
    {
        if (TryLink(path, name))
        {
            File.Delete(path);
            return true;
        }
        if (Path.Exists(name)) return false;
        try
        {
            // A system or a file system without links.
            File.Move(path, name);
            return true;
        }
        catch (IOException) when (Path.Exists(name))
        {
            return false;
        }
    }

    // Gives a file the name of another one, which may be open here and in other processes.
    public virtual void Replace(string path, string name) => File.Move(path, name, overwrite: true);

    // Takes the name of a file away, which may be open and mapped. It is no error where there is none.
    public virtual void Delete(string path) => File.Delete(path);

    // Deletes what a failure leaves behind. A file that cannot be deleted stays: the failure before it is what there is to tell.
    public void CleanUp(string path)
    {
        try
        {
            Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
        }
    }

    // Takes the name of an open file away, where the system lets it live on: it is gone then even if the process is killed.
    public virtual void Unname(string path) { }

    // A number of this start of the machine; 0 where nobody knows it.
    public virtual ulong Boot => 0;

    // Which file is open and since when it is a file; null where nobody knows.
    public virtual (ulong Device, ulong Number, ulong Seconds, uint Nanoseconds)? BirthOf(SafeFileHandle file) => null;

    // Whether the system has kept all that was stored in a file. It drops pages that it could not write, and says so once, to who opens
    // next.
    public virtual bool HasKeptAll(SafeFileHandle file) => false;

    public virtual unsafe void AdviseHugePages(byte* start, nuint length) { }

    protected virtual bool TryLink(string path, string name) => false;
}
