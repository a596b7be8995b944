using MemPrims.Records.Storage;

namespace MemPrims.Benchmarks.Records;

/// <summary>
/// A file that counts the bytes written into it, by a call to the system or by a store through a map, of which the system counts nothing.
/// </summary>
internal sealed class CountingStorage(IStorage file) : IStorage
{
    /// <summary>The bytes written so far.</summary>
    public long Written { get; private set; }

    public string Path => file.Path;

    public bool CanWrite => file.CanWrite;

    public long Length => file.Length;

    public bool WritesPieces => file.WritesPieces;

    public int Read(long offset, Span<byte> bytes) => file.Read(offset, bytes);

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        Written += bytes.Length;
        file.Write(offset, bytes);
    }

    public void Expect(long offset, int length) => file.Expect(offset, length);

    public void Extend(long length) => file.Extend(length);

    public void BeginSync() => file.BeginSync();

    public void Sync() => file.Sync();

    public RunningSync BeginSyncBeside() => file.BeginSyncBeside();

    public bool SyncsParts => file.SyncsParts;

    public void WriteSynced(long offset, ReadOnlySpan<byte> bytes)
    {
        Written += bytes.Length;
        file.WriteSynced(offset, bytes);
    }

    public MappedRegion Map(long offset, long length) => file.Map(offset, length);

    public bool TryLock(LockByte which, bool exclusive) => file.TryLock(which, exclusive);

    public void Unlock(LockByte which) => file.Unlock(which);

    public bool IsStillThere() => file.IsStillThere();

    public IStorage Reopen() => file.Reopen();

    public void Dispose() => file.Dispose();
}
