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
    private const uint TypeAndNumber = 0x101;               // STATX_TYPE, STATX_INO
    private const int KindMask = 0xF000, OrdinaryFile = 0x8000;

    private readonly Answer _answer;

    private FileIdentity(in Answer answer) => _answer = answer;

    public bool IsOrdinaryFile => (_answer.Mode & KindMask) == OrdinaryFile;

    /// <summary>What the path names, through links; null when it names nothing.</summary>
    public static FileIdentity? Of(string path) => Ask(Here, path, 0, TypeAndNumber, out Answer answer) == 0 ? new(answer) : null;

    /// <summary>What is open; null when the system will not say.</summary>
    public static FileIdentity? Of(SafeFileHandle file) =>
        Ask(file, "", EmptyPath, TypeAndNumber, out Answer answer) == 0 ? new(answer) : null;

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
        [FieldOffset(28)] public ushort Mode;
        [FieldOffset(32)] public ulong Number;
        [FieldOffset(136)] public uint DeviceMajor;
        [FieldOffset(140)] public uint DeviceMinor;
    }
}
