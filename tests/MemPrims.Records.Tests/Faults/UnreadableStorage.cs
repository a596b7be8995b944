namespace MemPrims.Records.Tests.Faults;

// A file of which the disk cannot read a part: a read by call fails, and one through a map ends the process.
internal sealed unsafe partial class UnreadableStorage(string path, long from, long to) : IStorage
{
    private const int IoError = 5, NoAccess = 0, PageBytes = 4096;

    private readonly FileStorage _inner = FileStorage.Open(path, FileMode.Open, FileAccess.Read);

    public string Path => _inner.Path;

    public bool CanWrite => false;

    public long Length => _inner.Length;

    public IEnumerable<(long Start, long End)> DataParts() => _inner.DataParts();

    public int Read(long offset, Span<byte> bytes) =>
        offset < to && offset + bytes.Length > from ? throw new IOException("simulated bad sector", IoError) : _inner.Read(offset, bytes);

    public MappedRegion Map(long offset, long length)
    {
        MappedRegion map = _inner.Map(offset, length);
        long first = Math.Max(from, offset), end = Math.Min(to, offset + length);
        if (first < end && Protect(map.Start + (first - offset), (nint)((end - first + PageBytes - 1) & -PageBytes), NoAccess) != 0)
            throw new InvalidOperationException("mprotect failed");
        return map;
    }

    public void Write(long offset, ReadOnlySpan<byte> bytes) => throw new NotSupportedException();

    public void Extend(long length) => throw new NotSupportedException();

    public void BeginSync() => throw new NotSupportedException();

    public void Sync() => throw new NotSupportedException();

    public bool TryLock(LockByte which, bool exclusive) => _inner.TryLock(which, exclusive);

    public void Unlock(LockByte which) => _inner.Unlock(which);

    public bool IsStillThere() => true;

    public IStorage Reopen() => _inner.Reopen();

    public void Dispose() => _inner.Dispose();

    [LibraryImport("libc", EntryPoint = "mprotect")]
    private static partial int Protect(byte* start, nint length, int access);
}
