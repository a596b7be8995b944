namespace MemPrims.Channels.Ring;

// A memory file mapped into this process. Each end makes one and may write to it; the other end maps it for reading. The file is sealed
// when it is complete: it keeps its length, so that nobody's read can run after its end, and nobody else can get it writable.
// isAllocated: whether the whole file has its memory already.
internal sealed unsafe class RingMemory(byte* start, RingLayout layout, bool isAllocated)
{
    public byte* Start => start;

    public RingLayout Layout => layout;

    public RingHeader* Header => (RingHeader*)Start;

    // Makes, maps and seals the memory; null where the system refuses, with the error. The descriptor is the caller's. Header and small
    // ring get their memory here, the large ring by TryPopulateLarge; before Linux 5.14, which cannot do that, all of it here.
    public static RingMemory? TryCreate(in RingLayout layout, out int file, out int error)
    {
        file = MemoryFile.TryCreate("memprims-channel");
        error = Errno.Last;
        if (file < 0) return null;
        byte* start = (byte*)-1;
        if (Posix.Ftruncate(file, layout.Length) == 0 && MemoryFile.TryAllocate(file, 0, sizeof(RingHeader))
            && MemoryFile.TryAllocate(file, RingLayout.SmallAt, layout.SmallBytes)
            && (nint)(start = Posix.Mmap(null, layout.Length, Posix.PROT_READ | Posix.PROT_WRITE, Posix.MAP_SHARED, file, 0)) != -1)
        {
            // What is asked about has its memory already.
            bool canPopulate = Populate(start, sizeof(RingHeader)) && Populate(start + RingLayout.SmallAt, layout.SmallBytes);
            // All seals at once: SEAL last would leave a gap, and WRITE is refused while the file is mapped.
            if ((canPopulate || MemoryFile.TryAllocate(file, layout.LargeAt, layout.LargeBytes))
                && Posix.Fcntl(file, Posix.F_ADD_SEALS, MemoryFile.ReadOnlyForOthers) == 0)
                return new(start, layout, isAllocated: !canPopulate);
        }
        error = Errno.Last;
        if ((nint)start != -1) _ = Posix.Munmap(start, layout.Length);
        _ = Posix.Close(file);
        file = -1;
        return null;
    }

    // Maps a peer's file for reading, after its seals and its length were checked.
    public static RingMemory Open(int file, in RingLayout layout, string peer)
    {
        int seals = MemoryFile.Seals(file);
        if ((seals & MemoryFile.ReadOnlyForOthers) != MemoryFile.ReadOnlyForOthers)
            throw new IpcProtocolException(IpcFault.BadSharedMemory, $"{peer} offered shared memory with the seals {seals:x} that needs " +
                $"{MemoryFile.ReadOnlyForOthers:x}: it could shrink while it is read");
        nint actual = Posix.Lseek(file, 0, Posix.SEEK_END);
        if (actual != layout.Length) throw new IpcProtocolException(IpcFault.BadSharedMemory,
            $"{peer} offered shared memory that has {actual} bytes and should have {layout.Length}");
        // The seals keep what is there. The large ring is bounded by its length alone: it gets its memory when it is begun.
        long space = FileIdentity.SpaceOf(file), least = sizeof(RingHeader) + layout.SmallBytes;
        if (space < least) throw new IpcProtocolException(IpcFault.BadSharedMemory,
            $"{peer} offered shared memory with holes: {space} bytes of it are there, and its header and small ring take {least}");
        byte* start = Posix.Mmap(null, layout.Length, Posix.PROT_READ, Posix.MAP_SHARED, file, 0);
        if ((nint)start != -1) return new(start, layout, isAllocated: true);
        if (Errno.Last == Errno.EACCES)
            throw new IpcProtocolException(IpcFault.BadSharedMemory, $"{peer} offered shared memory that may not be read");
        throw Errno.Failure($"The {layout.Length} bytes of shared memory that {peer} offered could not be mapped", Errno.Last);
    }

    // Gives the large ring its memory, so that writing to it cannot fail later; false where there is none left.
    public bool TryPopulateLarge() => isAllocated || Populate(Start + Layout.LargeAt, Layout.LargeBytes);

    private static bool Populate(byte* start, nint length)
    {
        while (Posix.Madvise(start, length, Posix.MADV_POPULATE_WRITE) != 0)
            if (Errno.Last is not (Errno.EINTR or Errno.EAGAIN)) return false;
        return true;
    }

    // Tells the peer that this end is broken or gone, and wakes it.
    public void TellEnd()
    {
        // A full fence: who is woken sees the end.
        Interlocked.Exchange(ref Header->HasEnded, 1);
        WakeSleepers();
    }

    public void WakeSleepers()
    {
        _ = Futex.WakeAll((int*)&Header->Produced);
        _ = Futex.WakeAll((int*)&Header->Consumed);
    }

    public void Unmap() => _ = Posix.Munmap(Start, Layout.Length);
}
