using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Stores that fail in the middle of a change, and two tree objects over one store.
public class TreeFaultTests
{
    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"orders/{number:0000}");

    [Fact]
    public void After_a_change_by_another_tree_object_every_use_is_told_and_changes_nothing()
    {
        using MemoryPages pages = new(512);
        SortedTree empty = new(pages), tree = new(pages);
        for (int i = 0; i < 100; i++) tree.Set(Key(i), []);
        SortedTree other = new(pages);
        other.Set(Key(7), [1]);
        foreach (SortedTree stale in (SortedTree[])[empty, tree])
            foreach (Action use in (Action[])
                [() => stale.TryGet(Key(1), out _), () => stale.Set(Key(200), []), () => stale.Remove(Key(1)), () => stale.Scan(),
                stale.Clear, stale.Verify, () => stale.BuildFrom([]), () => _ = stale.Count])
                Assert.Contains("another SortedTree", Assert.Throws<InvalidOperationException>(use).Message);
        other.Verify();
        Assert.Equal(100, other.Count);
        Assert.True(other.Set(Key(200), []));
    }

    [Fact]
    public void A_store_that_throws_when_it_takes_or_gives_a_page_leaves_a_sound_tree()
    {
        for (int round = 0; round < LongRuns.Of(20, 60); round++)
        {
            Random random = Seeds.Random(round);
            using CallersStore store = new();
            SortedTree tree = new(store);
            SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
            int faults = 0;
            for (int i = 0; i < 400; i++)
            {
                byte[] key = Key(random.Next(150)), value = new byte[random.Next(8) == 0 ? 1200 : random.Next(40)];
                bool removes = random.Next(i < 200 ? 5 : 2) == 0;
                store.CallsLeft = random.Next(6);
                try
                {
                    if (removes) tree.Remove(key);
                    else tree.Set(key, value);
                }
                catch (IOException)
                {
                    faults++;
                }
                store.CallsLeft = int.MaxValue;
                // A change whose last step failed may have been made, but only as a whole.
                bool there = tree.TryGet(key, out ReadOnlySpan<byte> now), was = model.TryGetValue(key, out byte[]? old);
                Assert.True(there ? now.Length == value.Length && !removes || was && now.SequenceEqual(old) : removes || !was);
                if (there) model[key] = now.ToArray();
                else model.Remove(key);
                ModelCheck.Same(model, tree);
                ModelCheck.Same(model, new SortedTree(store));
            }
            Assert.True(faults > 0);
        }
    }

    [Fact]
    public void A_full_store_can_be_cleared()
    {
        using CallersStore store = new();
        SortedTree tree = new(store);
        for (int i = 0; i < 500; i++) tree.Set(Key(i), new byte[20]);
        store.Room = 0;
        tree.Clear();
        TreeTests.AssertFewPages(tree);
        Assert.True(tree.Set(Key(1), [1]));
    }

    // What a process that was killed leaves is longer than its pages. The test copies the file while it is open, which other systems
    // forbid.
    [LinuxFact]
    public void A_file_whose_process_died_is_opened()
    {
        foreach (int entries in (int[])[0, 3000])
        {
            using TempFolder folder = new();
            string path = folder.File("index"), copy = folder.File("copy");
            using MappedPages pages = MappedPages.Create(path, 512);
            SortedTree tree = new(pages);
            for (int i = 0; i < entries; i++) tree.Set(Key(i), new byte[i % 40]);
            pages.Flush();
            using (System.Diagnostics.Process copies = System.Diagnostics.Process.Start("cp", [path, copy])) copies.WaitForExit();
            Assert.True(new FileInfo(copy).Length > pages.PageCount * 512L);
            using MappedPages again = MappedPages.Open(copy);
            SortedTree reopened = new(again);
            reopened.Verify();
            Assert.Equal(tree.Count, reopened.Count);
            for (int i = entries; i < entries + 2000; i++) reopened.Set(Key(i), new byte[i % 40]);
            reopened.Verify();
        }
    }

    [Fact]
    public void A_cursor_inside_a_leaf_sees_a_change_by_another_tree_object()
    {
        using MemoryPages pages = new(512);
        SortedTree one = new(pages);
        for (int i = 0; i < 9; i++) one.Set(Key(i), [1]);
        SortedTree other = new(pages);
        SortedCursor next = one.Scan(), previous = one.ScanFromEnd(), on = one.Scan();
        Assert.True(next.Next() && previous.Previous() && on.Next());
        Assert.Equal(1, on.Value[0]);
        other.Set(Key(5), [2]);
        Assert.True(IsStale(next, static (ref SortedCursor cursor) => cursor.Next()));
        Assert.True(IsStale(previous, static (ref SortedCursor cursor) => cursor.Previous()));
        Assert.True(IsStale(on, static (ref SortedCursor cursor) => cursor.Key.Length > 0));
        Assert.True(IsStale(on, static (ref SortedCursor cursor) => cursor.Value.Length > 0));
    }

    private delegate bool Use(ref SortedCursor cursor);

    private static bool IsStale(SortedCursor cursor, Use use)
    {
        try
        {
            use(ref cursor);
            return false;
        }
        catch (InvalidOperationException e)
        {
            return e.Message.Contains("has changed");
        }
    }

    [Fact]
    public void A_cursor_keeps_the_memory_of_its_tree()
    {
        SortedCursor cursor = Begin(out WeakReference store);
        for (int i = 0; i < 100; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Assert.True(store.IsAlive && cursor.Next() && cursor.Key.SequenceEqual(Key(i)));
        }
        Assert.True(cursor.Next());

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static SortedCursor Begin(out WeakReference store)
        {
            MemoryPages pages = new(512);
            store = new(pages);
            SortedTree tree = new(pages);
            for (int i = 0; i < 200; i++) tree.Set(Key(i), []);
            return tree.Scan();
        }
    }
}
