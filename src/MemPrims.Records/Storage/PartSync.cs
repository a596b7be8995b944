using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Records.Storage;

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
