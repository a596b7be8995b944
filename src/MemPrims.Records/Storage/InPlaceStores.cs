using System.IO.MemoryMappedFiles;

namespace MemPrims.Records.Storage;

// Overwrites parts of a file by stores through a writable map, without a call to the kernel. For commits without syncs only.
//
// A store into a place without a block, on a full disk, would end the process by a signal. So a window is mapped only after `fallocate`
// has given its places blocks, and only where an overwritten block stays where it is: on ext3, ext4 and tmpfs. On xfs and btrfs a snapshot
// or a reflink makes the next store want a new block. Elsewhere the caller writes by calls to the system.
//
// Two dangers remain. The process ends when the disk fails with an I/O error, and when someone makes the file immutable or cuts it off. So
// a disk is stored to only where the options ask for it; tmpfs has no disk to fail.
internal sealed unsafe class InPlaceStores(SafeFileHandle file, bool onDisks) : IDisposable
{
    private const int WindowShift = 26;
    private const long WindowBytes = 1L << WindowShift;

    private MappedRegion?[] _windows = [];
    private bool _refused = !SystemFile.Here.StoresInPlace(file, onDisks);

    // False once it is known that nothing is stored here.
    public bool IsUsed => !_refused;

    // Stores the bytes, which lie within one window as every page and meta slot does; false when they must be written in another way.
    public bool TryStore(long offset, ReadOnlySpan<byte> bytes)
    {
        if (_refused || file.IsClosed) return false;
        int index = (int)(offset >> WindowShift);
        long within = offset & (WindowBytes - 1);
        MappedRegion? window = WindowAt(index);
        if ((window is null || within + bytes.Length > window.Length)
            && (window = Map(index, within + bytes.Length)) is null) return false;
        // Readers in other processes rely on the order of the writes: pages before their meta, and a meta before the pages of the next
        // commit, whether each is stored here or written by a call, before or after. x86 keeps the order of stores by itself; Arm does so
        // at these barriers, which calls to the kernel do not replace: its locks order what is inside them. No test can see them missing
        // on x86.
        Volatile.WriteBarrier();
        bytes.CopyTo(new(window.Start + within, bytes.Length));
        Volatile.WriteBarrier();
        GC.KeepAlive(window);
        return true;
    }

    // Has the cache lines come that are about to be stored to, where they are mapped yet.
    public void Prefetch(long offset, int length)
    {
        const int lineBytes = 64;
        if (!Sse.IsSupported || WindowAt((int)(offset >> WindowShift)) is not { } window) return;
        // Beyond the window's end there is nothing to come, and a prefetch never faults.
        for (byte* line = window.Start + (offset & (WindowBytes - 1)),
            end = line + length; line < end; line += lineBytes) Sse.Prefetch0(line);
    }

    // The table is read once: a transaction that is open may look at its records while the file is closed.
    private MappedRegion? WindowAt(int index)
    {
        MappedRegion?[] windows = _windows;
        return index < windows.Length ? windows[index] : null;
    }

    private MappedRegion? Map(int index, long atLeast)
    {
        long start = (long)index << WindowShift, length = Math.Min(RandomAccess.GetLength(file) - start, WindowBytes);
        if (length < atLeast) return null;
        if (!SystemFile.Here.TryAllocate(file, start, length))
        {
            _refused = true;
            return null;
        }
        if (index >= _windows.Length) Array.Resize(ref _windows, index + 1);
        return _windows[index] = MappedRegion.Of(file, start, length, MemoryMappedFileAccess.ReadWrite);
    }

    // Lets the file go. No commit runs, and none will.
    public void Dispose()
    {
        _refused = true;
        foreach (MappedRegion? window in _windows) ((IDisposable?)window?.Owner)?.Dispose();
        _windows = [];
    }
}
