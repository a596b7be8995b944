using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// What trees over one store share: its end, its one writer, and the word that its file is sound.
public class StoreUseTests
{
    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"orders/{number:0000}");

    [Theory, InlineData(false), InlineData(true)]
    public void After_the_store_s_end_everything_says_so(bool inFile) => Child.Run(UseAfterEnd, [inFile.ToString()]).AssertSucceeded();

    private static void UseAfterEnd(string[] arguments)
    {
        using TempFolder folder = new();
        IPageStore store = bool.Parse(arguments[0]) ? MappedPages.Create(folder.File("index"), 512) : new MemoryPages(512);
        SortedTree tree = new(store), empty = new(new MemoryPages(512));
        // Enough that the system takes the memory back.
        for (int i = 0; i < 50_000; i++) tree.Set([.. Key(i), (byte)(i >> 8), (byte)i], new byte[20]);
        SortedCursor on = tree.Scan(), before = tree.Scan();
        Assert.True(on.Next() && on.Next());
        ((IDisposable)store).Dispose();
        int told = 0;
        try { _ = on.Key; } catch (ObjectDisposedException) { told++; }
        try { _ = on.Value; } catch (ObjectDisposedException) { told++; }
        try { on.Next(); } catch (ObjectDisposedException) { told++; }
        try { on.Previous(); } catch (ObjectDisposedException) { told++; }
        try { on.Skip(0); } catch (ObjectDisposedException) { told++; }
        try { on.Skip(9); } catch (ObjectDisposedException) { told++; }
        try { on.GoToEnd(); } catch (ObjectDisposedException) { told++; }
        try { before.Next(); } catch (ObjectDisposedException) { told++; }
        try { _ = before.Key; } catch (ObjectDisposedException) { told++; }
        Assert.Equal(9, told);
        Action[] uses =
        [
            () => tree.TryGet(Key(1), out _), () => tree.TryGetFirst(out _, out _), () => tree.TryGetLast(out _, out _),
            () => tree.Set(Key(1), []), () => tree.Set(Key(1), new byte[999]), () => tree.Remove(Key(1)), tree.Clear, tree.Verify,
            () => _ = tree.Count, () => _ = tree.Statistics, () => tree.Scan(), () => tree.ScanAfter(Key(1)), () => tree.ScanPrefix([1]),
            () => empty.CopyFrom(tree), () => tree.BuildFrom([]), () => new SortedTree(store), () => _ = store.Root,
            () => store.Allocate(),
        ];
        for (int i = 0; i < uses.Length; i++)
        {
            Exception? told1 = Record.Exception(uses[i]);
            Assert.True(told1 is ObjectDisposedException, $"use {i}: {told1}");
        }
        ((IDisposable)store).Dispose();
    }

    [Fact]
    public void An_end_beside_changes_accuses_nobody()
    {
        for (int round = 0; round < 300; round++)
        {
            StoreUse use = new();
            using ManualResetEventSlim changes = new();
            Exception? told = null;
            Thread writer = new(() =>
            {
                try
                {
                    while (true)
                    {
                        use.Enter();
                        use.Enter();
                        changes.Set();
                        use.Leave();
                        use.Leave();
                    }
                }
                catch (Exception e)
                {
                    told = e;
                }
            });
            writer.Start();
            changes.Wait();
            Assert.True(use.Close());
            writer.Join();
            Assert.IsType<ObjectDisposedException>(told);
            Assert.False(use.IsBroken);
            Assert.False(use.Close());
        }
    }

    [Fact]
    public void An_empty_tree_says_that_its_store_has_ended()
    {
        MemoryPages store = new(512);
        SortedTree tree = new(store);
        store.Dispose();
        Assert.Throws<ObjectDisposedException>(() => tree.TryGet([1], out _));
        Assert.Throws<ObjectDisposedException>(() => tree.Set([1], []));
    }

    [Fact]
    public void Two_writers_of_two_trees_are_told_and_the_file_gets_no_mark()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            SortedTree[] trees = [file.Tree("a"u8), file.Tree("b"u8)];
            // Both are there before the threads begin: while one makes its tree, the other is told so as a reader of the names.
            foreach (SortedTree tree in trees) tree.Set(Key(0), default);
            int told = 0;
            bool stop = false;
            Thread[] writers = [.. trees.Select((tree, of) => new Thread(() =>
            {
                Random random = Seeds.Random(of);
                while (!Volatile.Read(ref stop))
                {
                    try
                    {
                        tree.Set(Key(random.Next(3000)), new byte[random.Next(random.Next(20) == 0 ? 900 : 40)]);
                        if (random.Next(3) == 0) tree.Remove(Key(random.Next(3000)));
                    }
                    catch (InvalidOperationException)
                    {
                        if (Interlocked.Increment(ref told) > 100) Volatile.Write(ref stop, true);
                    }
                }
            }))];
            foreach (Thread writer in writers) writer.Start();
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref stop), TimeSpan.FromSeconds(20)));
            foreach (Thread writer in writers) writer.Join();
            // Each one was turned away before it had changed anything.
            foreach (SortedTree tree in trees) tree.Verify();
            Assert.Contains("two threads", Assert.Throws<InvalidOperationException>(() => file.Checkpoint(5)).Message);
        }
        using MappedPages opened = MappedPages.Open(path);
        Assert.Equal((false, 0L), (opened.WasClosedCleanly, opened.LastCheckpoint));
    }

    [Fact]
    public void A_change_in_the_middle_of_another_one_is_told_by_a_store_of_the_caller()
    {
        using CallersStore store = new();
        SortedTree tree = new(store);
        for (int i = 0; i < 4; i++) tree.Set(Key(i), [1]);
        SortedTree other = new(store);
        store.OnChange = () => other.Set(Key(2), [2]);
        Assert.Throws<InvalidOperationException>(() => tree.Set(Key(1), [3]));
        Assert.True(other.TryGet(Key(1), out ReadOnlySpan<byte> value) && value[0] == 1);
        Assert.True(other.TryGet(Key(2), out value) && value[0] == 2);
        other.Verify();
    }

    // The way to the leaf is sound, and the key is there: only the look at the header behind it sees the change.
    [Theory, InlineData(1, 2), InlineData(999, 2), InlineData(1, 9)]
    public void A_lookup_tells_a_change_meanwhile(int valueLength, int key)
    {
        using CallersStore store = new();
        SortedTree tree = new(store);
        for (int i = 0; i < 4; i++) tree.Set(Key(i), new byte[valueLength]);
        SortedTree other = new(store);
        Assert.Equal(key == 2, tree.TryGet(Key(key), out _));
        store.OnPage = () => other.Set(Key(3), []);
        Assert.Throws<InvalidOperationException>(() => tree.TryGet(Key(key), out _));
        Assert.Null(store.OnPage);
    }

    [Theory, InlineData(true), InlineData(false)]
    public void A_source_that_clears_by_another_tree_object_is_told(bool atTheEnd)
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        Assert.Throws<InvalidOperationException>(() =>
            tree.BuildFrom(Entries(() => new SortedTree(pages).Clear(), atTheEnd ? 100 : 50)));
        new SortedTree(pages).Verify();
        Assert.Equal(0, new SortedTree(pages).Count);
    }

    [Theory, InlineData(true), InlineData(false)]
    public void After_a_build_that_failed_a_file_is_not_closed_cleanly(bool checkpoint)
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            SortedTree tree = file.Tree("a"u8);
            tree.BuildFrom(Entries(() => { }, 50));
            file.Checkpoint(7);
            tree.Clear();
            Assert.Throws<TimeoutException>(() => tree.BuildFrom(Entries(() => throw new TimeoutException(), 50)));
            if (checkpoint) file.Checkpoint(8);
        }
        using MappedPages opened = MappedPages.Open(path);
        Assert.Equal((checkpoint, checkpoint ? 8L : 0), (opened.WasClosedCleanly, opened.LastCheckpoint));
    }

    [Fact]
    public void A_name_that_is_too_long_is_called_a_name()
    {
        using TempFolder folder = new();
        using MappedPages file = MappedPages.Create(folder.File("index"), 512);
        file.Tree(new byte[56]).Set([1], []);
        Assert.Contains("name has 57 bytes", Assert.Throws<ArgumentException>(() => file.Tree(new byte[57])).Message);
    }

    [Fact]
    public void Trees_are_listed_and_dropped()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            Assert.Empty(file.Names);
            SortedTree a = file.Tree("a"u8), b = file.Tree("b"u8), never = file.Tree("never set"u8);
            for (int i = 0; i < 300; i++)
            {
                a.Set(Key(i), new byte[i % 30 == 0 ? 900 : 20]);
                b.Set(Key(i), []);
            }
            Assert.Equal(["a", "b", "never set"], file.Names.Select(Encoding.ASCII.GetString));
            SortedCursor cursor = a.Scan();
            Assert.True(cursor.Next());
            uint pages = file.PageCount;
            Assert.True(file.Drop("a"u8) && file.Drop("never set"u8));
            Assert.False(file.Drop("a"u8) || file.Drop("c"u8));
            Assert.Equal(["b"], file.Names.Select(Encoding.ASCII.GetString));
            bool told = false;
            try { _ = cursor.Key; } catch (InvalidOperationException) { told = true; }
            Assert.True(told);
            Assert.Contains("dropped", Assert.Throws<InvalidOperationException>(() => a.Set([1], [])).Message);
            Assert.Throws<InvalidOperationException>(() => a.TryGet([1], out _));
            Assert.Throws<InvalidOperationException>(() => never.Set([1], []));
            SortedTree again = file.Tree("a"u8);
            Assert.Equal(0, again.Count);
            for (int i = 0; i < 300; i++) again.Set(Key(i), new byte[i % 30 == 0 ? 900 : 20]);
            Assert.Equal(pages, file.PageCount);
            again.Verify();
            b.Verify();
        }
        using MappedPages opened = MappedPages.Open(path);
        Assert.True(opened.WasClosedCleanly);
        Assert.Equal(300, opened.Tree("a"u8).Count);
    }

    [Theory, InlineData(false), InlineData(true)]
    public void A_tree_that_is_dropped_while_it_is_read_is_no_damage(bool scans)
    {
        using TempFolder folder = new();
        using MappedPages file = MappedPages.Create(folder.File("pages"));
        SortedTree? tree = null;
        bool ends = false;
        Exception? wrong = null;
        Thread reads = new(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                try
                {
                    if (Volatile.Read(ref tree) is not { } now) continue;
                    if (!scans) now.Verify();
                    else for (SortedCursor cursor = now.Scan(); cursor.Next();) { }
                }
                catch (InvalidOperationException) { }
                catch (Exception e)
                {
                    wrong = e;
                }
            }
        });
        reads.Start();
        for (int i = 0; i < LongRuns.Of(5000, 1_000_000) && Volatile.Read(ref wrong) is null; i++)
        {
            SortedTree next = file.Tree("a"u8);
            next.Set("key"u8, "value"u8);
            Volatile.Write(ref tree, next);
            if (i % 2 == 0) Thread.Yield();
            file.Drop("a"u8);
        }
        Volatile.Write(ref ends, true);
        reads.Join();
        Assert.Null(wrong);
    }

    [Theory, InlineData(0), InlineData(4), InlineData(8), InlineData(12), InlineData(16)]
    public unsafe void Verify_proves_the_header_of_the_tree(int offset)
    {
        using CallersStore store = new();
        SortedTree tree = new(store);
        for (int i = 0; i < 200; i++) tree.Set(Key(i), new byte[20]);
        tree.Verify();
        store.Page(store.Root)[offset] ^= 1;
        PageDamagedException damage = Assert.Throws<PageDamagedException>(tree.Verify);
        Assert.Equal((store.Root, offset), (damage.Page, damage.Offset));
        store.Page(store.Root)[offset] ^= 1;
        tree.Verify();
    }

    // The first is why nothing was set. The pages go back by the next change.
    [Fact]
    public void A_store_that_gives_no_page_and_takes_none_back_is_told_of_by_the_first()
    {
        using CallersStore store = new();
        SortedTree tree = new(store);
        tree.Set([1], []);
        int used = store.Used;
        (store.Room, store.FreeFails) = (used + 1, true);
        Assert.Equal(CallersStore.Full, Assert.Throws<IOException>(() => tree.Set([2], new byte[2000])).Message);
        Assert.Equal((1, false), (tree.Count, tree.TryGet([2], out _)));
        (store.Room, store.FreeFails) = (int.MaxValue, false);
        tree.Set([3], []);
        Assert.Equal(used, store.Used);
        tree.Verify();
    }

    [Fact]
    public unsafe void A_name_that_is_gone_without_a_drop_is_damage()
    {
        using TempFolder folder = new();
        using MappedPages file = MappedPages.Create(folder.File("pages"), 512);
        SortedTree alpha = file.Tree("alpha"u8);
        alpha.Set([1], []);
        for (uint page = 1; page < file.PageCount; page++)
            if (new Span<byte>(file.Page(page), 512).IndexOf("alpha"u8) is >= 0 and int at) file.Page(page)[at + 4]++;
        Assert.Contains("name", Assert.Throws<PageDamagedException>(alpha.Verify).Message);
    }

    // What lies where the header was may say the same number of changes.
    [Fact]
    public unsafe void A_cursor_of_a_dropped_tree_is_told_whatever_its_pages_hold_now()
    {
        using CallersStore store = new();
        SortedTree tree = new(store);
        tree.Set("key"u8, "value"u8);
        tree.Set("next"u8, "value"u8);
        SortedCursor cursor = tree.Scan();
        Assert.True(cursor.Next());
        byte* header = store.Page(store.Root);
        byte[] before = new ReadOnlySpan<byte>(header, 128).ToArray();
        tree.Drop();
        before.CopyTo(new Span<byte>(header, 128));
        foreach (string use in (string[])["next", "previous", "key", "value"])
        {
            try
            {
                _ = use switch
                {
                    "next" => cursor.Next(),
                    "previous" => cursor.Previous(),
                    "key" => cursor.Key.IsEmpty,
                    _ => cursor.Value.IsEmpty,
                };
                Assert.Fail(use);
            }
            catch (InvalidOperationException)
            {
            }
        }
    }

    // The same where the reader comes just when a page has gone back, and the store has written its own into it.
    [Fact]
    public unsafe void A_tree_s_pages_go_back_when_no_reader_is_led_to_them()
    {
        using CallersStore store = new();
        SortedTree tree = new(store);
        tree.Set("key"u8, "value"u8);
        int looks = 0;
        store.OnFree = page =>
        {
            *(uint*)store.Page(page) = FreePageHeader.FreeMagic;
            Assert.Contains("changed", Assert.Throws<InvalidOperationException>(() => tree.Scan()).Message);
            Assert.Throws<InvalidOperationException>(() => tree.TryGet("key"u8, out _));
            Assert.Throws<InvalidOperationException>(tree.Verify);
            looks++;
        };
        tree.Drop();
        Assert.Equal(2, looks);
    }

    [Fact]
    public void A_prefix_is_scanned_in_both_directions()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        byte[][] keys = [[], [1], [1, 0], [1, 0xFF], [1, 0xFF, 0xFF, 3], [2], [0xFF], [0xFF, 0xFF], [0xFF, 0xFF, 1]];
        foreach (byte[] key in keys) tree.Set(key, []);
        foreach (byte[] prefix in (byte[][])[.. keys, [3], [0xFF, 0xFF, 0xFF], [1, 1]])
        {
            List<string> up = [], down = [];
            SortedCursor cursor = tree.ScanPrefix(prefix);
            while (cursor.Next()) up.Add(Convert.ToHexString(cursor.Key));
            while (cursor.Previous()) down.Add(Convert.ToHexString(cursor.Key));
            string[] expected = [.. keys.Where(key => key.AsSpan().StartsWith(prefix)).Select(Convert.ToHexString)];
            Assert.Equal(expected, up);
            Assert.Equal(expected.Reverse(), down);
        }
    }

    [Fact]
    public void A_cursor_goes_on_with_the_next_page_of_a_range()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        for (int i = 0; i < 9; i++) tree.Set(Key(i), []);
        byte[] last = Key(2), to = Key(8);
        SortedCursor cursor = tree.Scan();
        cursor = tree.ScanAfter(last, to);
        Assert.True(cursor.Next() && cursor.Key.SequenceEqual(Key(3)));
        tree.Set(Key(1), [1]);
        bool told = false;
        try { cursor.Skip(0); } catch (InvalidOperationException) { told = true; }
        Assert.True(told);
    }

    [LinuxFact]
    public void A_sort_has_no_file_that_a_killed_process_could_leave()
    {
        using TempFolder folder = new();
        using IEnumerator<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> sorted =
            SortedEntries.Sort(Entries(() => { }, 0, 5000), 65_536, folder.Path).GetEnumerator();
        Assert.True(sorted.MoveNext());
        Assert.Empty(Directory.GetFiles(folder.Path));
    }

    private static IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Entries(Action act, int at, int count = 100)
    {
        for (int i = 0; i < count; i++)
        {
            if (i == at) act();
            yield return new(Key(i), new byte[20]);
        }
        if (at == count) act();
    }
}
