namespace MemPrims.Records.Storage;

/// <summary>
/// All that the commit protocol needs of a file, and the seam at which tests record every operation and crash at it. Writes go through
/// <see cref="Write"/> and become visible in their order, never through the read-only maps: a full disk is an exception and not a signal.
/// </summary>
internal interface IStorage : IDisposable
{
    /// <summary>For messages.</summary>
    string Path { get; }

    bool CanWrite { get; }

    long Length { get; }

    /// <summary>Whose it is, for a copy of it. Null where the system has no such thing.</summary>
    FileRights? Rights => null;

    /// <summary>
    /// Reads by a call of the system: what the disk cannot read is an exception, where a map would end the process. Returns fewer bytes at
    /// the file's end only.
    /// </summary>
    int Read(long offset, Span<byte> bytes);

    void Write(long offset, ReadOnlySpan<byte> bytes);

    /// <summary>Whether a short write is much cheaper than one of a page. Then only the changed pieces of a page are written.</summary>
    bool WritesPieces => false;

    /// <summary>Tells of a write that will come. Nothing need be done about it.</summary>
    void Expect(long offset, int length)
    {
    }

    /// <summary>Makes the file at least this long by writing zeros at its end: the blocks exist before anything is mapped.</summary>
    void Extend(long length);

    /// <summary>
    /// Gives each place of a part of the file a block. Reading a hole through a map takes one on tmpfs, and where there is none left, ends
    /// the process by a signal.
    /// </summary>
    void FillHoles(long start, long end)
    {
    }

    /// <summary>The parts of the file that are no holes, in their order. What lies between them is zeros.</summary>
    IEnumerable<(long Start, long End)> DataParts() => [(0, Length)];

    /// <summary>
    /// Lets the disk begin with what was written so far. This promises nothing. An error is not lost: the sync reports it.
    /// </summary>
    void BeginSync();

    /// <summary>
    /// Returns when all that was written is on the disk. A failed sync must never be tried again: the kernel may have dropped the pages.
    /// </summary>
    void Sync();

    /// <summary>
    /// Begins a <see cref="Sync"/>, beside which the file is written on. What was written before the call is on the disk when it has ended
    /// well. One at a time.
    /// </summary>
    RunningSync BeginSyncBeside()
    {
        Sync();
        return new(static () => true, static () => { });
    }

    /// <summary>Whether <see cref="WriteSynced"/> is faster than a write and a <see cref="Sync"/>.</summary>
    bool SyncsParts => false;

    /// <summary>
    /// Writes, and returns when these bytes are on the disk. Earlier writes need not be. A failure is a failed sync.
    /// </summary>
    void WriteSynced(long offset, ReadOnlySpan<byte> bytes)
    {
        Write(offset, bytes);
        Sync();
    }

    /// <summary>A read-only view, coherent with later writes.</summary>
    MappedRegion Map(long offset, long length);

    /// <summary>Locks on behalf of this open file description; false when another one holds it.</summary>
    bool TryLock(LockByte which, bool exclusive);

    void Unlock(LockByte which);

    /// <summary>Whether the path still names this file. Asked under the writer's lock, when nobody writes.</summary>
    bool IsStillThere();

    /// <summary>Whether any path leads to this file: nobody would ever find what is written where none does.</summary>
    bool HasName => true;

    /// <summary>The same file through an open file description of its own.</summary>
    IStorage Reopen();
}
