using System.IO.MemoryMappedFiles;

namespace MemPrims.Systems;

// The verbs of Records and of its log: what is not said here is said in IStorage. The path is for messages.
internal abstract partial class SystemFile
{
    // Whether a map may be longer than its file, and shows what the file grows by.
    public virtual bool MapsBeyondEnd => false;

    public virtual MappedRegion Map(SafeFileHandle file, string path, long offset, long length) =>
        MappedRegion.Of(file, offset, length, MemoryMappedFileAccess.Read);

    // Ends a map where that takes nothing from a reader: the addresses show zeros then. Elsewhere the garbage collector ends it.
    public virtual void EndMap(object owner) { }

    // A file that others may have open, too, and may write, rename and delete meanwhile.
    // Another process's writer is kept out by the writer lock alone: FileShare is advice on Unix, and would keep readers out on Windows.
    public virtual SafeFileHandle Open(string path, FileMode mode, FileAccess access) => File.OpenHandle(path, mode, access, Shared);

    public virtual SafeFileHandle CreatePrivate(string path) => File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite, Shared);

    // Ends what Open told others about sharing the file. It is about to be closed, and its maps keep it open.
    public virtual void EndSharing(SafeFileHandle file) { }

    // Locks a byte for an open file; false when another one holds it. Closing the file frees it, and so does the end of the process.
    public abstract bool TryLock(SafeFileHandle file, string path, LockByte which, bool exclusive);

    public abstract void Unlock(SafeFileHandle file, LockByte which);

    // The same file, opened anew for reading: with locks and errors of its own.
    // syncs: whether it is for syncs, which some systems let only those do that may write.
    // By the handle and not by the path, which may name another file by now.
    public virtual SafeFileHandle Reopen(SafeFileHandle file, string path, bool syncs) => throw new PlatformNotSupportedException();

    public virtual void BeginSync(SafeFileHandle file) { }

    public virtual void Sync(SafeFileHandle file, string path) => RandomAccess.FlushToDisk(file);

    public virtual bool SyncsParts(SafeFileHandle file) => false;

    // False when nothing was written.
    public virtual bool TryWriteSynced(SafeFileHandle file, string path, long offset, ReadOnlySpan<byte> bytes) => false;

    // Gives a new folder the rights of another one, as far as the system allows.
    public virtual void GiveRights(string folder, string to) { }

    // Puts the names in a folder on the disk. The system resolves the path: what follows a link is in the link's folder.
    public virtual void SyncFolder(string path) { }

    // Whether stores through a map are safe once each place has a block: see InPlaceStores.
    public virtual bool StoresInPlace(SafeFileHandle file, bool onDisks) => false;

    // Gives each place of a part of a file a block; false when the system refuses.
    public virtual bool TryAllocate(SafeFileHandle file, long start, long length) => false;

    public virtual void FillHoles(SafeFileHandle file, string path, long start, long end) { }

    public virtual IEnumerable<(long Start, long End)> DataParts(SafeFileHandle file, long length) => [(0, length)];

    protected const FileShare Shared = FileShare.ReadWrite | FileShare.Delete;
}
