namespace MemPrims.Records.Storage;

// A read-only map of a part of a file, on Linux. End maps zeros in its place, at the same addresses: a span does not keep its map alive,
// and one that a caller kept for too long reads zeros, where it would otherwise read what is mapped there next, or end the process. What
// refers to the map may read it even then. The garbage collector ends it, too, and gives the addresses back when very many others have
// ended since: addresses cost nothing.
internal sealed unsafe class FileMap : SafeHandleZeroOrMinusOneIsInvalid
{
    // How many maps a span that is kept for too long outlives: a quarter of those that Linux gives a process.
    internal const int MostKept = 16_384;

    private const long MostKeptBytes = 1L << 44;

    // The largest page that Linux has: a map begins at a multiple of the system's own. What lies before the part costs addresses only, and
    // so a file is mapped in the same way on all machines.
    private const int MostPageBytes = 1 << 16;

    // The ended maps themselves: a queue of pairs of numbers would be compiled at its first call.
    private static readonly Queue<FileMap> s_kept = new();
    private static readonly Lock s_keeping = new();
    private static long s_keptBytes;

    private readonly nint _length;
    private int _hasEnded;

    private FileMap(nint start, nint length) : base(ownsHandle: true)
    {
        _length = length;
        SetHandle(start);
    }

    // Maps a part of a file that has it.
    public static MappedRegion Map(SafeFileHandle file, string path, long offset, long length)
    {
        long before = offset % MostPageBytes, from = offset - before, mapped = before + length;
        nint start = Map(file, from, mapped);
        if (start == -1 && Errno.Last == Errno.ENOMEM) start = MapWithCollected(file, from, mapped);
        if (start == -1) throw IoErrors.OfLastCall($"Mapping {length} bytes at {offset} of", path);
        return new((byte*)start + before, length, new FileMap(start, (nint)mapped));
    }

    // Lets go of the file. Whoever refers to the map still reads zeros.
    public void End()
    {
        if (Interlocked.Exchange(ref _hasEnded, 1) == 0)
            _ = Posix.Mmap((byte*)handle, _length, Posix.PROT_READ,
                Posix.MAP_PRIVATE | Posix.MAP_FIXED | Posix.MAP_ANONYMOUS | Posix.MAP_NORESERVE, -1, 0);
        GC.KeepAlive(this);
    }

    protected override bool ReleaseHandle()
    {
        End();
        using (s_keeping.EnterUninterrupted())
        {
            s_kept.Enqueue(this);
            s_keptBytes += _length;
        }
        GiveBack(MostKept, MostKeptBytes);
        return true;
    }

    private static void GiveBack(int most, long mostBytes)
    {
        using (s_keeping.EnterUninterrupted())
        {
            while (s_keptBytes > mostBytes || s_kept.Count > most)
            {
                FileMap oldest = s_kept.Dequeue();
                s_keptBytes -= oldest._length;
                _ = Posix.Munmap((byte*)oldest.handle, oldest._length);
            }
        }
    }

    // Those that have ended wait for a collection, and after it for others. It does not wait for finalizers as such: one of the program's
    // may want a lock that the caller holds.
    private static nint MapWithCollected(SafeFileHandle file, long offset, long length)
    {
        const int tries = 50;
        nint start = -1;
        GC.Collect();
        for (int attempt = 0; start == -1 && attempt < tries; attempt++)
        {
            if (attempt > 0) Thread.Sleep(1);
            GiveBack(0, 0);
            start = Map(file, offset, length);
        }
        return start;
    }

    private static nint Map(SafeFileHandle file, long offset, long length) =>
        (nint)Posix.Mmap(null, (nint)length, Posix.PROT_READ, Posix.MAP_SHARED, file, offset);
}
