using MemPrims.Channels.Native;

namespace MemPrims.Channels.Shared;

/// <summary>
/// A memory file mapped into this process. Each end makes one and may write to it; the other end maps it for reading. The file is sealed
/// when it is complete: it keeps its length, so that nobody's read can run behind its end, and nobody else can get it writable.
/// </summary>
internal sealed unsafe class SharedMemory
{
    private const int AddSeals = 1033, GetSeals = 1034;
    private const int SealSeal = 1, SealShrink = 2, SealGrow = 4, SealFutureWrite = 16,
        AllSeals = SealSeal | SealShrink | SealGrow | SealFutureWrite;
    private const int ReadOnly = 1, ReadWrite = 3, MapShared = 1, PopulateForWriting = 23, FromEnd = 2;
    private const uint CloseOnExec = 1, AllowSealing = 2, NoExec = 8;

    // Whether the whole file has its memory already.
    private readonly bool _isAllocated;

    private SharedMemory(byte* start, nint length, bool isAllocated)
    {
        Start = start;
        Length = length;
        _isAllocated = isAllocated;
    }

    public byte* Start { get; }

    public nint Length { get; }

    public ShareHeader* Header => (ShareHeader*)Start;

    /// <summary>
    /// Makes, maps and seals the memory; null where the system refuses. The file's descriptor is the caller's. What lies behind the
    /// header gets its memory when it is first used, by <see cref="Populate(nint, nint)"/>. Where the kernel cannot do that (before Linux
    /// 5.14), all memory is taken here.
    /// </summary>
    public static SharedMemory? TryCreate(nint length, out int file)
    {
        file = Posix.CreateMemoryFile("memprims-channel", CloseOnExec | AllowSealing | NoExec);
        if (file < 0 && Errno.Last == Errno.Invalid) file = Posix.CreateMemoryFile("memprims-channel", CloseOnExec | AllowSealing);
        if (file < 0) return null;
        byte* start = (byte*)-1;
        if (Posix.SetFileLength(file, length) == 0 && Allocate(file, 0, ShareLayout.HeaderBytes)
            && (nint)(start = Posix.Map(null, length, ReadWrite, MapShared, file, 0)) != -1)
        {
            // Asked about the header, which has its memory.
            bool canPopulate = Populate(start, ShareLayout.HeaderBytes);
            // All seals at once: SEAL last would leave a gap, and WRITE is refused while the file is mapped.
            if ((canPopulate || Allocate(file, 0, length)) && Posix.Control(file, AddSeals, AllSeals) == 0)
                return new(start, length, isAllocated: !canPopulate);
        }
        if ((nint)start != -1) _ = Posix.Unmap(start, length);
        _ = Posix.Close(file);
        file = -1;
        return null;
    }

    private static bool Allocate(int file, nint offset, nint length)
    {
        // On older kernels a signal ends a call half-way, and the kernel then frees what the call had allocated. Small steps keep what is
        // done. Linux 6.18 ends it for fatal signals only, so there no test can see this.
        const nint step = 1 << 20;
        for (nint end = offset + length; offset < end;)
        {
            nint next = Math.Min(step, end - offset);
            if (Posix.Allocate(file, 0, offset, next) == 0) offset += next;
            else if (Errno.Last != Errno.Interrupted) return false;
        }
        return true;
    }

    /// <summary>Maps a peer's file for reading, after its seals and its length were checked.</summary>
    public static SharedMemory Open(int file, nint length)
    {
        int seals = Posix.Control(file, GetSeals, 0);
        if (seals < 0 || (seals & AllSeals) != AllSeals)
            throw new IpcProtocolException(IpcFault.BadSharedMemory,
                $"The peer's shared memory has the seals {seals:x} and needs {AllSeals:x}: it could shrink while it is read");
        nint actual = Posix.Seek(file, 0, FromEnd);
        if (actual != length) throw new IpcProtocolException(IpcFault.BadSharedMemory,
            $"The peer's shared memory has {actual} bytes and should have {length}");
        byte* start = Posix.Map(null, length, ReadOnly, MapShared, file, 0);
        return (nint)start != -1 ? new(start, length, isAllocated: true)
            : throw Errno.Failure($"The peer's {length} bytes of shared memory could not be mapped", Errno.Last);
    }

    /// <summary>Gives the pages their memory, so that writing to them cannot fail later; false where there is none left.</summary>
    public bool Populate(nint offset, nint length) => _isAllocated || Populate(Start + offset, length);

    private static bool Populate(byte* start, nint length)
    {
        while (Posix.Advise(start, length, PopulateForWriting) != 0)
            if (Errno.Last is not (Errno.Interrupted or Errno.TryAgain)) return false;
        return true;
    }

    public void Unmap() => _ = Posix.Unmap(Start, Length);
}
