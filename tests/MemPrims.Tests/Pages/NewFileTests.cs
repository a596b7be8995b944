using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using MemPrims.Pages;
using MemPrims.Systems;

namespace MemPrims.Tests.Pages;

// What lies where a file of pages is made: only a file of that very name is replaced, and nothing else is touched.
public unsafe partial class NewFileTests
{
    [Fact]
    public void A_file_of_the_name_and_new_is_somebody_else_s()
    {
        using TempFolder folder = new();
        string path = folder.File("index"), other = path + ".new";
        File.WriteAllBytes(other, [1, 2, 3]);
        MappedPages.Create(path, 512).Dispose();
        MappedPages.Create(path, 512).Dispose();
        Assert.Equal([1, 2, 3], File.ReadAllBytes(other));
        Assert.Equal([path, other], Directory.GetFiles(folder.Path).Order());
    }

    // Each thread opens or makes the file, adds an entry and closes it. One that finds it in use tries again.
    [Theory]
    [InlineData(false), InlineData(true)]
    public void Of_threads_that_open_or_make_one_file_none_replaces_what_another_wrote(bool isThereDamaged)
    {
        const int threads = 8, changes = 20;
        for (int round = 0; round < 5; round++)
        {
            using TempFolder folder = new();
            string path = folder.File("index");
            if (isThereDamaged)
            {
                MappedPages.Create(path, 512).Dispose();
                using FileStream damage = new(path, FileMode.Open);
                damage.Position = 8;
                damage.Write([255, 255, 255, 255]);
            }
            using Barrier together = new(threads);
            Thread[] all = [.. Enumerable.Range(0, threads).Select(thread => new Thread(() =>
            {
                together.SignalAndWait();
                for (int i = 0; i < changes;)
                {
                    try
                    {
                        using MappedPages pages = MappedPages.OpenOrCreate(path, 512);
                        pages.Tree("t"u8).Set(BitConverter.GetBytes(thread * changes + i), "v"u8);
                        pages.Checkpoint(++i);
                    }
                    catch (IOException e) when (e.Message.Contains("in use"))
                    {
                        Thread.Yield();
                    }
                }
            }))];
            foreach (Thread thread in all) thread.Start();
            foreach (Thread thread in all) thread.Join();
            using MappedPages there = MappedPages.Open(path);
            Assert.Equal(threads * changes, there.Tree("t"u8).Count);
        }
    }

    [LinuxFact]
    public void A_link_of_the_name_and_new_is_not_followed()
    {
        using TempFolder folder = new();
        string path = folder.File("index"), victim = folder.File("victim");
        File.WriteAllBytes(victim, [1, 2, 3]);
        File.CreateSymbolicLink(path + ".new", victim);
        MappedPages.Create(path, 512).Dispose();
        Assert.Equal([1, 2, 3], File.ReadAllBytes(victim));
        Assert.Equal(victim, new FileInfo(path + ".new").LinkTarget);
    }

    [LinuxFact]
    public void A_link_stays_and_the_file_that_it_leads_to_is_replaced()
    {
        using TempFolder folder = new();
        string target = folder.File("target"), second = folder.File("second"), link = folder.File("link");
        File.WriteAllBytes(target, [1, 2, 3]);
        File.CreateSymbolicLink(second, "target");
        File.CreateSymbolicLink(link, "second");
        using (MappedPages file = MappedPages.Create(link, 512)) file.Checkpoint(7);
        Assert.Equal("second", new FileInfo(link).LinkTarget);
        Assert.Equal("target", new FileInfo(second).LinkTarget);
        using MappedPages opened = MappedPages.Open(target);
        Assert.Equal(7L, opened.LastCheckpoint);
        // It is the same file by both names.
        Assert.Throws<IOException>(() => MappedPages.Create(link));
    }

    // By its text alias/../g would be the g beside alias.
    [LinuxFact]
    public void What_follows_a_link_is_where_the_system_finds_it()
    {
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.File("real/inner"));
        Directory.CreateSymbolicLink(folder.File("alias"), "real/inner");
        File.CreateSymbolicLink(folder.File("real/inner/f"), "../g");
        using (MappedPages meant = MappedPages.Create(folder.File("real/g"), 512)) meant.Checkpoint(7);
        using (MappedPages other = MappedPages.Create(folder.File("g"), 512)) other.Checkpoint(9);
        foreach (string path in (string[])["/alias/f", "/alias/../g"])
            using (MappedPages opened = MappedPages.Open(folder.Path + path)) Assert.Equal(7L, opened.LastCheckpoint);
        File.Delete(folder.File("real/inner/f"));
        using (MappedPages made = MappedPages.Create(folder.Path + "/alias/../new", 512)) made.Checkpoint(8);
        Assert.True(File.Exists(folder.File("real/new")) && !File.Exists(folder.File("new")));
    }

    [LinuxFact]
    public void A_link_to_nothing_or_to_itself_is_refused_and_stays()
    {
        using TempFolder folder = new();
        string nowhere = folder.File("nowhere"), round = folder.File("round");
        File.CreateSymbolicLink(nowhere, folder.File("none"));
        File.CreateSymbolicLink(round, round);
        foreach (string path in (string[])[nowhere, round])
        {
            Assert.Contains(folder.Path, Assert.Throws<IOException>(() => MappedPages.Create(path)).Message);
            Assert.ThrowsAny<IOException>(() => MappedPages.OpenOrCreate(path));
            Assert.NotNull(new FileInfo(path).LinkTarget);
        }
        Assert.Equal(2, Directory.GetFileSystemEntries(folder.Path).Length);
    }

    [LinuxFact]
    public void A_pipe_and_a_folder_are_refused_and_stay()
    {
        using TempFolder folder = new();
        string pipe = folder.File("pipe"), inner = folder.File("folder"), link = folder.File("link");
        Assert.Equal(0, MakePipe(pipe, 0x1B6));
        Directory.CreateDirectory(inner);
        File.CreateSymbolicLink(link, pipe);
        foreach (string path in (string[])[pipe, inner, link])
        {
            Assert.Contains(folder.Path, Assert.Throws<IOException>(() => MappedPages.Create(path)).Message);
            Assert.Throws<IOException>(() => MappedPages.Open(path));
            Assert.Throws<IOException>(() => MappedPages.OpenOrCreate(path));
        }
        Assert.Equal([inner, link, pipe], Directory.GetFileSystemEntries(folder.Path).Order());
    }

    // It takes its name between the look and the opening. Opening it to write waits for nobody, and it is no file then.
    [LinuxFact]
    public void A_pipe_that_comes_when_a_file_was_seen_is_refused_too()
    {
        using TempFolder folder = new();
        string path = folder.File("index"), file = folder.File("file"), pipe = folder.File("pipe"), name = folder.File("name");
        MappedPages.Create(file, 512).Dispose();
        MappedPages.Create(path, 512).Dispose();
        Assert.Equal(0, MakePipe(pipe, 0x1B6));
        using CancellationTokenSource stop = new();
        Task swaps = Task.Run(() =>
        {
            for (int i = 0; !stop.IsCancellationRequested; i++)
                if (Link(i % 2 == 0 ? pipe : file, name) == 0) File.Move(name, path, overwrite: true);
        });
        for (int i = 0; i < 20_000; i++)
        {
            try
            {
                MappedPages.Open(path).Dispose();
            }
            catch (IOException e)
            {
                Assert.Contains("an ordinary file", e.Message);
            }
        }
        stop.Cancel();
        swaps.Wait();
    }

    // To the system it names a folder, though a file is there.
    [LinuxFact]
    public void A_path_that_ends_as_a_folder_s_names_no_file()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        MappedPages.Create(path, 512).Dispose();
        byte[] before = File.ReadAllBytes(path);
        Assert.Throws<DirectoryNotFoundException>(() => MappedPages.Create(path + "/"));
        Assert.Throws<DirectoryNotFoundException>(() => MappedPages.OpenOrCreate(path + "/"));
        Assert.Equal(before, File.ReadAllBytes(path));
    }

    // The trees that are built in it have the content of the old ones.
    [LinuxFact, UnsupportedOSPlatform("windows")]
    public void What_takes_the_place_of_a_file_is_open_to_nobody_else()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        MappedPages.Create(path, 512).Dispose();
        const UnixFileMode mine = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        File.SetUnixFileMode(path, mine);
        bool gives = Environment.IsPrivilegedProcess && Own(path, 1234, 4321) == 0;
        MappedPages.Create(path, 512).Dispose();
        AssertMine();
        byte[] damaged = File.ReadAllBytes(path);
        damaged[10] ^= 1;
        File.WriteAllBytes(path, damaged);
        MappedPages.OpenOrCreate(path, 512).Dispose();
        Assert.NotEqual(damaged, File.ReadAllBytes(path));
        AssertMine();

        void AssertMine()
        {
            Assert.Equal(mine, File.GetUnixFileMode(path));
            FileIdentity made = SystemFile.Here.IdentityOf(path)!.Value;
            if (gives) Assert.Equal((1234u, 4321u), (made.User, made.Group));
        }
    }

    [Fact]
    public void A_file_that_cannot_be_made_leaves_nothing()
    {
        using TempFolder folder = new();
        string used = folder.File("used");
        using MappedPages file = MappedPages.Create(used, 512);
        Assert.Throws<IOException>(() => MappedPages.Create(used));
        Assert.Equal([used], Directory.GetFileSystemEntries(folder.Path));
        Assert.Throws<DirectoryNotFoundException>(() => MappedPages.Create(folder.File("none/index")));
    }

    [Fact]
    public void No_path_is_an_argument_of_its_name()
    {
        Assert.Equal("path", Assert.Throws<ArgumentNullException>(() => MappedPages.Create(null!)).ParamName);
        Assert.Equal("path", Assert.Throws<ArgumentException>(() => MappedPages.Create("")).ParamName);
        Assert.Equal("path", Assert.Throws<ArgumentNullException>(() => MappedPages.OpenOrCreate(null!)).ParamName);
        Assert.Equal("path", Assert.Throws<ArgumentException>(() => MappedPages.OpenOrCreate("")).ParamName);
    }

    [LibraryImport("libc", EntryPoint = "mkfifo", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakePipe(string path, uint mode);

    [LibraryImport("libc", EntryPoint = "link", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Link(string path, string name);

    [LibraryImport("libc", EntryPoint = "chown", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Own(string path, uint user, uint group);
}
