using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Records.Storage;

/// <summary>
/// Which file it is, and of what kind, as Linux's <c>statx</c> says. Of the calls that say it, this is the one whose answer has the same
/// layout on every processor.
/// </summary>
internal readonly partial struct FileIdentity
{
    private const int Here = -100, EmptyPath = 0x1000;      // AT_FDCWD, AT_EMPTY_PATH
    private const uint Wanted = 0x11D;                      // STATX_TYPE, STATX_NLINK, STATX_UID, STATX_GID, STATX_INO
    private const int KindMask = 0xF000, OrdinaryFile = 0x8000;

    private readonly Answer _answer;

    private FileIdentity(in Answer answer) => _answer = answer;

    public bool IsOrdinaryFile => (_answer.Mode & KindMask) == OrdinaryFile;

    /// <summary>Whether any path leads to it.</summary>
    public bool HasName => _answer.Links > 0;

    /// <summary>What the path names, through links; null when it names nothing.</summary>
    public static FileIdentity? Of(string path) => Ask(Here, path, 0, Wanted, out Answer answer) == 0 ? new(answer) : null;

    /// <summary>What is open; null when the system will not say.</summary>
    public static FileIdentity? Of(SafeFileHandle file) =>
        Ask(file, "", EmptyPath, Wanted, out Answer answer) == 0 ? new(answer) : null;

    /// <summary>Whether both belong to the same user and group.</summary>
    public bool HasOwnerOf(in FileIdentity other) => _answer.User == other._answer.User && _answer.Group == other._answer.Group;

    /// <summary>Gives the file of that path to this one's user and group; false where the system forbids it.</summary>
    public bool TryGiveOwnerTo(string path) => Own(path, _answer.User, _answer.Group) == 0;

    public bool IsSameAs(in FileIdentity other) =>
        _answer.Number == other._answer.Number && _answer.DeviceMajor == other._answer.DeviceMajor
            && _answer.DeviceMinor == other._answer.DeviceMinor;

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Ask(int folder, string path, int flags, uint mask, out Answer answer);

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Ask(SafeFileHandle file, string path, int flags, uint mask, out Answer answer);

    [LibraryImport("libc", EntryPoint = "chown", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Own(string path, uint user, uint group);

    // struct statx: 256 bytes, of which these are read.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Answer
    {
        [FieldOffset(16)] public uint Links;
        [FieldOffset(20)] public uint User;
        [FieldOffset(24)] public uint Group;
        [FieldOffset(28)] public ushort Mode;
        [FieldOffset(32)] public ulong Number;
        [FieldOffset(136)] public uint DeviceMajor;
        [FieldOffset(140)] public uint DeviceMinor;
    }
}

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

/// <summary>
/// One write that is on the disk when it returns, while the file's other dirty pages wait: Linux's <c>pwritev2</c> with RWF_DSYNC, which
/// is a write and an <c>fdatasync</c> of its range. <c>fdatasync</c> itself always means the whole file.
/// </summary>
internal static unsafe partial class PartSync
{
    private const int SyncedWrite = 2;      // RWF_DSYNC
    private const int Interrupted = 4, WrongArgument = 22, NoSuchCall = 38, NotSupported = 95;
    private const nint Ext = 0xEF53, Xfs = 0x58465342;

    /// <summary>Only where it was looked up that the flag does no more and no less. On tmpfs no sync costs anything.</summary>
    public static bool IsWorthwhile(SafeFileHandle file) => InPlaceStores.TypeOfFileSystem(file) is Ext or Xfs;

    /// <summary>False when the system has no such call: nothing was written then. Any other failure is an exception.</summary>
    public static bool TryWrite(SafeFileHandle file, string path, long offset, ReadOnlySpan<byte> bytes)
    {
        fixed (byte* start = bytes)
        {
            for (nint done = 0; done < bytes.Length;)
            {
                Piece piece = new() { Start = start + done, Length = bytes.Length - done };
                nint written = Write(file, &piece, 1, offset + done, SyncedWrite);
                if (written > 0)
                {
                    done += written;
                    continue;
                }
                int error = written == 0 ? 0 : Marshal.GetLastPInvokeError();
                if (error == Interrupted) continue;
                if (done == 0 && error is (WrongArgument or NoSuchCall or NotSupported)) return false;
                throw IoErrors.OfLastCall($"A synced write of {bytes.Length} bytes at {offset} of", path);
            }
        }
        return true;
    }

    [LibraryImport("libc", EntryPoint = "pwritev2", SetLastError = true)]
    private static partial nint Write(SafeFileHandle file, Piece* pieces, int count, long offset, int flags);

    // struct iovec.
    [StructLayout(LayoutKind.Sequential)]
    private struct Piece
    {
        public byte* Start;
        public nint Length;
    }
}
