using Microsoft.Win32.SafeHandles;

namespace MemPrims.Pages;

/// <summary>
/// A file as the running system knows it: which start of the machine, and which file, by its device, number and birth. As long as both
/// are the same, the system still has every store through a map of the file, though the process that made it has died. A copy of the file
/// is another file. Known on Linux, where the file system tells of births.
/// </summary>
internal readonly partial record struct FileLife(ulong Boot, ulong Number)
{
    private const int EmptyPath = 0x1000;                   // AT_EMPTY_PATH
    private const uint Inode = 0x100;                       // STATX_INO
    private const uint NumberAndBirth = 0x100 | 0x800;      // STATX_INO, STATX_BTIME
    private const int CurrentFolder = -100;                 // AT_FDCWD
    private const uint Kind = 1;                            // STATX_TYPE
    private const ushort KindBits = 0xF000, OrdinaryFile = 0x8000; // S_IFMT, S_IFREG
    private const uint WaitBefore = 1;                      // SYNC_FILE_RANGE_WAIT_BEFORE
    private const string BootId = "/proc/sys/kernel/random/boot_id";

    /// <summary>The life of an open file; default where nobody knows it.</summary>
    public static FileLife Of(SafeFileHandle file)
    {
        if (!OperatingSystem.IsLinux()) return default;
        try
        {
            if (Ask(file, "", EmptyPath, NumberAndBirth, out Answer answer) != 0) return default;
            if ((answer.Mask & NumberAndBirth) != NumberAndBirth) return default;
            Guid boot = Guid.Parse(File.ReadAllText(BootId));
            ulong device = (ulong)answer.DeviceMajor << 32 | answer.DeviceMinor;
            return new(MemoryMarshal.Read<ulong>(boot.ToByteArray()) | 1,
                Mix(Mix(Mix(device, answer.Number), (ulong)answer.BirthSeconds), answer.BirthNanoseconds));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or FormatException or EntryPointNotFoundException)
        {
            return default;
        }
    }

    /// <summary>
    /// Whether the system still has all that was stored in a file of this life. It has dropped pages where it could not write them; then
    /// it says so once, to whoever opens the file after that.
    /// </summary>
    public bool IsWhole(SafeFileHandle file) => this != default && this == Of(file) && WaitForWrites(file, 0, 0, WaitBefore) == 0;

    /// <summary>
    /// Whether what the path leads to is no folder, pipe, socket or device. It is not opened. True where there is nothing, and where
    /// nobody knows.
    /// </summary>
    public static bool IsOrdinary(string path)
    {
        if (Directory.Exists(path)) return false;
        if (!OperatingSystem.IsLinux()) return true;
        try
        {
            return AskPath(CurrentFolder, path, 0, Kind, out Answer answer) != 0 || (answer.Mask & Kind) == 0
                || (answer.Mode & KindBits) == OrdinaryFile;
        }
        catch (EntryPointNotFoundException)
        {
            return true;
        }
    }

    /// <summary>Whether a path leads to an open file, and not to another or to nothing. True where nobody knows.</summary>
    public static bool IsAt(string path, SafeFileHandle file)
    {
        if (!OperatingSystem.IsLinux()) return true;
        try
        {
            if (Ask(file, "", EmptyPath, Inode, out Answer open) != 0) return true;
            return AskPath(CurrentFolder, path, 0, Inode, out Answer there) == 0
                && (open.Number, open.DeviceMajor, open.DeviceMinor) == (there.Number, there.DeviceMajor, there.DeviceMinor);
        }
        catch (EntryPointNotFoundException)
        {
            return true;
        }
    }

    private static ulong Mix(ulong seed, ulong value)
    {
        ulong high = Math.BigMul(seed ^ 0x9E37_79B9_7F4A_7C15, value ^ 0xD6E8_FEB8_6659_FD93, out ulong low);
        return high ^ low;
    }

    // The one call that says it with the same layout on every processor.
    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Ask(SafeFileHandle file, string path, int flags, uint mask, out Answer answer);

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int AskPath(int folder, string path, int flags, uint mask, out Answer answer);

    [LibraryImport("libc", EntryPoint = "sync_file_range")]
    private static partial int WaitForWrites(SafeFileHandle file, long offset, long length, uint flags);

    // struct statx: 256 bytes, of which these are read.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Answer
    {
        [FieldOffset(0)] public uint Mask;
        [FieldOffset(28)] public ushort Mode;
        [FieldOffset(32)] public ulong Number;
        [FieldOffset(80)] public long BirthSeconds;
        [FieldOffset(88)] public uint BirthNanoseconds;
        [FieldOffset(136)] public uint DeviceMajor;
        [FieldOffset(140)] public uint DeviceMinor;
    }
}
