namespace MemPrims.Systems;

// Which file a path or a handle means, of what kind it is and whose, by `statx`. Of the calls that say it, this is the one whose answer
// has the same layout on every processor.
internal readonly partial struct FileIdentity
{
    private const int AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 0x100, AT_EMPTY_PATH = 0x1000;
    // STATX_TYPE, STATX_MODE, STATX_NLINK, STATX_UID, STATX_GID, STATX_INO
    private const uint Wanted = 0x11F, STATX_INO = 0x100, STATX_BLOCKS = 0x400, STATX_BTIME = 0x800;
    private const int S_IFMT = 0xF000, S_IFSOCK = 0xC000;

    // S_IFREG
    public const ushort OrdinaryFile = 0x8000;

    private readonly Stat _stat;

    // The upper half of a number of 128 bits.
    private readonly ulong _upper;

    private FileIdentity(in Stat stat) => _stat = stat;

    // As a system with other calls tells it. mode: of an ordinary file at least OrdinaryFile.
    public FileIdentity(ulong device, ulong lower, ulong upper, uint names, ushort mode, uint user = 0, uint group = 0)
    {
        (_stat.DeviceMajor, _stat.DeviceMinor) = ((uint)(device >> 32), (uint)device);
        (_stat.Inode, _upper) = (lower, upper);
        (_stat.Links, _stat.Mode, _stat.User, _stat.Group) = (names, mode, user, group);
    }

    public bool IsOrdinaryFile => (_stat.Mode & S_IFMT) == OrdinaryFile;

    public bool IsSocket => (_stat.Mode & S_IFMT) == S_IFSOCK;

    // How many names it has in folders; a link to a name is none.
    public uint Names => _stat.Links;

    public uint User => _stat.User;

    public uint Group => _stat.Group;

    // The twelve bits that `chmod` sets.
    public int Mode => _stat.Mode & ~S_IFMT;

    // What the path names, through links unless told; null when it names nothing.
    public static FileIdentity? Of(string path, bool followsLinks = true) =>
        Says(AT_FDCWD, path, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW, Wanted, out Stat stat) ? new(stat) : null;

    // What is open; null when the system will not say.
    public static FileIdentity? Of(SafeHandle file) => Says(file, Wanted, out Stat stat) ? new(stat) : null;

    // What tells a file from all that the running system will ever have; null where the file system does not tell of births.
    public static (ulong Device, ulong Number, ulong Seconds, uint Nanoseconds)? BirthOf(SafeHandle file)
    {
        const uint all = STATX_INO | STATX_BTIME;
        if (!Says(file, all, out Stat stat) || (stat.Mask & all) != all) return null;
        return ((ulong)stat.DeviceMajor << 32 | stat.DeviceMinor, stat.Inode, (ulong)stat.BirthSeconds, stat.BirthNanoseconds);
    }

    // How many bytes of memory or disk a file has; 0 where that is not known.
    public static long SpaceOf(int file)
    {
        const int unit = 512;
        return Says(file, "", AT_EMPTY_PATH, STATX_BLOCKS, out Stat stat) ? stat.Blocks * unit : 0;
    }

    // The same file. The kind counts too: a new file may get the number of one that was deleted.
    public bool IsSameAs(in FileIdentity other) => _stat.Inode == other._stat.Inode && _upper == other._upper
        && _stat.DeviceMajor == other._stat.DeviceMajor && _stat.DeviceMinor == other._stat.DeviceMinor
        && ((_stat.Mode ^ other._stat.Mode) & S_IFMT) == 0;

    private static bool Says(SafeHandle file, uint mask, out Stat stat)
    {
        using Hold held = Hold.Of(file);
        return Says((int)file.DangerousGetHandle(), "", AT_EMPTY_PATH, mask, out stat);
    }

    private static bool Says(int folder, string path, int flags, uint mask, out Stat stat)
    {
        try
        {
            return Statx(folder, path, flags, mask, out stat) == 0;
        }
        catch (EntryPointNotFoundException)
        {
            // A libc older than the call.
            stat = default;
            return false;
        }
    }

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Statx(int folder, string path, int flags, uint mask, out Stat stat);

    // struct statx: 256 bytes, of which these are read.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Stat
    {
        [FieldOffset(0)] public uint Mask;
        [FieldOffset(16)] public uint Links;
        [FieldOffset(20)] public uint User;
        [FieldOffset(24)] public uint Group;
        [FieldOffset(28)] public ushort Mode;
        [FieldOffset(32)] public ulong Inode;
        [FieldOffset(48)] public long Blocks;
        [FieldOffset(80)] public long BirthSeconds;
        [FieldOffset(88)] public uint BirthNanoseconds;
        [FieldOffset(136)] public uint DeviceMajor;
        [FieldOffset(140)] public uint DeviceMinor;
    }
}
