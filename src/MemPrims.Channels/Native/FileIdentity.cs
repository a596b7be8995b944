using System.Runtime.InteropServices;

namespace MemPrims.Channels.Native;

/// <summary>
/// Which file a path or a handle means, by statx: device, inode and kind; and what space it takes. The layout of statx is the same on
/// every processor, unlike that of stat.
/// </summary>
internal readonly partial record struct FileIdentity(ulong Device, ulong Inode, int Kind)
{
    private const int EmptyPath = 0x1000, NoFollow = 0x100, Here = -100, BasicStats = 0x7FF, KindBits = 0xF000, SocketKind = 0xC000;

    public bool IsSocket => Kind == SocketKind;

    public static unsafe FileIdentity? Of(SafeHandle file) => Of((int)file.DangerousGetHandle(), "", EmptyPath);

    public static unsafe FileIdentity? Of(string path) => Of(Here, path, NoFollow);

    /// <summary>How many bytes of memory or disk a file has; 0 where that is not known.</summary>
    public static unsafe long SpaceOf(int file)
    {
        const int unit = 512;
        byte* stat = stackalloc byte[256];
        return Stat(file, "", EmptyPath, BasicStats, stat) == 0 ? *(long*)(stat + 48) * unit : 0;
    }

    private static unsafe FileIdentity? Of(int folder, string path, int flags)
    {
        byte* stat = stackalloc byte[256];
        if (Stat(folder, path, flags, BasicStats, stat) != 0) return null;
        return new(*(ulong*)(stat + 136), *(ulong*)(stat + 32), *(ushort*)(stat + 28) & KindBits);
    }

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Stat(int folder, string path, int flags, uint wanted, byte* stat);
}
