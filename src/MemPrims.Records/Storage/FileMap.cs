using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Records.Storage;

/// <summary>
/// A read-only map of a part of a file, on Linux. <see cref="End"/> maps zeros in its place, at the same addresses: a span does not keep
/// its map alive, and one that a caller kept for too long reads zeros, where it would otherwise read what is mapped there next, or end the
/// process. What refers to the map may read it even then. The garbage collector ends it, too, and gives the addresses back when very many
/// others have ended since: addresses cost nothing.
/// </summary>
internal sealed unsafe partial class FileMap : SafeHandleZeroOrMinusOneIsInvalid
{
    private const int Read = 1, Shared = 1, PrivateAtThisPlaceWithoutReserve = 0x02 | 0x10 | 0x20 | 0x4000;

    /// <summary>How many maps a span that is kept for too long outlives: a quarter of those that Linux gives a process.</summary>
    internal const int MostKept = 16_384;

    private const long MostKeptBytes = 1L << 44;
    private const int OutOfAddresses = 12;     // ENOMEM

    // The ended maps themselves: a queue of pairs of numbers would be compiled at its first call.
    private static readonly Queue<FileMap> s_kept = new();
    private static long s_keptBytes;

    private readonly nint _length;
    private int _hasEnded;

    private FileMap(nint start, nint length) : base(ownsHandle: true)
    {
        _length = length;
        SetHandle(start);
    }

    /// <summary>Maps a part of a file that has it; the offset is a multiple of the system's page size.</summary>
    public static MappedRegion Map(SafeFileHandle file, string path, long offset, long length)
    {
        nint start = Map(0, (nint)length, Read, Shared, file, offset);
        if (start == -1 && Marshal.GetLastPInvokeError() == OutOfAddresses) start = MapWithCollected(file, offset, length);
        if (start == -1) throw IoErrors.OfLastCall($"Mapping {length} bytes at {offset} of", path);
        FileMap map = new(start, (nint)length);
        return new((byte*)start, length, map);
    }

    /// <summary>Lets go of the file. Whoever refers to the map still reads zeros.</summary>
    public void End()
    {
        if (Interlocked.Exchange(ref _hasEnded, 1) == 0)
            _ = MapNothing(handle, _length, Read, PrivateAtThisPlaceWithoutReserve, -1, 0);
        GC.KeepAlive(this);
    }

    protected override bool ReleaseHandle()
    {
        End();
        lock (s_kept)
        {
            s_kept.Enqueue(this);
            s_keptBytes += _length;
        }
        GiveBack(MostKept, MostKeptBytes);
        return true;
    }

    private static void GiveBack(int most, long mostBytes)
    {
        lock (s_kept)
        {
            while (s_keptBytes > mostBytes || s_kept.Count > most)
            {
                FileMap oldest = s_kept.Dequeue();
                s_keptBytes -= oldest._length;
                _ = Unmap(oldest.handle, oldest._length);
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
            start = Map(0, (nint)length, Read, Shared, file, offset);
        }
        return start;
    }

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint Map(nint address, nint length, int protection, int flags, SafeFileHandle file, long offset);

    [LibraryImport("libc", EntryPoint = "mmap")]
    private static partial nint MapNothing(nint address, nint length, int protection, int flags, int file, long offset);

    [LibraryImport("libc", EntryPoint = "munmap")]
    private static partial int Unmap(nint address, nint length);
}
