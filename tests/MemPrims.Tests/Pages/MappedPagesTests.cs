using System.Runtime.InteropServices;
using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Files of pages: several trees, checkpoints and what is left of them after a crash, long files, foreign files.
public sealed unsafe partial class MappedPagesTests
{
    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"orders/{number:0000000}");

    [Fact]
    public void Several_trees_by_name_are_there_when_the_file_is_opened_again()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        byte[][] names = [[], "by city"u8.ToArray(), "by date"u8.ToArray(), [0]];
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            SortedTree unnamed = new(file);
            for (int i = 0; i < 3000; i++)
            {
                Assert.True(file.Tree(names[i % 4]).Set(Key(i), [(byte)i]));
                unnamed.Set(Key(i), []);
            }
            Assert.Same(file.Tree("by city"u8), file.Tree(names[1]));
            Assert.Throws<ArgumentException>(() => file.Tree(new byte[512]));
        }
        using (MappedPages file = MappedPages.Open(path))
        {
            long pages = new SortedTree(file).Statistics.Pages;
            Assert.Equal(3000, new SortedTree(file).Count);
            for (int n = 0; n < 4; n++)
            {
                SortedTree tree = file.Tree(names[n]);
                tree.Verify();
                Assert.Equal(750, tree.Count);
                for (int i = 0; i < 3000; i++)
                    Assert.Equal(i % 4 == n, tree.TryGet(Key(i), out ReadOnlySpan<byte> value) && value[0] == (byte)i);
                tree.Clear();
                pages += tree.Statistics.Pages;
            }
            Assert.Equal(0, file.Tree("new"u8).Count);
            Assert.True(pages > 30);
        }
        using (MappedPages file = MappedPages.Open(path))
        {
            Assert.True(file.WasClosedCleanly);
            Assert.Equal(0, file.Tree("by city"u8).Count);
        }
        using MappedPages closed = MappedPages.Open(path);
        SortedTree last = closed.Tree("by city"u8);
        closed.Dispose();
        Assert.Throws<ObjectDisposedException>(() => closed.Tree("by city"u8));
        foreach (Func<object> use in (Func<object>[])[() => closed.Names, () => closed.Drop("by city"u8),
            () => last.TryGet([1], out _), () => last.Count])
            Assert.Equal(typeof(MappedPages).FullName, Assert.Throws<ObjectDisposedException>(() => { use(); }).ObjectName);
        Assert.Throws<ObjectDisposedException>(() => closed.Checkpoint(1));
        Assert.Throws<ObjectDisposedException>(() => last.Set([1], []));
    }

    // A process that dies while it makes a file has renamed nothing: under the name is the whole file, or what was there before.
    [Fact]
    public void A_file_is_made_beside_and_renamed_when_it_is_whole()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            Assert.Equal([path], Directory.GetFileSystemEntries(folder.Path));
            Assert.Throws<IOException>(() => MappedPages.Create(path));
            Assert.Contains("in this process or another", Assert.Throws<IOException>(() => MappedPages.Open(path)).Message);
            Assert.True(file.Tree("by city"u8).Set([1], [2]));
        }
        // The name cannot be had: nothing is left, and what was there stays.
        string taken = folder.File("taken");
        Directory.CreateDirectory(Path.Combine(taken, "inside"));
        Assert.Throws<IOException>(() => MappedPages.Create(taken));
        Assert.Equal([path, taken], Directory.GetFileSystemEntries(folder.Path).Order());
        using MappedPages opened = MappedPages.Open(path);
        Assert.Equal(1, opened.Tree("by city"u8).Count);
    }

    // Power is lost: pages of the header's time and older ones are mixed. The header has no mark, so it is the caller who decides.
    [Fact]
    public void A_list_of_free_pages_that_a_crash_left_unsound_is_forgotten()
    {
        using TempFolder folder = new();
        string path = folder.File("index"), copy = folder.File("copy");
        int opened = 0;
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            SortedTree tree = file.Tree("t"u8);
            for (int i = 0; i < 2000; i++) tree.Set(Key(i), []);
            for (int i = 0; i < 1500; i++) tree.Remove(Key(i));
            file.Flush();
            byte[] bytes = new byte[file.PageCount * 512];
            file.HeaderPage.CopyTo(bytes);
            for (uint page = 1; page < file.PageCount; page++)
                new ReadOnlySpan<byte>(file.Page(page), 512).CopyTo(bytes.AsSpan((int)page * 512));
            Random random = Seeds.Random(7);
            for (int round = 0; round < 30; round++)
            {
                byte[] mixed = [.. bytes];
                for (int page = 1; page < mixed.Length / 512; page++)
                    if (random.Next(8) == 0) mixed.AsSpan(page * 512, 512).Clear();
                File.WriteAllBytes(copy, mixed);
                using MappedPages after = MappedPages.Open(copy);
                Assert.False(after.WasClosedCleanly);
                uint page1 = after.Allocate(), page2 = after.Allocate();
                Assert.True(page1 != page2 && after.Page(page1) != null);
                opened++;
            }
        }
        Assert.Equal(30, opened);
    }

    [Fact]
    public void A_checkpoint_is_told_as_long_as_nothing_was_changed_after_it()
    {
        using TempFolder folder = new();
        string path = folder.File("index"), copy = folder.File("copy");
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            Assert.Equal((true, 0L), (file.WasClosedCleanly, file.LastCheckpoint));
            Assert.Equal((false, 0L), Opened(file, copy));
            SortedTree tree = file.Tree("a"u8);
            tree.Set(Key(1), []);
            file.Checkpoint(7);
            Assert.Equal(7L, file.LastCheckpoint);
            Assert.Equal((true, 7L), Opened(file, copy));
            // Reading is no change.
            Assert.True(tree.TryGet(Key(1), out _) && tree.Scan().Next());
            Assert.Equal((true, 7L), Opened(file, copy));
            tree.Set(Key(2), []);
            Assert.Equal((false, 0L), Opened(file, copy));
            file.Checkpoint(long.MinValue);
            file.Checkpoint(3);
            Assert.Equal((true, 3L), Opened(file, copy));
            tree.Set(Key(3), []);
        }
        using (MappedPages file = MappedPages.Open(path))
            Assert.Equal((true, 3L, 3L), (file.WasClosedCleanly, file.LastCheckpoint, file.Tree("a"u8).Count));
        // A file that was not closed cleanly is not made clean by closing it.
        using (MappedPages file = MappedPages.Open(path))
        {
            file.Tree("a"u8).Set(Key(4), []);
            File.WriteAllBytes(copy, Image(file));
        }
        using (MappedPages file = MappedPages.Open(copy)) file.Tree("a"u8).Set(Key(5), []);
        using (MappedPages file = MappedPages.Open(copy))
        {
            Assert.Equal((false, 0L), (file.WasClosedCleanly, file.LastCheckpoint));
            file.Tree("a"u8).Verify();
            file.Checkpoint(9);
        }
        using (MappedPages file = MappedPages.Open(copy)) Assert.Equal((true, 9L), (file.WasClosedCleanly, file.LastCheckpoint));

        static (bool, long) Opened(MappedPages file, string copy)
        {
            File.WriteAllBytes(copy, Image(file));
            using MappedPages opened = MappedPages.Open(copy);
            return (opened.WasClosedCleanly, opened.LastCheckpoint);
        }
    }

    // The process died: its pages are as it left them, in the same file, on a machine that still runs.
    [LinuxFact]
    public void A_file_whose_process_died_is_intact_and_its_copy_is_not()
    {
        using TempFolder folder = new();
        string path = folder.File("index"), copy = folder.File("copy");
        byte[] image;
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            Assert.True(file.IsIntact);
            Assert.Equal((false, true), AfterDeath(file, Image(file)));
        }
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            SortedTree tree = file.Tree("a"u8);
            tree.Set(Key(1), []);
            file.Checkpoint(7);
            Assert.Equal((true, true), AfterDeath(file, Image(file)));
        }
        using (MappedPages file = MappedPages.Open(path))
        {
            Assert.Equal((true, 7L), (file.IsIntact, file.LastCheckpoint));
            file.Tree("a"u8).Set(Key(2), []);
            Assert.Equal((false, true), AfterDeath(file, image = Image(file)));
        }
        using (MappedPages file = MappedPages.Open(path))
        {
            Assert.Equal((false, true, 7L), (file.WasClosedCleanly, file.IsIntact, file.LastCheckpoint));
            Assert.Equal(2, file.Tree("a"u8).Count);
            file.Tree("a"u8).Set(Key(3), []);
            image = Image(file);
        }
        // It was intact, and so a close makes it clean.
        using (MappedPages file = MappedPages.Open(path)) Assert.True(file.WasClosedCleanly && file.Tree("a"u8).Count == 3);

        File.WriteAllBytes(copy, image);
        Assert.Equal((false, false), Opened(copy));
        // The machine was started anew.
        File.WriteAllBytes(path, image);
        Change(path, 41);
        Assert.Equal((false, false), Opened(path));
        // A mark that is not right counts as none, and tells that the header was not written as a whole.
        File.WriteAllBytes(path, image);
        Change(path, 29);
        Assert.Equal((false, false), Opened(path));
        // Another file was put in its place.
        File.WriteAllBytes(path, image);
        Assert.Equal((false, true), Opened(path));
        File.WriteAllBytes(path, image);
        File.Move(copy, path, overwrite: true);
        Assert.Equal((false, false), Opened(path));

        (bool, bool) AfterDeath(MappedPages file, byte[] now)
        {
            file.Dispose();
            File.WriteAllBytes(path, now);
            (bool, bool) told = Opened(path);
            File.WriteAllBytes(path, now);
            return told;
        }

        static (bool, bool) Opened(string path)
        {
            using MappedPages opened = MappedPages.Open(path);
            return (opened.WasClosedCleanly, opened.IsIntact);
        }

        static void Change(string path, int at)
        {
            byte[] bytes = File.ReadAllBytes(path);
            bytes[at] ^= 2;
            File.WriteAllBytes(path, bytes);
        }
    }

    // A part of the entries must not pass for all of them, and a change that was not finished is told by its tree.
    [LinuxFact]
    public void A_file_whose_process_died_in_a_build_is_not_intact()
    {
        using TempFolder folder = new();
        foreach (bool fails in (bool[])[true, false]) DieInBuild(folder.File("index"), fails);
    }

    private static void DieInBuild(string path, bool fails)
    {
        byte[] image = [];
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            SortedTree tree = file.Tree("a"u8);
            if (fails) Assert.Throws<TimeoutException>(() => tree.BuildFrom(Entries()));
            else tree.BuildFrom(Entries());
            byte[] after = Image(file);
            file.Dispose();
            File.WriteAllBytes(path, after);
            using (MappedPages built = MappedPages.Open(path)) Assert.Equal(!fails, built.IsIntact);

            IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Entries()
            {
                for (int i = 0; i < 100; i++) yield return new(Key(i), default);
                image = Image(file);
                if (fails) throw new TimeoutException();
            }
        }
        File.WriteAllBytes(path, image);
        using (MappedPages file = MappedPages.Open(path)) Assert.Equal((false, false), (file.WasClosedCleanly, file.IsIntact));
    }

    [LinuxFact]
    public void A_change_in_which_the_process_died_is_told_by_its_tree()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        byte[] image;
        uint header;
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            file.Tree("a"u8).Set(Key(1), []);
            file.Tree("b"u8).Set(Key(1), []);
            header = file.RootOf("a"u8.ToArray());
            image = Image(file);
        }
        // The number of changes, which is odd while one is being made.
        image[header * 512 + 24] ^= 1;
        File.WriteAllBytes(path, image);
        using MappedPages opened = MappedPages.Open(path);
        Assert.True(opened.IsIntact);
        Assert.Throws<PageDamagedException>(() => opened.Tree("a"u8));
        opened.Tree("b"u8).Verify();
    }

    // Trees that can be used stay. What cannot be used is made anew, but for a file that is none of pages: that is a wrong path.
    [LinuxFact]
    public void OpenOrCreate_keeps_what_is_intact_and_makes_the_rest_anew()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        byte[] image;
        uint header;
        using (MappedPages file = MappedPages.OpenOrCreate(path, 512))
        {
            Assert.Equal((0, 512, null), (file.Names.Count, file.PageSize, file.Replaced));
            file.Tree("a"u8).Set(Key(1), []);
            file.Tree("b"u8).Set(Key(1), []);
            (header, image) = (file.RootOf("b"u8.ToArray()), Image(file));
        }
        using (MappedPages file = MappedPages.OpenOrCreate(path, 1024))
        {
            Assert.Equal((2, 1L, 512), (file.Names.Count, file.Tree("a"u8).Count, file.PageSize));
            Assert.Throws<IOException>(() => MappedPages.OpenOrCreate(path));
        }
        // The process died: all is there. Then it died in the middle of a change, the machine stopped, the file is cut off.
        Assert.Equal((2, true), Opened(image, why: null));
        image[header * 512 + 24] ^= 1;
        Assert.Equal((0, true), Opened(image, "not finished"));
        image[header * 512 + 24] ^= 1;
        image[41] ^= 2;
        Assert.Equal((0, true), Opened(image, "not closed"));
        Assert.Equal((0, true), Opened(image[..100], ""));

        byte[] letter = "Dear Sir or Madam"u8.ToArray();
        File.WriteAllBytes(path, letter);
        Assert.Throws<PageDamagedException>(() => MappedPages.OpenOrCreate(path));
        Assert.Equal(letter, File.ReadAllBytes(path));
        Assert.Throws<ArgumentException>(() => MappedPages.OpenOrCreate(path, 500));

        (int, bool) Opened(byte[] now, string? why)
        {
            File.WriteAllBytes(path, now);
            using MappedPages opened = MappedPages.OpenOrCreate(path, 512);
            Assert.Equal(why is null, opened.Replaced is null);
            Assert.Contains(why ?? "", opened.Replaced?.Message ?? "");
            return (opened.Names.Count, opened.IsIntact);
        }
    }

    // Power is lost at every operation and every sync: each page of the disk has what the last sync brought there, or what it has been at
    // any later time that was looked at. What then is said to be clean has to be sound, and to have what the checkpoint had.
    [Fact]
    public void After_a_loss_of_power_a_mark_is_true()
    {
        int marked = 0, unmarked = 0;
        for (int round = 0; round < LongRuns.Of(12, 300); round++) LosePower(Seeds.Random(round), ref marked, ref unmarked);
        Assert.True(marked > 30 && unmarked > 100, $"{marked} {unmarked}");
    }

    private static void LosePower(Random random, ref int marked, ref int unmarked)
    {
        using TempFolder folder = new();
        string path = folder.File("index"), copy = folder.File("copy");
        Dictionary<long, SortedDictionary<byte[], byte[]>> checkpoints = [];
        SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
        List<byte[]> sinceSync = [];
        long number = 0;
        int seenMarked = 0, seenUnmarked = 0;
        using (MappedPages created = MappedPages.Create(path, 512)) created.Tree("a"u8).Set(Key(0), model[Key(0)] = []);
        checkpoints[0] = Copy(model);
        using MappedPages file = MappedPages.Open(path);
        sinceSync.Add(Image(file));
        SortedTree tree = file.Tree("a"u8);
        file.Synced = all =>
        {
            // The power may be lost just before this sync was done.
            Lose();
            byte[] now = Image(file);
            if (all) sinceSync.Clear();
            else
            {
                for (int i = 0; i < sinceSync.Count; i++) now.AsSpan(0, 512).CopyTo(sinceSync[i]);
            }
            if (all) sinceSync.Add(now);
        };
        for (int step = 0; step < 40; step++)
        {
            if (random.Next(6) == 0)
            {
                checkpoints[++number] = Copy(model);
                file.Checkpoint(number);
            }
            else
            {
                byte[] key = Key(random.Next(60)), value = new byte[random.Next(6) == 0 ? 900 : random.Next(30)];
                if (random.Next(3) == 0)
                {
                    tree.Remove(key);
                    model.Remove(key);
                }
                else tree.Set(key, model[key] = value);
            }
            Lose();
            sinceSync.Add(Image(file));
            if (sinceSync.Count > 6) sinceSync.RemoveAt(1);
        }
        file.Synced = null;
        marked += seenMarked;
        unmarked += seenUnmarked;

        void Lose()
        {
            for (int draw = 0; draw < 3; draw++)
            {
                byte[] now = Image(file), disk = [.. now];
                for (int at = 0; at < disk.Length; at += 512)
                {
                    int choice = random.Next(sinceSync.Count + 1);
                    byte[] from = choice == sinceSync.Count ? now : sinceSync[choice];
                    if (at + 512 <= from.Length) from.AsSpan(at, 512).CopyTo(disk.AsSpan(at));
                    else disk.AsSpan(at, 512).Clear();
                }
                File.WriteAllBytes(copy, disk);
                MappedPages? opened = null;
                try
                {
                    opened = MappedPages.Open(copy);
                }
                catch (PageDamagedException)
                {
                    // The header and its list of free pages do not fit together: then it was not marked.
                    Assert.Equal(0u, MemoryMarshal.Read<uint>(disk.AsSpan(28)));
                    seenUnmarked++;
                    continue;
                }
                using (opened)
                {
                    if (!opened.WasClosedCleanly)
                    {
                        seenUnmarked++;
                        continue;
                    }
                    seenMarked++;
                    ModelCheck.Same(checkpoints[opened.LastCheckpoint], opened.Tree("a"u8));
                }
            }
        }

        static SortedDictionary<byte[], byte[]> Copy(SortedDictionary<byte[], byte[]> model) => new(model, model.Comparer);
    }

    // What the system would read of the file now.
    private static byte[] Image(MappedPages file)
    {
        byte[] image = new byte[file.PageCount * file.PageSize];
        file.HeaderPage.CopyTo(image);
        for (uint page = 1; page < file.PageCount; page++)
            new ReadOnlySpan<byte>(file.Page(page), file.PageSize).CopyTo(image.AsSpan((int)page * file.PageSize));
        return image;
    }

    [LinuxFact]
    public void A_long_file_is_opened_at_once_and_grows_by_few_maps()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        MappedPages.Create(path, 65_536).Dispose();
        const long length = 2L << 40;
        using (FileStream file = new(path, FileMode.Open))
        {
            // A sparse file whose header says that all of its pages were given out.
            file.SetLength(length);
            file.Position = 8;
            file.Write(BitConverter.GetBytes((uint)(length >> 16)));
        }
        System.Diagnostics.Stopwatch watch = System.Diagnostics.Stopwatch.StartNew();
        using (MappedPages pages = MappedPages.Open(path))
        {
            Assert.True(watch.Elapsed < TimeSpan.FromSeconds(2), $"{watch.Elapsed}");
            Assert.True(pages.Page((uint)(length >> 16) - 1) != null && *pages.Page((uint)(length >> 16) - 1) == 0);
            for (int i = 0; i < 300; i++) *pages.Page(pages.Allocate()) = 1;
            Assert.InRange(File.ReadLines("/proc/self/maps").Count(line => line.Contains(path)), 1, 4);
        }
    }

    [LinuxFact]
    public void A_system_that_maps_no_more_is_an_IOException()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        MappedPages.Create(path, 4096).Dispose();
        Child.Run(MapTooMuch, [path]).AssertSucceeded();
        Assert.Equal(4096L << 20, new FileInfo(path).Length);
    }

    private static void MapTooMuch(string[] arguments)
    {
        using (FileStream file = new(arguments[0], FileMode.Open))
        {
            file.SetLength(4096L << 20);
            file.Position = 8;
            file.Write(BitConverter.GetBytes(1u << 20));
        }
        string size = File.ReadLines("/proc/self/status").First(line => line.StartsWith("VmSize:"));
        long used = long.Parse(size.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)[1]) * 1024;
        Limit limit = default;
        Assert.Equal(0, GetLimit(AddressSpace, ref limit));
        Assert.Equal(0, SetLimit(AddressSpace, limit with { Soft = (ulong)used + (1ul << 30) }));
        Assert.Contains(arguments[0], Assert.Throws<IOException>(() => MappedPages.Open(arguments[0])).Message);
        Assert.Equal(0, SetLimit(AddressSpace, limit));
    }

    private const int AddressSpace = 9;

    private struct Limit
    {
        public ulong Soft, Hard;
    }

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int GetLimit(int resource, ref Limit limit);

    [LibraryImport("libc", EntryPoint = "setrlimit")]
    private static partial int SetLimit(int resource, in Limit limit);

    [Theory]
    [InlineData(""), InlineData("x")]
    [InlineData("Dear reader, this is a text that is longer than a header of pages, and so not cut off by it.\n")]
    public void A_foreign_file_is_no_file_of_pages_and_stays_as_it_is(string text)
    {
        using TempFolder folder = new();
        string path = folder.File("notes.txt");
        File.WriteAllText(path, text);
        PageDamagedException refused = Assert.Throws<PageDamagedException>(() => MappedPages.Open(path));
        Assert.Contains("no file of pages", refused.Message);
        Assert.DoesNotContain("damage", refused.Message);
        Assert.Contains(path, refused.Message);
        Assert.Contains(text == "" ? "is empty" : $"begins with {Convert.ToHexString([(byte)text[0]])}", refused.Message);
        Assert.EndsWith("delete it.", refused.Message);
        Assert.Throws<PageDamagedException>(() => MappedPages.OpenOrCreate(path));
        Assert.Equal(text, File.ReadAllText(path));
    }

    [Fact]
    public void Without_a_folder_nothing_is_made_and_the_path_that_was_given_is_named()
    {
        using TempFolder folder = new();
        string path = Path.Combine(folder.File("none"), "index");
        foreach (Func<MappedPages> make in (Func<MappedPages>[])[() => MappedPages.Create(path), () => MappedPages.OpenOrCreate(path)])
        {
            DirectoryNotFoundException told = Assert.Throws<DirectoryNotFoundException>(() => make());
            Assert.Contains(path, told.Message);
            Assert.DoesNotContain(".new", told.Message);
        }
        Assert.Empty(Directory.EnumerateFileSystemEntries(Path.GetDirectoryName(folder.File("none"))!));
    }
}
