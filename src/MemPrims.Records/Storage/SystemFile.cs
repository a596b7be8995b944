using System.IO.MemoryMappedFiles;
using MemPrims.Records.Storage;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Systems;

// The verbs of Records and of its log. The path is for messages.
internal abstract partial class SystemFile
{
    /// <summary>Whether a map may be longer than its file, and shows what the file grows by.</summary>
    public virtual bool MapsBeyondEnd => false;

    /// <summary>A read-only view, coherent with later writes.</summary>
    public virtual MappedRegion Map(SafeFileHandle file, string path, long offset, long length) =>
        MappedRegion.Of(file, offset, length, MemoryMappedFileAccess.Read);

    /// <summary>
    /// Ends a map, where that takes nothing from under a reader: the addresses show zeros from then on. Elsewhere the garbage collector
    /// ends it.
    /// </summary>
    public virtual void EndMap(object owner)
    {
    }

    /// <summary>A file that others may have open, too, and may write, rename and delete meanwhile.</summary>
    // Another process's writer is kept out by the writer lock alone: FileShare is advice on Unix, and would keep readers out on Windows.
    public virtual SafeFileHandle Open(string path, FileMode mode, FileAccess access) => File.OpenHandle(path, mode, access, Shared);

    /// <summary>A new file for this user alone.</summary>
    public virtual SafeFileHandle CreatePrivate(string path) => File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite, Shared);

    /// <summary>
    /// Locks a byte for an open file; false when another one holds it. Closing the file frees it, and so does the end of the process.
    /// </summary>
    public abstract bool TryLock(SafeFileHandle file, string path, LockByte which, bool exclusive);

    public abstract void Unlock(SafeFileHandle file, LockByte which);

    /// <summary>The same file, opened anew for reading: with locks and errors of its own.</summary>
    /// <param name="file">The file.</param>
    /// <param name="path">Where it was opened.</param>
    /// <param name="syncs">Whether it is for syncs, which some systems let only those do that may write.</param>
    // By the handle and not by the path, which may name another file by now.
    public virtual SafeFileHandle Reopen(SafeFileHandle file, string path, bool syncs) => throw new PlatformNotSupportedException();

    /// <summary>Lets the disk begin with what was written so far. This promises nothing.</summary>
    public virtual void BeginSync(SafeFileHandle file)
    {
    }

    public virtual void Sync(SafeFileHandle file, string path) => RandomAccess.FlushToDisk(file);

    /// <summary>Whether <see cref="TryWriteSynced"/> is faster than a write and a <see cref="Sync"/>.</summary>
    public virtual bool SyncsParts(SafeFileHandle file) => false;

    /// <summary>Writes, and returns when these bytes are on the disk; false when nothing was written.</summary>
    public virtual bool TryWriteSynced(SafeFileHandle file, string path, long offset, ReadOnlySpan<byte> bytes) => false;

    /// <summary>Puts the names in a folder on the disk. The system resolves the path: what follows a link is in the link's folder.
    /// </summary>
    public virtual void SyncFolder(string path)
    {
    }

    /// <summary>Whether stores through a map are safe once each place has a block: see <see cref="InPlaceStores"/>.</summary>
    public virtual bool StoresInPlace(SafeFileHandle file, bool onDisks) => false;

    /// <summary>Gives each place of a part of a file a block; false when the system refuses.</summary>
    public virtual bool TryAllocate(SafeFileHandle file, long start, long length) => false;

    /// <summary>The same for holes only, and where a file system has no such call nothing is done.</summary>
    public virtual void FillHoles(SafeFileHandle file, string path, long start, long end)
    {
    }

    /// <summary>The parts of a file that are no holes, in their order.</summary>
    public virtual IEnumerable<(long Start, long End)> DataParts(SafeFileHandle file, long length) => [(0, length)];

    /// <summary>Whose a file is; null where the system does not say.</summary>
    public virtual FileRights? RightsOf(SafeFileHandle file) => null;

    protected const FileShare Shared = FileShare.ReadWrite | FileShare.Delete;
}
