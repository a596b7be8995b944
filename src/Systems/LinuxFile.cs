namespace MemPrims.Systems;

// Linux on x64 and arm64.
internal sealed unsafe partial class LinuxFile : UnixFile
{
    private const uint SYNC_FILE_RANGE_WAIT_BEFORE = 1, SYNC_FILE_RANGE_WRITE = 2;
    private const int MADV_HUGEPAGE = 14;

    public override FileIdentity? IdentityOf(SafeFileHandle file) => FileIdentity.Of(file);

    public override FileIdentity? IdentityOf(string path) => FileIdentity.Of(path);

    public override bool IsThere(string path) => FileIdentity.Of(path) is not null;

    public override FileRights? RightsOf(SafeFileHandle file) => FileRights.Of(file);

    public override (ulong Device, ulong Number, ulong Seconds, uint Nanoseconds)? BirthOf(SafeFileHandle file) =>
        FileIdentity.BirthOf(file);

    public override ulong Boot
    {
        get
        {
            try
            {
                Guid boot = Guid.Parse(File.ReadAllText("/proc/sys/kernel/random/boot_id"));
                return MemoryMarshal.Read<ulong>(boot.ToByteArray()) | 1;
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or FormatException)
            {
                return 0;
            }
        }
    }

    public override bool HasKeptAll(SafeFileHandle file) => SyncFileRange(file, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE) == 0;

    public override void AdviseHugePages(byte* start, nuint length) => _ = Madvise(start, length, MADV_HUGEPAGE);

    [LibraryImport("libc", EntryPoint = "sync_file_range")]
    private static partial int SyncFileRange(SafeFileHandle file, long offset, long length, uint flags);

    [LibraryImport("libc", EntryPoint = "madvise")]
    private static partial int Madvise(byte* address, nuint length, int advice);
}
