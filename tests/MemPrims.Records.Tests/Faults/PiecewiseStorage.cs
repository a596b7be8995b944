namespace MemPrims.Records.Tests.Faults;

// A CrashStorage on which pieces are cheap: what a file in a writable map is to the writer.
internal sealed class PiecewiseStorage(CrashDisk disk, Func<Operation, Fate>? fate = null) : IStorage
{
    private readonly CrashStorage _inner = new(disk, fate);

    public int Operations => _inner.Operations;

    public bool WritesPieces => true;

    public string Path => _inner.Path;

    public bool CanWrite => true;

    public long Length => _inner.Length;

    public int Read(long offset, Span<byte> bytes) => _inner.Read(offset, bytes);

    // Called when a write is announced, and before one is done.
    public Action? Expects { get; set; }

    public Action? Writes { get; set; }

    public void Expect(long offset, int length) => Expects?.Invoke();

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        Writes?.Invoke();
        _inner.Write(offset, bytes);
    }

    public void Extend(long length) => _inner.Extend(length);

    public void BeginSync() => _inner.BeginSync();

    public void Sync() => _inner.Sync();

    public MappedRegion Map(long offset, long length) => _inner.Map(offset, length);

    public bool TryLock(LockByte which, bool exclusive) => true;

    public void Unlock(LockByte which) { }

    public bool IsStillThere() => true;

    public IStorage Reopen() => _inner.Reopen();

    public void Dispose() { }
}
