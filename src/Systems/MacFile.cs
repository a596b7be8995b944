namespace MemPrims.Systems;

// macOS on arm64 and x64, written by Apple's published headers and kernel. It has never been run: there was no such machine. What it does
// with the calls of macOS alone is tested by sizes, offsets and values; the rest runs on Linux in the tests.
internal partial class MacFile : UnixFile
{
    public override FileIdentity? IdentityOf(SafeFileHandle file)
    {
        int result = HasOldNames ? FstatOfX64(file, out Stat stat) : Fstat(file, out stat);
        return result == 0 ? stat.Identity : null;
    }

    public override FileIdentity? IdentityOf(string path)
    {
        int result = HasOldNames ? StatOfX64(path, out Stat stat) : StatOf(path, out stat);
        return result == 0 ? stat.Identity : null;
    }

    // An ACL of macOS is not carried over.
    public override FileRights? RightsOf(SafeFileHandle file) => IdentityOf(file) is { } owner ? FileRights.WithoutAcl(owner) : null;

    public override bool IsThere(string path) => IdentityOf(path) is not null;

    // On x64 the plain names are those of an older structure, with numbers of 32 bits.
    private static bool HasOldNames => RuntimeInformation.ProcessArchitecture == Architecture.X64;

    [LibraryImport("libc", EntryPoint = "fstat")]
    private static partial int Fstat(SafeFileHandle file, out Stat stat);

    [LibraryImport("libc", EntryPoint = "fstat$INODE64")]
    private static partial int FstatOfX64(SafeFileHandle file, out Stat stat);

    [LibraryImport("libc", EntryPoint = "stat", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int StatOf(string path, out Stat stat);

    [LibraryImport("libc", EntryPoint = "stat$INODE64", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int StatOfX64(string path, out Stat stat);

    // struct stat with numbers of 64 bits, of which these are read.
    [StructLayout(LayoutKind.Explicit, Size = 144)]
    internal struct Stat
    {
        [FieldOffset(0)] public uint Device;
        [FieldOffset(4)] public ushort Mode;
        [FieldOffset(6)] public ushort Links;
        [FieldOffset(8)] public ulong Number;
        [FieldOffset(16)] public uint User;
        [FieldOffset(20)] public uint Group;

        public readonly FileIdentity Identity => new(Device, Number, 0, Links, Mode, User, Group);
    }
}
