namespace MemPrims.Records.Storage;

// All that the commit protocol needs of a file, and the seam at which tests record every operation and crash at it. Writes go through
// Write and become visible in their order, never through the read-only maps: a full disk is an exception and not a signal.
internal interface IStorage : IDisposable
{
    string Path { get; }

    bool CanWrite { get; }

    long Length { get; }

    // Whose it is, for a copy of it. Null where the system has no such thing.
    FileRights? Rights => null;

    // Reads by a call of the system: the unreadable is an exception, where a map would end the process. Fewer bytes at the file's end
    // only.
    int Read(long offset, Span<byte> bytes);

    void Write(long offset, ReadOnlySpan<byte> bytes);

    // Whether a short write is much cheaper than one of a page. Then only the changed pieces of a page are written.
    bool WritesPieces => false;

    // Tells of a write that will come. Nothing need be done about it.
    void Expect(long offset, int length) { }

    // Makes the file at least this long by writing zeros at its end: the blocks exist before anything is mapped.
    void Extend(long length);

    // Gives each place of a part of the file a block: to read a hole through a map takes one on tmpfs, and a signal where none is left.
    void FillHoles(long start, long end) { }

    // The parts of the file that are no holes, in their order. What lies between them is zeros.
    IEnumerable<(long Start, long End)> DataParts() => [(0, Length)];

    // Lets the disk begin with what was written so far. This promises nothing. An error is not lost: the sync reports it.
    void BeginSync();

    // Returns when all that was written is on the disk. A failed sync must never be tried again: the kernel may have dropped the pages.
    void Sync();

    // Begins a Sync, one at a time, and the file is written on beside it. What was written before is on the disk when it has ended well.
    RunningSync BeginSyncBeside()
    {
        Sync();
        return new(static () => true, static () => { });
    }

    // Whether WriteSynced is faster than a write and a Sync.
    bool SyncsParts => false;

    // Writes, and returns when these bytes are on the disk. Earlier writes need not be. A failure is a failed sync.
    void WriteSynced(long offset, ReadOnlySpan<byte> bytes)
    {
        Write(offset, bytes);
        Sync();
    }

    // A read-only view, coherent with later writes.
    MappedRegion Map(long offset, long length);

    // Locks on behalf of this open file description; false when another one holds it.
    bool TryLock(LockByte which, bool exclusive);

    void Unlock(LockByte which);

    // Whether the path still names this file. Asked under the writer's lock, when nobody writes.
    bool IsStillThere();

    // Whether any path leads to this file: nobody would ever find what is written where none does.
    bool HasName => true;

    // The same file through an open file description of its own.
    IStorage Reopen();
}
