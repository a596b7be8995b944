namespace MemPrims.Records.Tests.Faults;

// A storage that hands all calls on. Those below it do something else with some of them.
internal abstract class PassingStorage(IStorage inner) : IStorage
{
    protected IStorage Inner => inner;

    public string Path => inner.Path;

    public bool CanWrite => inner.CanWrite;

    public virtual long Length => inner.Length;

    public virtual int Read(long offset, Span<byte> bytes) => inner.Read(offset, bytes);

    public virtual void Write(long offset, ReadOnlySpan<byte> bytes) => inner.Write(offset, bytes);

    public void Extend(long length) => inner.Extend(length);

    public void BeginSync() => inner.BeginSync();

    public void Sync() => inner.Sync();

    public virtual MappedRegion Map(long offset, long length) => inner.Map(offset, length);

    public bool TryLock(LockByte which, bool exclusive) => inner.TryLock(which, exclusive);

    public void Unlock(LockByte which) => inner.Unlock(which);

    public bool IsStillThere() => inner.IsStillThere();

    public IStorage Reopen() => inner.Reopen();

    public void Dispose() => inner.Dispose();
}
