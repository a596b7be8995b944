using System.ComponentModel;
using System.Runtime.InteropServices;

namespace MemPrims.TestKit;

// Zeroed memory between two pages that cannot be touched: a read or write one byte outside it ends the process. Use it in a Child, which
// reports the case it died in.
public sealed unsafe partial class GuardedMemory : IDisposable
{
    private readonly nint _reserved;
    private byte* _base;

    public GuardedMemory(nint minimumLength)
    {
        nint page = Environment.SystemPageSize;
        Length = (Math.Max(minimumLength, 1) + page - 1) / page * page;
        _reserved = Length + 2 * page;
        _base = OperatingSystem.IsWindows() ? ReserveOnWindows(_reserved, page, Length) : ReserveOnUnix(_reserved, page, Length);
        Start = _base + page;
    }

    // The first byte; the byte before it is guarded.
    public byte* Start { get; }

    // One past the last byte; the byte there is guarded.
    public byte* End => Start + Length;

    // Bytes between the two guards: the constructor's number, rounded up to whole pages.
    public nint Length { get; }

    public byte* EndingAtGuard(nint length) => End - length;

    public void Dispose()
    {
        if (_base == null) return;
        if (OperatingSystem.IsWindows()) VirtualFree(_base, 0, 0x8000);
        else Unmap(_base, _reserved);
        _base = null;
    }

    private static byte* ReserveOnUnix(nint reserved, nint page, nint length)
    {
        int anonymous = OperatingSystem.IsMacOS() ? 0x1000 : 0x20;
        byte* memory = Map(null, reserved, protection: 0, 2 | anonymous, -1, 0);
        if ((nint)memory == -1 || Protect(memory + page, length, 3) != 0) throw new Win32Exception(Marshal.GetLastPInvokeError());
        return memory;
    }

    private static byte* ReserveOnWindows(nint reserved, nint page, nint length)
    {
        byte* memory = VirtualAlloc(null, reserved, 0x2000, 1);
        if (memory == null
            || VirtualAlloc(memory + page, length, 0x1000, 4) == null) throw new Win32Exception(Marshal.GetLastPInvokeError());
        return memory;
    }

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial byte* Map(byte* address, nint length, int protection, int flags, int file, nint offset);

    [LibraryImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    private static partial int Protect(byte* address, nint length, int protection);

    [LibraryImport("libc", EntryPoint = "munmap")]
    private static partial int Unmap(byte* address, nint length);

    [LibraryImport("kernel32", SetLastError = true)]
    private static partial byte* VirtualAlloc(byte* address, nint size, int type, int protection);

    [LibraryImport("kernel32")]
    private static partial int VirtualFree(byte* address, nint size, int type);
}
