using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Records.Storage;

/// <summary>
/// Linux's open-file-description locks on single bytes. They belong to the open file and not to the process: two handles in one process
/// exclude each other, closing one leaves the other's locks alone (which classic <c>fcntl</c> locks do not), and the kernel frees them
/// when the process dies.
/// </summary>
internal static partial class OpenFileLock
{
    private const int SetLock = 37;     // F_OFD_SETLK
    private const short ReadLock = 0, WriteLock = 1, Free = 2;
    private const int TryAgain = 11, Denied = 13, Interrupted = 4;

    public static bool TryLock(SafeFileHandle file, string path, LockByte which, bool exclusive)
    {
        if (!OperatingSystem.IsLinux())
            throw new PlatformNotSupportedException($"Writing and pinning {path} takes open-file-description locks, which only Linux "
                + "has. Reading works: use OpenRead.");
        return Set(file, exclusive ? WriteLock : ReadLock, which) switch
        {
            0 => true,
            TryAgain or Denied => false,
            _ => throw IoErrors.OfLastCall($"Locking byte {(int)which} of", path, " Its file system may have no such locks."),
        };
    }

    public static void Unlock(SafeFileHandle file, LockByte which) => Set(file, Free, which);

    private static int Set(SafeFileHandle file, short type, LockByte which)
    {
        FileLock request = new() { Type = type, Start = (long)which, Length = 1 };
        while (Control(file, SetLock, ref request) != 0)
            if (Marshal.GetLastPInvokeError() != Interrupted) return Marshal.GetLastPInvokeError();
        return 0;
    }

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int Control(SafeFileHandle file, int command, ref FileLock request);

    // struct flock of 64-bit Linux. Process must be 0 for these locks; Whence 0 counts from the start of the file.
    [StructLayout(LayoutKind.Sequential)]
    private struct FileLock
    {
        public short Type, Whence;
        public long Start, Length;
        public int Process;
    }
}
