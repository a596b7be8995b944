using System.Runtime.Versioning;
using MemPrims.Systems;

namespace MemPrims.Records.Tests;

// A file that is made of another one's content is open to nobody else, from before its first byte.
[UnsupportedOSPlatform("windows")]
public sealed partial class RightsTests
{
    private const UnixFileMode Mine = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    [Fact]
    public void Copies_have_the_mode_of_their_file_while_they_are_made()
    {
        using TempFolder folder = TempFolder.With("watched", out string path);
        MappedFile<Watched>.Create(path).Dispose();
        foreach (UnixFileMode mode in (UnixFileMode[])[Mine, Mine | UnixFileMode.GroupRead,
            Mine | UnixFileMode.OtherWrite | UnixFileMode.OtherRead])
        {
            File.SetUnixFileMode(path, mode);
            List<UnixFileMode> seen = [];
            Watched.Looks = () => seen.AddRange(Directory.GetFiles(folder.Path, "*.new").Select(File.GetUnixFileMode));
            MappedFiles.Compact<Watched>(path);
            Assert.Equal(mode, File.GetUnixFileMode(path));
            foreach (Action<string> make in (Action<string>[])[to => RecordCalls.CopyTo<Watched>(path, to),
                to => MappedFiles.Salvage<Watched>(path, to)])
            {
                make(folder.File("made"));
                Assert.Equal(mode, File.GetUnixFileMode(folder.File("made")));
                File.Delete(folder.File("made"));
            }
            Watched.Looks = null;
            Assert.NotEmpty(seen);
            Assert.All(seen, found => Assert.Equal(mode, found));
        }
    }

    [SkippableFact]
    public void Copies_have_the_owner_and_the_ACL_of_their_file_and_not_their_folders()
    {
        using TempFolder folder = TempFolder.With("cells", out string path);
        MappedFile<Cell>.Create(path).Dispose();
        // user::rw-, user:1234:r--, group::---, mask::rw-, other::---
        byte[] acl = Acl((Owner, 6, NoId), (User, 4, 1234u), (Group, 0, NoId), (Mask, 6, NoId), (Other, 0, NoId));
        byte[] open = Acl((Owner, 7, NoId), (User, 7, 4321u), (Group, 7, NoId), (Mask, 7, NoId), (Other, 7, NoId));
        if (SetAttribute(folder.Path, "system.posix_acl_default", open, open.Length, 0) != 0)
            throw new SkipTestException("needs a temporary folder on a file system with ACLs");
        foreach (bool hasAcl in (bool[])[false, true])
        {
            if (hasAcl) Assert.Equal(0, SetAttribute(path, AclName, acl, acl.Length, 0));
            RecordCalls.CopyTo<Cell>(path, folder.File("copy"));
            MappedFiles.Salvage<Cell>(path, folder.File("saved"));
            MappedFiles.Compact<Cell>(path);
            foreach (string made in Directory.GetFiles(folder.Path))
            {
                byte[] found = new byte[256];
                nint length = GetAttribute(made, AclName, found, found.Length);
                Assert.Equal(hasAcl ? acl : [], found[..(int)Math.Max(length, 0)]);
                Assert.Equal(hasAcl ? Mine | UnixFileMode.GroupRead | UnixFileMode.GroupWrite
                    : Mine | UnixFileMode.GroupRead | UnixFileMode.OtherRead, File.GetUnixFileMode(made));
            }
            File.Delete(folder.File("copy"));
            File.Delete(folder.File("saved"));
        }
    }

    [Fact]
    public void A_log_has_the_rights_of_its_files_where_it_goes_on_and_where_it_is_saved()
    {
        using TempFolder folder = new();
        string log = folder.File("log"), saved = folder.File("saved");
        using (LogFile made = LogFile.Create(log))
        {
            made.Append(new byte[100]);
            made.Sync();
        }
        foreach (string file in Directory.GetFiles(log)) File.SetUnixFileMode(file, Mine);
        File.SetUnixFileMode(log, Mine | UnixFileMode.UserExecute);
        bool gives = Environment.IsPrivilegedProcess;
        foreach (string there in gives ? [log, .. Directory.GetFiles(log)] : (string[])[]) Assert.Equal(0, Own(there, 1234, 4321));
        using (LogFile opened = LogFile.Open(log, new() { FileBytes = 1 << 16 }))
        {
            for (int i = 0; i < 2000; i++) opened.Append(new byte[100]);
            opened.Sync();
        }
        LogFile.Salvage(log, saved);
        Assert.Equal(Mine | UnixFileMode.UserExecute, File.GetUnixFileMode(saved));
        string[] files = [.. Directory.GetFiles(log), .. Directory.GetFiles(saved)];
        Assert.True(files.Length > 6);
        Assert.All(files, static file => Assert.Equal(Mine, File.GetUnixFileMode(file)));
        if (!gives) return;
        Assert.All(files.Append(saved), static there => Assert.Equal(1234u, SystemFile.Here.IdentityOf(there)!.Value.User));

        // A folder that was there, and its lock, stay as they are.
        Directory.CreateDirectory(folder.File("mine"));
        LogFile.Salvage(log, folder.File("mine"));
        Assert.All((string[])[folder.File("mine"), folder.File("mine/lock")],
            static there => Assert.Equal(0u, SystemFile.Here.IdentityOf(there)!.Value.User));
        Assert.All(Directory.GetFiles(folder.File("mine"), "*.log"), static file => Assert.Equal(Mine, File.GetUnixFileMode(file)));
    }

    // Another user may read the file, and owns the copy: with another group, the copy's group may do no more than the old one and others.
    [SkippableFact]
    public void Who_may_not_give_a_file_away_opens_its_copy_to_nobody_else()
    {
        if (!Environment.IsPrivilegedProcess) throw new SkipTestException("needs to become another user");
        using TempFolder folder = TempFolder.With("cells", out string path);
        using (MappedFile<Cell> file = MappedFile<Cell>.Create(path))
        using (WriteTransaction<Cell> tx = file.BeginWrite())
        {
            tx.Append();
            tx.Commit();
        }
        File.SetUnixFileMode(path, Mine | UnixFileMode.GroupRead);
        File.SetUnixFileMode(folder.Path, (UnixFileMode)0x1FF);
        Assert.Equal(0, Own(path, 1234, 4321));
        Child.Run(CopyAsAnother, [path, folder.File("copy")]).AssertSucceeded();
        Assert.Equal(Mine, File.GetUnixFileMode(folder.File("copy")));
        Assert.Equal(Mine | UnixFileMode.GroupRead, File.GetUnixFileMode(path));
    }

    private static void CopyAsAnother(string[] arguments)
    {
        // All that is needed is loaded before root is given up.
        RecordCalls.CopyTo<Cell>(arguments[0], arguments[1]);
        File.Delete(arguments[1]);
        Assert.ThrowsAny<IOException>(() => RecordCalls.CopyTo<Cell>(arguments[0], arguments[0] + "/none"));
        using MappedFile<Cell> file = MappedFile<Cell>.OpenRead(arguments[0]);
        file.Verify();
        Assert.Equal(0, BecomeGroup(65534));
        Assert.Equal(0, BecomeUser(65534));
        file.CopyTo(arguments[1]);
    }

    private const string AclName = "system.posix_acl_access";
    private const int Owner = 1, User = 2, Group = 4, Mask = 16, Other = 32;
    private const uint NoId = uint.MaxValue;

    // As linux/posix_acl_xattr.h has it: a version, then tag, permissions and id of each entry.
    private static byte[] Acl(params (int Tag, int May, uint Id)[] entries)
    {
        List<byte> bytes = [2, 0, 0, 0];
        foreach ((int tag, int may, uint id) in entries)
            bytes.AddRange([.. BitConverter.GetBytes((ushort)tag), .. BitConverter.GetBytes((ushort)may), .. BitConverter.GetBytes(id)]);
        return [.. bytes];
    }

    [LibraryImport("libc", EntryPoint = "setxattr", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int SetAttribute(string path, string name, byte[] value, nint length, int flags);

    [LibraryImport("libc", EntryPoint = "getxattr", StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint GetAttribute(string path, string name, [Out] byte[] value, nint length);

    [LibraryImport("libc", EntryPoint = "chown", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Own(string path, uint user, uint group);

    [LibraryImport("libc", EntryPoint = "setgid")]
    private static partial int BecomeGroup(int group);

    [LibraryImport("libc", EntryPoint = "setuid")]
    private static partial int BecomeUser(int user);

    // A record whose layout is asked for while its file is made, and which then looks around.
    private readonly struct Watched : IMappedRecord<Watched>
    {
        [ThreadStatic]
        private static Action? s_looks;

        private static readonly RecordLayout s_layout = new("Watched", 0x3A7C, 1, [new(1, 8, 8)], []);

        public static Action? Looks
        {
            set => s_looks = value;
        }

        public static RecordLayout Layout
        {
            get
            {
                s_looks?.Invoke();
                return s_layout;
            }
        }

        public static Watched Over(RecordSlot slot) => default;
    }
}
