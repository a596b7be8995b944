namespace MemPrims.Records.Tests.Faults;

// A file of which the disk cannot read a part: a read by call fails, and one through a map ends the process.
internal sealed unsafe partial class UnreadableStorage(string path, long from, long to)
    : PassingStorage(FileStorage.Open(path, FileMode.Open, FileAccess.Read)), IStorage
{
    private const int IoError = 5, NoAccess = 0, PageBytes = 4096;

    public IEnumerable<(long Start, long End)> DataParts() => Inner.DataParts();

    public override int Read(long offset, Span<byte> bytes) =>
        offset < to && offset + bytes.Length > from ? throw new IOException("simulated bad sector", IoError) : base.Read(offset, bytes);

    public override MappedRegion Map(long offset, long length)
    {
        MappedRegion map = base.Map(offset, length);
        long first = Math.Max(from, offset), end = Math.Min(to, offset + length);
        if (first < end && Protect(map.Start + (first - offset), (nint)((end - first + PageBytes - 1) & -PageBytes), NoAccess) != 0)
            throw new InvalidOperationException("mprotect failed");
        return map;
    }

    [LibraryImport("libc", EntryPoint = "mprotect")]
    private static partial int Protect(byte* start, nint length, int access);
}
