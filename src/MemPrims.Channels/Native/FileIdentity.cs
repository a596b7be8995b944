using System.Runtime.InteropServices;

namespace MemPrims.Channels.Native;

/// <summary>
/// Which file a path or a handle means, by statx: device, inode and kind; and what space it takes. The layout of statx is the same on
/// every processor, unlike that of stat.
/// </summary>
internal readonly partial record struct FileIdentity(ulong Device, ulong Inode, int Kind)
{
    private const int AT_EMPTY_PATH = 0x1000, AT_SYMLINK_NOFOLLOW = 0x100, AT_FDCWD = -100, STATX_BASIC_STATS = 0x7FF, S_IFMT = 0xF000,
        S_IFSOCK = 0xC000;

    public bool IsSocket => Kind == S_IFSOCK;

    public static unsafe FileIdentity? Of(SafeHandle file) => Of((int)file.DangerousGetHandle(), "", AT_EMPTY_PATH);

    public static unsafe FileIdentity? Of(string path) => Of(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW);

    /// <summary>How many bytes of memory or disk a file has; 0 where that is not known.</summary>
    public static unsafe long SpaceOf(int file)
    {
        const int unit = 512;
        byte* stat = stackalloc byte[256];
        return Statx(file, "", AT_EMPTY_PATH, STATX_BASIC_STATS, stat) == 0 ? *(long*)(stat + 48) * unit : 0;
    }

    private static unsafe FileIdentity? Of(int folder, string path, int flags)
    {
        byte* stat = stackalloc byte[256];
        if (Statx(folder, path, flags, STATX_BASIC_STATS, stat) != 0) return null;
        return new(*(ulong*)(stat + 136), *(ulong*)(stat + 32), *(ushort*)(stat + 28) & S_IFMT);
    }

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Statx(int folder, string path, int flags, uint wanted, byte* stat);
}
