using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Files of pages where the system gives no more room: an IOException, a tree as it was, and a store that goes on when there is room again.
[UnsupportedOSPlatform("windows")]
public sealed partial class FullDiskTests
{
    private const int PageSize = 4096, Megabyte = 1 << 20;

    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"orders/{number:0000000}");

    [SmallDiskFact]
    public void A_full_disk_is_an_exception_and_the_tree_goes_on_when_there_is_room()
    {
        using SmallDisk disk = new("18m");
        Child.Run(FillTheDisk, [disk.File("index"), disk.File("other")]).AssertSucceeded();
    }

    [SmallDiskFact]
    public void A_file_with_a_hole_behind_its_pages_is_an_exception_on_a_full_disk()
    {
        using SmallDisk disk = new("4m");
        Child.Run(OpenWithHole, [disk.File("index"), disk.File("other")]).AssertSucceeded();
    }

    // The limit ends the first piece of the file, or its first growth: 16 MiB are mapped at a time.
    [LinuxFact]
    public void A_file_that_may_grow_no_longer_is_an_exception_and_goes_on_when_it_may()
    {
        using TempFolder folder = new();
        Child.Run(GrowToTheLimit, [folder.File("index"), (20 * Megabyte).ToString()]).AssertSucceeded();
        Child.Run(CreateAboveTheLimit, [folder.File("small")]).AssertSucceeded();
    }

    [LinuxFact]
    public void A_process_with_too_many_files_is_an_IOException_that_keeps_the_system_s_number()
    {
        using TempFolder folder = new();
        MappedPages.Create(folder.File("index")).Dispose();
        Child.Run(OpenOneTooMany, [folder.File("index"), folder.File("other")]).AssertSucceeded();
        Assert.False(File.Exists(folder.File("other")));
    }

    [LinuxFact, UnsupportedOSPlatform("windows")]
    public void A_folder_that_may_not_be_written_is_told_by_the_path_that_was_given()
    {
        using TempFolder folder = new(), other = new();
        File.SetUnixFileMode(folder.Path, (UnixFileMode)0x16D);     // r-xr-xr-x
        ChildResult made = Child.Run(CreateWithoutPermission, [folder.File("index"), other.File("index")]);
        File.SetUnixFileMode(folder.Path, (UnixFileMode)0x1ED);     // rwxr-xr-x
        made.AssertSucceeded();
    }

    private static void CreateWithoutPermission(string[] arguments)
    {
        // All that is needed is loaded before root is given up, whose files others may not read.
        MappedPages.Create(arguments[1]).Dispose();
        Scarcity.LeaveRoot();
        Assert.StartsWith($"{arguments[0]}: ", Assert.Throws<UnauthorizedAccessException>(() => MappedPages.Create(arguments[0])).Message);
    }

    private static void OpenOneTooMany(string[] arguments)
    {
        const int tooManyOpen = 24;
        // What both take of the runtime is loaded by then.
        MappedPages.Open(arguments[0]).Dispose();
        MappedPages.Create(arguments[0] + "0").Dispose();
        foreach ((string path, Action use) in ((string, Action)[])[(arguments[0], () => MappedPages.Open(arguments[0]).Dispose()),
            (arguments[1], () => MappedPages.Create(arguments[1]).Dispose())])
        {
            IOException told = Assert.IsType<IOException>(Scarcity.WithDescriptors(0, use));
            Assert.StartsWith(path, told.Message);
            Assert.Contains("ulimit -n", told.Message);
            Assert.Equal(tooManyOpen, told.HResult);
        }
    }

    private static void FillTheDisk(string[] arguments)
    {
        byte[] other = new byte[2 * Megabyte];
        File.WriteAllBytes(arguments[1], other);
        using (MappedPages pages = MappedPages.Create(arguments[0], PageSize))
        {
            SortedTree tree = new(pages);
            int count = Fill(tree, arguments[0], "Make room, then try again.");
            pages.Flush();
            // Updates of the same length need no room, and removals give some.
            for (int i = 0; i < count; i++) Assert.False(tree.Set(Key(i), Value(i)));
            for (int i = 0; i < 100; i++) Assert.True(tree.Remove(Key(i)));
            for (int i = 0; i < 40; i++) Assert.True(tree.Set(Key(i), Value(i)));
            File.Delete(arguments[1]);
            for (int i = 40; i < 100; i++) Assert.True(tree.Set(Key(i), Value(i)));
            for (int i = count; i < count + 2000; i++) Assert.True(tree.Set(Key(i), Value(i)));
            Check(tree, count + 2000);
        }
        using MappedPages again = MappedPages.Open(arguments[0]);
        Check(new(again), (int)new SortedTree(again).Count);
    }

    private static void OpenWithHole(string[] arguments)
    {
        using (MappedPages pages = MappedPages.Create(arguments[0], PageSize))
        {
            SortedTree tree = new(pages);
            for (int i = 0; i < 1000; i++) tree.Set(Key(i), Value(i));
        }
        // What a process that died left: more length than blocks.
        using (FileStream file = new(arguments[0], FileMode.Open)) file.SetLength(16 * Megabyte);
        Assert.Throws<IOException>(() => File.WriteAllBytes(arguments[1], new byte[4 * Megabyte]));
        using MappedPages opened = MappedPages.Open(arguments[0]);
        SortedTree reopened = new(opened);
        int count = 1000;
        Assert.Throws<IOException>(() =>
        {
            for (; count < 100_000; count++) reopened.Set(Key(count), Value(count));
        });
        Check(reopened, count);
        File.Delete(arguments[1]);
        Assert.True(reopened.Set(Key(count), Value(count)));
        Check(reopened, count + 1);
    }

    private static void GrowToTheLimit(string[] arguments)
    {
        using SizeLimit limit = new(ulong.Parse(arguments[1]));
        using (MappedPages pages = MappedPages.Create(arguments[0], PageSize))
        {
            SortedTree tree = new(pages);
            int count = Fill(tree, arguments[0], "(ulimit -f).");
            Assert.True(pages.PageCount >= 15 * Megabyte / PageSize);
            limit.Dispose();
            for (int i = count; i < count + 20_000; i++) Assert.True(tree.Set(Key(i), Value(i)));
            Check(tree, count + 20_000);
        }
        using MappedPages again = MappedPages.Open(arguments[0]);
        new SortedTree(again).Verify();
    }

    private static void CreateAboveTheLimit(string[] arguments)
    {
        using SizeLimit limit = new(Megabyte / 2);
        string why = Assert.Throws<IOException>(() => MappedPages.Create(arguments[0], PageSize)).Message;
        Assert.Equal($"{arguments[0]}: it may not grow to 1048576 bytes, since 524288 are the limit of this process (ulimit -f).", why);
        Assert.Empty(Directory.GetFiles(Path.GetDirectoryName(arguments[0])!, "*.new"));
        limit.Dispose();
        using (MappedPages pages = MappedPages.Create(arguments[0], PageSize)) Assert.True(new SortedTree(pages).Set(Key(1), Value(1)));
        // As a process that died leaves it: long enough to be mapped, so nothing has to grow.
        using (FileStream file = new(arguments[0], FileMode.Open)) file.SetLength(16 * Megabyte);
        using SizeLimit again = new(Megabyte / 2);
        using MappedPages opened = MappedPages.Open(arguments[0]);
        Assert.True(new SortedTree(opened).TryGet(Key(1), out _));
    }

    private static byte[] Value(int number) => new byte[200 + number % 100];

    // Sets new keys until there is no room, twice, and proves the tree: every key is there but the one that was refused.
    private static int Fill(SortedTree tree, string path, string advice)
    {
        int count = 0;
        for (int refusals = 0; refusals < 2; refusals++)
        {
            IOException full = Assert.Throws<IOException>(() =>
            {
                for (; count < 1_000_000; count++) tree.Set(Key(count), Value(count));
            });
            Assert.StartsWith($"{path}: it ", full.Message);
            Assert.EndsWith(advice, full.Message);
            Check(tree, count);
        }
        return count;
    }

    private static void Check(SortedTree tree, int count)
    {
        tree.Verify();
        Assert.Equal(count, tree.Count);
        for (int i = 0; i < count; i++) Assert.True(tree.TryGet(Key(i), out ReadOnlySpan<byte> value) && value.Length == Value(i).Length);
    }

    // No file of this process may be longer. A write beyond that ends the process by a signal.
    private sealed partial class SizeLimit : IDisposable
    {
        private const int FileSize = 1;

        private readonly Limit _before;

        public SizeLimit(ulong bytes)
        {
            Assert.Equal(0, GetLimit(FileSize, ref _before));
            Assert.Equal(0, SetLimit(FileSize, _before with { Soft = bytes }));
        }

        public void Dispose() => Assert.Equal(0, SetLimit(FileSize, _before));

        private struct Limit
        {
            public ulong Soft, Hard;
        }

        [LibraryImport("libc", EntryPoint = "getrlimit")]
        private static partial int GetLimit(int resource, ref Limit limit);

        [LibraryImport("libc", EntryPoint = "setrlimit")]
        private static partial int SetLimit(int resource, in Limit limit);
    }
}
