using MemPrims.Records.Log;
using MemPrims.Records.Storage;

namespace MemPrims.Records.Tests.Log;

/// <summary>A folder of the system that tells when somebody asks how long a file is: a seam between two steps of a reader.</summary>
internal sealed class SteppedFolder(string path) : ILogFolder
{
    private readonly LogFolder _inner = new(path);

    /// <summary>Called before the length is told, with the position that the file begins with.</summary>
    public Action<long>? Looks { get; set; }

    public string Path => _inner.Path;

    public bool TryLock() => _inner.TryLock();

    public bool IsStillLocked() => _inner.IsStillLocked();

    public long[] List() => _inner.List();

    public bool Has(long first) => _inner.Has(first);

    public IStorage Open(long first, bool writes) => new SteppedFile(this, first, _inner.Open(first, writes));

    public IStorage CreateBeside() => _inner.CreateBeside();

    public void Publish(long first) => _inner.Publish(first);

    public void Delete(long first) => _inner.Delete(first);

    public void Sync() => _inner.Sync();

    public void Dispose() => _inner.Dispose();

    private sealed class SteppedFile(SteppedFolder folder, long first, IStorage inner) : IStorage
    {
        public string Path => inner.Path;

        public bool CanWrite => inner.CanWrite;

        public long Length
        {
            get
            {
                folder.Looks?.Invoke(first);
                return inner.Length;
            }
        }

        public int Read(long offset, Span<byte> bytes) => inner.Read(offset, bytes);

        public void Write(long offset, ReadOnlySpan<byte> bytes) => inner.Write(offset, bytes);

        public void Extend(long length) => inner.Extend(length);

        public void BeginSync() => inner.BeginSync();

        public void Sync() => inner.Sync();

        public MappedRegion Map(long offset, long length) => inner.Map(offset, length);

        public bool TryLock(LockByte which, bool exclusive) => inner.TryLock(which, exclusive);

        public void Unlock(LockByte which) => inner.Unlock(which);

        public bool IsStillThere() => inner.IsStillThere();

        public IStorage Reopen() => inner.Reopen();

        public void Dispose() => inner.Dispose();
    }
}
