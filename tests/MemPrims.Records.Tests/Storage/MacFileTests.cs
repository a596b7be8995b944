using System.Runtime.Versioning;
using MemPrims.Linux;
using MemPrims.Systems;

namespace MemPrims.Records.Tests.Storage;

// macOS' side of the seam, which cannot be run here: its structures and numbers are compared with those of Apple's headers (sys/stat.h,
// sys/fcntl.h, sys/unistd.h, sys/errno.h). What it does with calls that Linux has, too, runs with Linux's numbers: by the tests below,
// and, with MEMPRIMS_SYSTEM=mac, by all tests of records and logs that ask for nothing of Linux alone. `.ci/run` does that.
[UnsupportedOSPlatform("windows")]
public sealed unsafe class MacFileTests
{
    private static readonly bool s_asksForMac = Environment.GetEnvironmentVariable("MEMPRIMS_SYSTEM") == "mac";

    [Fact]
    public void Structures_and_numbers_are_those_of_the_headers()
    {
        MacFile.Stat stat = default;
        Assert.Equal(144, sizeof(MacFile.Stat));
        Assert.Equal([0L, 4, 6, 8, 16, 20], (long[])[Place(&stat, &stat.Device), Place(&stat, &stat.Mode), Place(&stat, &stat.Links),
            Place(&stat, &stat.Number), Place(&stat, &stat.User), Place(&stat, &stat.Group)]);
        MacFile.Flock flock = default;
        Assert.Equal(24, sizeof(MacFile.Flock));
        Assert.Equal([0L, 8, 16, 20, 22], (long[])[Place(&flock, &flock.Start), Place(&flock, &flock.Length),
            Place(&flock, &flock.Process), Place(&flock, &flock.Type), Place(&flock, &flock.Whence)]);
        Assert.Equal([2, 0x1000000, 90, 35, 3, 4, 1, 2, 3], (int[])[MacFile.O_RDWR, MacFile.O_CLOEXEC, MacFile.F_OFD_SETLK, MacFile.EAGAIN,
            MacFile.SEEK_HOLE, MacFile.SEEK_DATA, MacFile.F_RDLCK, MacFile.F_UNLCK, MacFile.F_WRLCK]);
    }

    [Fact]
    public void A_file_has_the_identity_that_the_structure_says()
    {
        FileIdentity one = new MacFile.Stat { Device = 7, Number = 1L << 40, Mode = 0x81A4, Links = 2, User = 501, Group = 20 }.Identity;
        Assert.True(one.IsOrdinaryFile);
        Assert.Equal((2u, 501u, 20u, 0x1A4), (one.Names, one.User, one.Group, one.Mode));
        Assert.True(one.IsSameAs(new MacFile.Stat { Device = 7, Number = 1L << 40, Mode = 0x8180 }.Identity));
        Assert.False(one.IsSameAs(new MacFile.Stat { Device = 8, Number = 1L << 40, Mode = 0x81A4 }.Identity));
        Assert.False(one.IsSameAs(new MacFile.Stat { Device = 7, Number = 1L << 41, Mode = 0x81A4 }.Identity));
        Assert.False(one.IsSameAs(new MacFile.Stat { Device = 7, Number = 1L << 40, Mode = 0x41ED }.Identity));
    }

    [Fact]
    public void Locks_belong_to_the_open_file_and_the_runtime_has_none()
    {
        using TempFolder folder = new();
        MacOnLinux system = new();
        string path = folder.File("locked");
        using SafeFileHandle one = system.Open(path, FileMode.CreateNew, FileAccess.ReadWrite);
        using SafeFileHandle two = system.Reopen(one, path, syncs: false);
        using SafeFileHandle three = system.Open(path, FileMode.OpenOrCreate, FileAccess.ReadWrite);
        Assert.True(system.TryLock(one, path, LockByte.EvenTransactions, exclusive: false));
        Assert.True(system.TryLock(two, path, LockByte.EvenTransactions, exclusive: false));
        Assert.False(system.TryLock(three, path, LockByte.EvenTransactions, exclusive: true));
        Assert.True(system.TryLock(three, path, LockByte.Writer, exclusive: true));
        Assert.False(system.TryLock(one, path, LockByte.Writer, exclusive: true));
        system.Unlock(one, LockByte.EvenTransactions);
        two.Dispose();
        Assert.True(system.TryLock(three, path, LockByte.EvenTransactions, exclusive: true));
        // None that the runtime takes: it would be refused, since it is one of the whole file, alone.
        using FileStream alone = new(path, FileMode.Open, FileAccess.Read, FileShare.None);
    }

    [Fact]
    public void A_file_that_was_replaced_is_not_opened_once_more()
    {
        using TempFolder folder = new();
        MacOnLinux system = new();
        string path = folder.File("replaced");
        Assert.Throws<FileNotFoundException>(() => system.Open(path, FileMode.Open, FileAccess.Read));
        Assert.Throws<DirectoryNotFoundException>(() => system.Open(folder.File("none/x"), FileMode.OpenOrCreate, FileAccess.ReadWrite));
        using SafeFileHandle file = system.CreatePrivate(path);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
        Assert.Throws<IOException>(() => system.Open(path, FileMode.CreateNew, FileAccess.ReadWrite));
        RandomAccess.Write(file, "abc"u8, 0);
        File.WriteAllText(folder.File("other"), "def");
        File.Move(folder.File("other"), path, overwrite: true);
        Assert.Throws<IOException>(() => system.Reopen(file, path, syncs: false));
        File.Delete(path);
        Assert.Throws<IOException>(() => system.Reopen(file, path, syncs: true));
    }

    [Fact]
    public void Holes_are_passed_over()
    {
        const int part = 1 << 20;
        using TempFolder folder = new();
        MacOnLinux system = new();
        using SafeFileHandle file = system.Open(folder.File("holes"), FileMode.OpenOrCreate, FileAccess.ReadWrite);
        RandomAccess.Write(file, new byte[part], part);
        RandomAccess.SetLength(file, 4 * part);
        Assert.Equal([(part, 2L * part)], system.DataParts(file, 4 * part));
        system.SyncFolder(folder.Path);
        Assert.Throws<IOException>(() => system.SyncFolder(folder.File("none")));
    }

    [Fact]
    public void The_system_of_a_run_is_the_one_that_it_asked_for() =>
        Assert.Equal(s_asksForMac ? typeof(MacOnLinux) : typeof(LinuxFile), SystemFile.Here.GetType());

    private static long Place(void* whole, void* part) => (byte*)part - (byte*)whole;

    // Before any of the product's code runs, which reads the choice once.
    [ModuleInitializer]
    internal static void Choose()
    {
        if (s_asksForMac) Here(null) = new MacOnLinux();
    }

    [UnsafeAccessor(UnsafeAccessorKind.StaticField, Name = nameof(SystemFile.Here))]
    private static extern ref SystemFile Here(SystemFile? type);

    // macOS' way with Linux's numbers and structures.
    private sealed class MacOnLinux : MacFile
    {
        public override FileIdentity? IdentityOf(SafeFileHandle file) => FileIdentity.Of(file);

        public override FileIdentity? IdentityOf(string path) => FileIdentity.Of(path);

        public override IEnumerable<(long Start, long End)> DataParts(SafeFileHandle file, long length) =>
            DataParts(file, length, Posix.SEEK_DATA, Posix.SEEK_HOLE);

        protected override int WithoutWaiting => Posix.O_CLOEXEC | Posix.O_NONBLOCK;

        protected override int TakenError => Errno.EAGAIN;

        protected override bool SetLock(SafeFileHandle file, LockKind kind, LockByte which)
        {
            short type = kind switch { LockKind.Shared => Posix.F_RDLCK, LockKind.Exclusive => Posix.F_WRLCK, _ => Posix.F_UNLCK };
            Posix.Flock request = new() { Type = type, Start = (long)which, Length = 1 };
            return Fcntl(file, Posix.F_OFD_SETLK, &request) == 0;
        }
    }
}
