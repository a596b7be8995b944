using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Records.Storage;

/// <summary>
/// A read-only map of a part of a file, on Linux. The garbage collector ends it when nothing refers to it any more. Then zeros are mapped
/// in its place, at the same addresses: a span does not keep its map alive, and one that a caller kept for too long reads zeros, where it
/// would otherwise read what is mapped there next, or end the process. Addresses cost nothing; the oldest are given back when there are
/// very many.
/// </summary>
internal sealed unsafe partial class FileMap : SafeHandleZeroOrMinusOneIsInvalid
{
    private const int Read = 1, Shared = 1, PrivateAtThisPlaceWithoutReserve = 0x02 | 0x10 | 0x20 | 0x4000;
    private const long MostKeptBytes = 1L << 36;
    private const int MostKept = 1024;

    // The ended maps themselves: a queue of pairs of numbers would be compiled at its first call.
    private static readonly Queue<FileMap> s_kept = new();
    private static long s_keptBytes;

    private readonly nint _length;

    private FileMap(nint start, nint length) : base(ownsHandle: true)
    {
        _length = length;
        SetHandle(start);
    }

    /// <summary>Maps a part of a file that has it; the offset is a multiple of the system's page size.</summary>
    public static MappedRegion Map(SafeFileHandle file, string path, long offset, long length)
    {
        nint start = Map(0, (nint)length, Read, Shared, file, offset);
        if (start == -1) throw IoErrors.OfLastCall($"Mapping {length} bytes at {offset} of", path);
        FileMap map = new(start, (nint)length);
        return new((byte*)start, length, map);
    }

    protected override bool ReleaseHandle()
    {
        if (MapNothing(handle, _length, Read, PrivateAtThisPlaceWithoutReserve, -1, 0) == -1) return Unmap(handle, _length) == 0;
        lock (s_kept)
        {
            s_kept.Enqueue(this);
            s_keptBytes += _length;
            while (s_keptBytes > MostKeptBytes || s_kept.Count > MostKept)
            {
                FileMap oldest = s_kept.Dequeue();
                s_keptBytes -= oldest._length;
                _ = Unmap(oldest.handle, oldest._length);
            }
        }
        return true;
    }

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint Map(nint address, nint length, int protection, int flags, SafeFileHandle file, long offset);

    [LibraryImport("libc", EntryPoint = "mmap")]
    private static partial nint MapNothing(nint address, nint length, int protection, int flags, int file, long offset);

    [LibraryImport("libc", EntryPoint = "munmap")]
    private static partial int Unmap(nint address, nint length);
}
