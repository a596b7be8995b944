using System.ComponentModel;
using System.Runtime.InteropServices;

namespace MemPrims.TestKit;

// More than 4 GiB of readable and writable addresses for a megabyte or two of memory: one window is mapped again and again, and after the
// repetitions comes a tail of its own. So a routine that loses the upper half of a length or of an offset leaves the tail wrong, and the
// rest costs no memory. A write to one repetition shows in all of them: no place for overlapping copies, unless all of it is one value.
public sealed unsafe partial class RepeatedMemory : IDisposable
{
    private const int ReadWrite = 3, Shared = 1, Private = 2, Fixed = 0x10, Anonymous = 0x20, NoReserve = 0x4000, Populate = 0x8000;

    // How long one repetition is.
    public const int Window = 1 << 19;

    // Where the tail starts: 4 GiB.
    public static nint TailOffset => unchecked((nint)(1L << 32));

    // How long the tail is.
    public const int TailLength = 1 << 20;

    public RepeatedMemory()
    {
        int file = CreateMemoryFile("memprims-test", 0);
        if (file < 0 || SetFileLength(file, Window) != 0) throw new Win32Exception(Marshal.GetLastPInvokeError());
        Start = Map(null, TailOffset + TailLength, ReadWrite, Private | Anonymous | NoReserve, -1, 0);
        if ((nint)Start == -1) throw new Win32Exception(Marshal.GetLastPInvokeError());
        for (nint offset = 0; offset < TailOffset; offset += Window)
            if (Map(Start + offset, Window, ReadWrite, Shared | Fixed | Populate, file, 0) != Start + offset)
                throw new Win32Exception(Marshal.GetLastPInvokeError());
        _ = Close(file);
    }

    // Null where such memory can be had, else why not.
    public static string? Missing =>
        !OperatingSystem.IsLinux() || !Environment.Is64BitProcess
            ? "needs 64-bit Linux: the memory of these tests is one memory file mapped many times"
        : GC.GetGCMemoryInfo().TotalAvailableMemoryBytes < 1L << 30
            ? "needs 1 GiB of memory, for the page tables of two blocks over 4 GiB and the test beside them"
        : null;

    public byte* Start { get; private set; }

    public byte* Tail => Start + TailOffset;

    // What every repetition holds.
    public Span<byte> Repeated => new(Start, Window);

    public void Dispose()
    {
        if (Start != null) _ = Unmap(Start, TailOffset + TailLength);
        Start = null;
    }

    [LibraryImport("libc", EntryPoint = "memfd_create", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int CreateMemoryFile(string name, uint flags);

    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    private static partial int SetFileLength(int file, nint length);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int file);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial byte* Map(byte* address, nint length, int protection, int flags, int file, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap")]
    private static partial int Unmap(byte* address, nint length);
}
