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
    private const uint Wanted = 0x11F;                      // STATX_TYPE, STATX_MODE, STATX_NLINK, STATX_UID, STATX_GID, STATX_INO
    private const int KindMask = 0xF000, OrdinaryFile = 0x8000, ModeMask = 0xFFF;

    private readonly Answer _answer;

    private FileIdentity(in Answer answer) => _answer = answer;

    public bool IsOrdinaryFile => (_answer.Mode & KindMask) == OrdinaryFile;

    /// <summary>How many names it has in folders; a link to a name is none.</summary>
    public uint Names => _answer.Links;

    /// <summary>What the path names, through links; null when it names nothing.</summary>
    public static FileIdentity? Of(string path) => Ask(Here, path, 0, Wanted, out Answer answer) == 0 ? new(answer) : null;

    /// <summary>What is open; null when the system will not say.</summary>
    public static FileIdentity? Of(SafeFileHandle file) =>
        Ask(file, "", EmptyPath, Wanted, out Answer answer) == 0 ? new(answer) : null;

    public uint User => _answer.User;

    public uint Group => _answer.Group;

    /// <summary>The twelve bits that <c>chmod</c> sets.</summary>
    public int Mode => _answer.Mode & ModeMask;

    public bool IsSameAs(in FileIdentity other) =>
        _answer.Number == other._answer.Number && _answer.DeviceMajor == other._answer.DeviceMajor
            && _answer.DeviceMinor == other._answer.DeviceMinor;

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Ask(int folder, string path, int flags, uint mask, out Answer answer);

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Ask(SafeFileHandle file, string path, int flags, uint mask, out Answer answer);

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
