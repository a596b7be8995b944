using Microsoft.Win32.SafeHandles;

namespace MemPrims.Systems;

/// <summary>
/// What the running system says of a file and does with it, beyond what the runtime offers: the seam between Records and Pages, which
/// name no system, and one class for each system. Here are the verbs of both packages, in Records the others. What a system does not
/// override is what the runtime alone can do.
/// </summary>
internal abstract partial class SystemFile
{
    /// <summary>The running system's. Chosen once.</summary>
    public static readonly SystemFile Here =
        OperatingSystem.IsLinux() ? new LinuxFile() : OperatingSystem.IsMacOS() ? new MacFile()
        : OperatingSystem.IsWindows() ? new WindowsFile() : new UnixFile();

    /// <summary>How a file is shared that has one user, who may rename it while it is open.</summary>
    public virtual FileShare Alone => FileShare.Delete;

    /// <summary>The length beyond which the system ends a process that writes to a file.</summary>
    public virtual long MostBytes => long.MaxValue;

    /// <summary>Where a path leads, as the system follows it; null where the system does not say, or nothing is there.</summary>
    // The runtime takes ".." out of a path by its text; the system goes up from where a link has led.
    public virtual string? Real(string path) => null;

    /// <summary>Which file is open; null when the system will not say.</summary>
    public virtual FileIdentity? IdentityOf(SafeFileHandle file) => null;

    /// <summary>Which file a path leads to; null when it leads to none, or the system will not say.</summary>
    public virtual FileIdentity? IdentityOf(string path) => null;

    /// <summary>Whether a path leads to anything, through links.</summary>
    // To the runtime, a link to nothing is there.
    public virtual bool IsThere(string path) => File.Exists(path);

    /// <summary>Whether a path leads to that open file. True where nobody knows.</summary>
    public virtual bool IsAt(string path, SafeFileHandle file) => true;

    /// <summary>
    /// Whether what a path leads to is no folder, pipe, socket or device. It is not opened: that may wait, or do something. True where
    /// there is nothing, and where nobody knows.
    /// </summary>
    public virtual bool IsOrdinary(string path) => !Directory.Exists(path);

    /// <summary>Renames a file to a name that is free; false when something has it.</summary>
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

    /// <summary>Gives a file the name of another one, which may be open here and in other processes.</summary>
    public virtual void Replace(string path, string name) => File.Move(path, name, overwrite: true);

    /// <summary>Takes the name of a file away, which may be open and mapped. It is no error where there is none.</summary>
    public virtual void Delete(string path) => File.Delete(path);

    /// <summary>Takes the name of an open file away, where the system lets it live on: it is gone then even if the process is killed.
    /// </summary>
    public virtual void Unname(string path)
    {
    }

    /// <summary>A number of this start of the machine; 0 where nobody knows it.</summary>
    public virtual ulong Boot => 0;

    /// <summary>Which file is open and since when it is a file; null where nobody knows.</summary>
    public virtual (ulong Device, ulong Number, ulong Seconds, uint Nanoseconds)? BirthOf(SafeFileHandle file) => null;

    /// <summary>
    /// Whether the system has kept all that was stored in a file. It drops pages that it could not write; then it says so once, to whoever
    /// opens the file after that.
    /// </summary>
    public virtual bool HasKeptAll(SafeFileHandle file) => false;

    /// <summary>Says that memory is best had in large pages.</summary>
    public virtual unsafe void AdviseHugePages(byte* start, nuint length)
    {
    }

    protected virtual bool TryLink(string path, string name) => false;
}
