using System.Runtime.Versioning;

namespace MemPrims.Systems;

// Windows on x64 and arm64. An open file keeps its name from being given to another, and a mapped one cannot be deleted. Both can be
// renamed: a file that must go gets another name first, and goes when nobody has it open.
[SupportedOSPlatform("windows")]
internal sealed unsafe partial class WindowsFile : SystemFile
{
    private const uint GENERIC_READ = 0x8000_0000, GENERIC_WRITE = 0x4000_0000, DELETE = 0x1_0000, FILE_READ_ATTRIBUTES = 0x80;
    private const uint FILE_FLAG_BACKUP_SEMANTICS = 0x0200_0000, FILE_FLAG_DELETE_ON_CLOSE = 0x0400_0000;
    private const uint ShareAll = 7, OPEN_EXISTING = 3;
    private const int FileStandardInfo = 1, FileIdInfo = 18, FileRenameInfoEx = 22;
    private const uint FILE_RENAME_FLAG_REPLACE_IF_EXISTS = 1, FILE_RENAME_FLAG_POSIX_SEMANTICS = 2;
    private const int ERROR_FILE_NOT_FOUND = 2, ERROR_PATH_NOT_FOUND = 3;

    public override string? Real(string path)
    {
        const string local = @"\\?\", share = @"\\?\UNC\";
        using SafeFileHandle found = Open(path, FILE_READ_ATTRIBUTES);
        if (found.IsInvalid)
        {
            // As realpath says it.
            if (Marshal.GetLastPInvokeError() == ERROR_PATH_NOT_FOUND) Marshal.SetLastPInvokeError(ERROR_FILE_NOT_FOUND);
            return null;
        }
        char[] name = new char[short.MaxValue];
        int length;
        fixed (char* start = name) length = (int)GetFinalPathNameByHandle(found, start, (uint)name.Length, 0);
        if (length == 0 || length >= name.Length) throw Failure("Following the links in", path);
        string real = new(name, 0, length);
        return real.StartsWith(share, StringComparison.Ordinal) ? @"\\" + real[share.Length..]
            : real.StartsWith(local, StringComparison.Ordinal) ? real[local.Length..] : real;
    }

    public override FileIdentity? IdentityOf(SafeFileHandle file)
    {
        IdInfo id;
        StandardInfo standard;
        return GetFileInformationByHandleEx(file, FileIdInfo, &id, sizeof(IdInfo))
            && GetFileInformationByHandleEx(file, FileStandardInfo, &standard, sizeof(StandardInfo))
            ? new(id.Volume, id.Low, id.High, standard.IsBeingDeleted != 0 ? 0 : standard.Links,
                standard.IsFolder == 0 ? FileIdentity.OrdinaryFile : (ushort)0) : null;
    }

    public override FileIdentity? IdentityOf(string path)
    {
        using SafeFileHandle found = Open(path, FILE_READ_ATTRIBUTES);
        return found.IsInvalid ? null : IdentityOf(found);
    }

    public override bool IsThere(string path)
    {
        using SafeFileHandle found = Open(path, FILE_READ_ATTRIBUTES);
        return !found.IsInvalid;
    }

    // Elsewhere no call does both at once: a process that dies between the two leaves both files whole, and neither has the name.
    public override void Replace(string path, string name)
    {
        if (TryReplace(path, name)) return;
        string old = Renamed(name);
        try
        {
            File.Move(path, name);
        }
        catch
        {
            File.Move(old, name);
            throw;
        }
        DeleteOnClose(old);
    }

    // In one step, as Unix does it: on NTFS since Windows 10, where those that have the old file open may keep it. Wine 8 refuses the call
    // (error 87), so all that was seen of it is that a refusal leads to the two steps; it has not been run on Windows yet.
    private static bool TryReplace(string path, string name)
    {
        using SafeFileHandle file = Open(path, DELETE);
        string full = Verbatim(name);
        int bytes = full.Length * sizeof(char);
        fixed (byte* room = new byte[sizeof(RenameInfo) + bytes])
        {
            RenameInfo* info = (RenameInfo*)room;
            info->Flags = FILE_RENAME_FLAG_REPLACE_IF_EXISTS | FILE_RENAME_FLAG_POSIX_SEMANTICS;
            info->NameBytes = (uint)bytes;
            full.CopyTo(new Span<char>(&info->Name, full.Length));
            return !file.IsInvalid && SetFileInformationByHandle(file, FileRenameInfoEx, info, sizeof(RenameInfo) + bytes);
        }
    }

    public override void Delete(string path)
    {
        if (File.Exists(path)) DeleteOnClose(Renamed(path));
    }

    private static string Renamed(string path)
    {
        string old = Path.Combine(Path.GetDirectoryName(path) ?? "", $"{Guid.NewGuid():N}.old");
        File.Move(path, old);
        return old;
    }

    // Where this is refused the file stays, under a name that nobody looks for.
    private static void DeleteOnClose(string path) => Open(path, DELETE, FILE_FLAG_DELETE_ON_CLOSE).Dispose();

    private static SafeFileHandle Open(string path, uint access, uint flags = 0) =>
        CreateFile(Verbatim(path), access, ShareAll, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, 0);

    // The system cuts a longer path off at 260 characters unless it begins like this.
    private static string Verbatim(string path)
    {
        string full = path.Length == 0 ? path : Path.GetFullPath(path);
        return full.StartsWith(@"\\", StringComparison.Ordinal) ? full : @"\\?\" + full;
    }

    private static IOException Failure(string attempt, string path)
    {
        const int facility = unchecked((int)0x8007_0000);
        int error = Marshal.GetLastPInvokeError();
        return new($"{attempt} {path} failed: {Marshal.GetPInvokeErrorMessage(error)} (error {error}).", facility | error);
    }

    [LibraryImport("kernel32", EntryPoint = "CreateFileW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    private static partial SafeFileHandle CreateFile(string path, uint access, uint share, nint security, uint mode, uint flags,
        nint template);

    [LibraryImport("kernel32", EntryPoint = "GetFinalPathNameByHandleW", SetLastError = true)]
    private static partial uint GetFinalPathNameByHandle(SafeFileHandle file, char* path, uint length, uint flags);

    [LibraryImport("kernel32", EntryPoint = "GetFileInformationByHandleEx", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetFileInformationByHandleEx(SafeFileHandle file, int kind, void* info, int bytes);

    [LibraryImport("kernel32", EntryPoint = "SetFileInformationByHandle", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool SetFileInformationByHandle(SafeFileHandle file, int kind, void* info, int bytes);

    // FILE_RENAME_INFO: the name goes on after the first of its characters.
    internal struct RenameInfo
    {
        public uint Flags;
        public nint Folder;
        public uint NameBytes;
        public ushort Name;
    }

    private struct IdInfo
    {
        public ulong Volume, Low, High;
    }

    private struct StandardInfo
    {
        public long Allocated, End;
        public uint Links;
        public byte IsBeingDeleted, IsFolder;
    }
}
