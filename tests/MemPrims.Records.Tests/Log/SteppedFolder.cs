using MemPrims.Systems;

namespace MemPrims.Records.Tests.Log;

// A folder of the system that tells when somebody asks how long a file is: a seam between two steps of a reader.
internal sealed partial class SteppedFolder(string path) : ILogFolder
{
    private readonly LogFolder _inner = new(path);

    // Called before the length is told, with the position that the file begins with.
    public Action<long>? Looks { get; set; }

    // The parts of files that the disk cannot read: a read by call fails, and one through a map ends the process.
    public List<(long From, long To)> Unreadable { get; } = [];

    public string Path => _inner.Path;

    public bool TryLock() => _inner.TryLock();

    public bool IsStillLocked() => _inner.IsStillLocked();

    public long[] List() => _inner.List();

    public bool Has(long first) => _inner.Has(first);

    public IStorage Open(long first, bool writes) => new SteppedFile(this, first, _inner.Open(first, writes));

    public IStorage CreateBeside(FileRights? rights) => _inner.CreateBeside(rights);

    public void Publish(long first) => _inner.Publish(first);

    public void Delete(long first) => _inner.Delete(first);

    public void Sync() => _inner.Sync();

    public void Dispose() => _inner.Dispose();

    [LibraryImport("libc", EntryPoint = "mprotect")]
    private static unsafe partial int Protect(byte* start, nint length, int access);

    private sealed class SteppedFile(SteppedFolder folder, long first, IStorage inner) : PassingStorage(inner)
    {
        public override long Length
        {
            get
            {
                folder.Looks?.Invoke(first);
                return base.Length;
            }
        }

        private IEnumerable<(long From, long To)> Unreadable =>
            folder.Unreadable.Where(part => part.From >= first && !folder.List().Any(next => next > first && next <= part.From));

        // As Linux does: what lies before the page that cannot be read is read.
        public override int Read(long offset, Span<byte> bytes)
        {
            long from = first + offset, bad = Unreadable.Where(part => part.To > from).Select(part => Math.Max(part.From, from))
                .DefaultIfEmpty(long.MaxValue).Min();
            return bad > from ? base.Read(offset, bytes[..(int)Math.Min(bytes.Length, bad - from)])
                : throw new IOException("simulated bad sector", 5);
        }

        public override unsafe MappedRegion Map(long offset, long length)
        {
            MappedRegion map = base.Map(offset, length);
            long start = first + offset;
            foreach ((long from, long to) in Unreadable.Where(part => part.From >= start && part.To <= start + length))
                Assert.Equal(0, Protect(map.Start + (from - start), (nint)(to - from), 0));
            return map;
        }
    }
}
