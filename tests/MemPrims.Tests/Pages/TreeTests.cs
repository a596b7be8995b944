using System.Text;
using FsCheck;
using FsCheck.Fluent;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

public class TreeTests
{
    private static byte[] Key(long number) => Encoding.ASCII.GetBytes($"orders/{number:0000000}");

    [Theory]
    [InlineData(512), InlineData(1024)]
    public void A_tree_does_what_a_sorted_dictionary_does(int pageSize)
    {
        int most = SortedPage.MaxEntry(pageSize) - 8;
        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(25 * Seeds.Scale).WithReplay((ulong)Seeds.Seed, 1).WithStartSize(30).WithEndSize(100),
            Prop.ForAll(Operation.Sequences(Operation.Any(most, 3 * pageSize), 200), steps => Run(steps, pageSize)));
    }

    private static bool Run(Operation[] steps, int pageSize)
    {
        using MemoryPages pages = new(pageSize);
        SortedTree tree = new(pages);
        SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
        foreach ((byte[] key, byte[]? value) in steps)
        {
            if (value is null) Assert.Equal(model.Remove(key), tree.Remove(key));
            else Assert.Equal(model.TryAdd(key, value), tree.Set(key, value));
            if (value is not null) model[key] = value;
            ModelCheck.Same(model, tree);
        }
        ModelCheck.Same(model, new SortedTree(pages));
        foreach (byte[] key in model.Keys.ToArray()) Assert.True(tree.Remove(key));
        AssertFewPages(tree);
        return true;
    }

    [Theory]
    [InlineData(512, "ascending"), InlineData(512, "descending"), InlineData(512, "random"),
    InlineData(8192, "random"), InlineData(512, "unpadded"), InlineData(640, "large")]
    public void Thousands_go_in_and_out(int pageSize, string order)
    {
        const int count = 6000;
        Random random = Seeds.Random(3);
        byte[][] keys = [.. Enumerable.Range(1, count).Select(i => order == "unpadded" ? Encoding.ASCII.GetBytes($"orders/{i}") : Key(i))];
        if (order == "descending") Array.Reverse(keys);
        if (order == "random") random.Shuffle(keys);
        if (order == "large") keys = [.. keys.Select(key => (byte[])[.. key, .. new byte[random.Next(58)]])];
        using MemoryPages pages = new(pageSize);
        SortedTree tree = new(pages);
        SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
        for (int i = 0; i < count; i++)
        {
            byte[] value = new byte[i % 12];
            Assert.True(tree.Set(keys[i], value));
            Assert.False(tree.Set(keys[i], value));
            model[keys[i]] = value;
            if (i % 500 == 0) tree.Verify();
        }
        ModelCheck.Same(model, tree);
        if (order == "ascending") Assert.InRange(tree.Statistics.Fill, 0.9, 1);
        random.Shuffle(keys);
        for (int i = 0; i < count; i++)
        {
            Assert.True(tree.Remove(keys[i]));
            Assert.False(tree.Remove(keys[i]));
            model.Remove(keys[i]);
            if (i % 500 == 0) ModelCheck.Same(model, tree);
        }
        AssertFewPages(tree);
        Assert.True(tree.Set(Key(1), []));
        tree.Verify();
    }

    [Fact]
    public void A_scan_goes_from_to_and_turns_round_at_either_end()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        for (int i = 0; i < 1000; i++) tree.Set(Key(i * 2), Key(i));
        for (int from = 0; from < 2000; from += 37)
        {
            int next = (from + 1) / 2;
            SortedCursor scan = tree.Scan(Key(from));
            for (int i = 0; i < 40 && next < 1000; i++, next++)
            {
                Assert.True(scan.Next());
                Assert.True(scan.Key.SequenceEqual(Key(next * 2)) && scan.Value.SequenceEqual(Key(next)));
            }
            int before = (from + 1) / 2 - 1;
            SortedCursor back = tree.Scan(Key(from));
            Assert.Equal(before >= 0, back.Previous());
            if (before >= 0) Assert.True(back.Key.SequenceEqual(Key(before * 2)));
            SortedCursor down = tree.ScanAfter(Key(from));
            for (int i = from / 2; i >= Math.Max(0, from / 2 - 40); i--)
            {
                Assert.True(down.Previous());
                Assert.True(down.Key.SequenceEqual(Key(i * 2)));
            }
            for (int to = from - 3; to < from + 90; to += 13)
            {
                int count = 0;
                SortedCursor part = tree.Scan(Key(from), Key(Math.Max(to, 0)));
                while (part.Next()) Assert.True(part.Key.SequenceEqual(Key(((from + 1) / 2 + count++) * 2)));
                int expected = Math.Max(0, (Math.Min(Math.Max(to, 0), 2000) + 1) / 2 - (from + 1) / 2);
                Assert.Equal(expected, count);
                Assert.False(part.Next());
                if (expected > 0) Assert.True(part.Previous() && part.Key.SequenceEqual(Key(((from + 1) / 2 + expected - 1) * 2)));
            }
        }
        SortedCursor ends = tree.Scan();
        Assert.True(ends.Next() && !ends.Previous() && !ends.Previous() && ends.Next() && ends.Key.SequenceEqual(Key(0)));
        ends = tree.ScanFromEnd();
        Assert.True(!ends.Next() && !ends.Next() && ends.Previous() && ends.Key.SequenceEqual(Key(1998))
            && !ends.Next() && ends.Previous() && ends.Key.SequenceEqual(Key(1998)));
        Assert.True(tree.TryGetFirst(out ReadOnlySpan<byte> key, out _) && key.SequenceEqual(Key(0)));
        Assert.True(tree.TryGetLast(out key, out _) && key.SequenceEqual(Key(1998)));
    }

    [Fact]
    public void A_change_makes_cursors_stale_and_a_removal_of_nothing_does_not()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        tree.Set(Key(1), [1]);
        tree.Set(Key(2), [2]);
        SortedCursor cursor = tree.Scan();
        Assert.True(cursor.Next());
        Assert.False(tree.Remove(Key(3)));
        Assert.True(cursor.Key.SequenceEqual(Key(1)) && cursor.Next());
        foreach (Action change in (Action[])
            [() => tree.Set(Key(2), [2]), () => tree.Set(Key(9), [2]), () => tree.Remove(Key(9)), tree.Clear])
        {
            SortedCursor stale = tree.Scan();
            Assert.True(stale.Next());
            change();
            Throws(stale, (ref SortedCursor c) => c.Next());
            Throws(stale, (ref SortedCursor c) => c.Previous());
            Throws(stale, (ref SortedCursor c) => _ = c.Key);
            Throws(stale, (ref SortedCursor c) => _ = c.Value);
            tree.Set(Key(1), []);
            tree.Set(Key(2), []);
        }
        Throws(tree.Scan(), (ref SortedCursor c) => _ = c.Key);
        Throws(default, (ref SortedCursor c) => _ = c.Key);
    }

    private delegate void Use(ref SortedCursor cursor);

    private static void Throws(SortedCursor cursor, Use use)
    {
        try
        {
            use(ref cursor);
        }
        catch (InvalidOperationException)
        {
            return;
        }
        Assert.Fail("a stale cursor was used");
    }

    [Fact]
    public void The_fine_print_of_trees_holds()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        Assert.Equal((0u, 0L), (pages.Root, tree.Count));
        Assert.False(tree.TryGet([], out _) || tree.Remove([]) || tree.Scan().Next() || tree.ScanFromEnd().Previous());
        tree.Verify();
        Assert.Equal(0, tree.Statistics.Pages);
        int most = SortedPage.MaxEntry(512) - 8;
        Assert.True(tree.Set(new byte[most], []));
        Assert.Throws<ArgumentException>(() => tree.Set(new byte[most + 1], []));
        Assert.False(tree.TryGet(new byte[100_000], out _));
        byte[] large = new byte[100_000];
        Seeds.Random(1).NextBytes(large);
        Assert.True(tree.Set([5], large));
        Assert.True(tree.Set([6], [.. large.Reverse()]));
        Assert.True(tree.TryGet([5], out ReadOnlySpan<byte> one) && tree.TryGet([6], out ReadOnlySpan<byte> other)
            && one.SequenceEqual(large) && other[0] == large[^1]);
        Assert.True(tree.Statistics.OverflowPages >= 400);
        Assert.False(tree.Set([5], [1]));
        Assert.True(tree.Remove([6]));
        Assert.Equal(0, tree.Statistics.OverflowPages);
        SortedTree again = new(pages);
        Assert.Equal((2, 1), (again.Count, again.Statistics.Levels));
        again.Verify();
        tree.Clear();
        AssertFewPages(tree);
        Assert.Equal(0, new SortedTree(pages).Count);
    }

    [Fact]
    public void A_cursor_of_an_empty_store_outlives_a_build_of_nothing()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        SortedCursor cursor = tree.Scan();
        tree.BuildFrom([]);
        tree.CopyFrom(new(new MemoryPages(512)));
        Assert.False(cursor.Next() || cursor.Previous() || cursor.Skip(3) > 0);
        cursor.GoToEnd();
        Assert.False(cursor.Previous());
        tree.Set([1], []);
        Throws(cursor, (ref SortedCursor c) => c.Next());
        Throws(cursor, (ref SortedCursor c) => c.GoToEnd());
    }

    [Theory, InlineData(0), InlineData(1), InlineData(7), InlineData(500)]
    public void Entries_are_skipped_as_by_as_many_calls_of_Next(int count)
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        for (int i = 0; i < count; i++) tree.Set(Key(i), []);
        Random random = Seeds.Random(count);
        for (int round = 0; round < 300; round++)
        {
            int from = random.Next(count + 1), to = random.Next(count + 2);
            int skips = random.Next(4) == 0 ? random.Next(5) : random.Next(count + 3);
            SortedCursor cursor = tree.Scan(Key(from), Key(to));
            int on = random.Next(3) == 0 && cursor.Next() ? 1 : 0;
            int expected = Math.Min(skips, Math.Max(0, Math.Min(to, count) - from - on));
            Assert.Equal(expected, cursor.Skip(skips));
            if (expected == skips && on + skips > 0) Assert.True(cursor.Key.SequenceEqual(Key(from + on + skips - 1)));
            bool more = from + on + skips < Math.Min(to, count);
            Assert.Equal(more, cursor.Next());
            if (more) Assert.True(cursor.Key.SequenceEqual(Key(from + on + skips)));
        }
        SortedCursor all = tree.Scan();
        Assert.Equal(count, all.Skip(long.MaxValue));
        Assert.Equal(count > 0, all.Previous());
        Assert.Throws<ArgumentOutOfRangeException>(() => tree.Scan().Skip(-1));
    }

    [Fact]
    public void Pages_of_results_go_on_after_the_last_key()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        for (int i = 0; i < 500; i++) tree.Set(Key(i), []);
        tree.Set([], []);
        Assert.True(tree.TryGetFirst(out ReadOnlySpan<byte> last, out _) && last.IsEmpty);
        for (int i = 0; i < 500; i++)
        {
            SortedCursor all = tree.ScanAfter(last), part = tree.ScanAfter(last, Key(300));
            Assert.True(all.Next() && all.Key.SequenceEqual(Key(i)));
            Assert.Equal(i < 300, part.Next());
            if (i < 300) Assert.True(part.Key.SequenceEqual(Key(i)) && !part.Previous());
            Assert.True(all.Previous() && all.Key.SequenceCompareTo(last) <= 0);
            // The same where the key is not there any more.
            if (i % 7 == 3) tree.Remove(Key(i));
            last = Key(i);
        }
        Assert.False(tree.ScanAfter(last).Next());
    }

    [Theory]
    [InlineData(1.0), InlineData(0.7), InlineData(0.5)]
    public void A_tree_is_built_from_sorted_entries_as_full_as_asked(double fill)
    {
        using MemoryPages pages = new(4096);
        SortedTree tree = new(pages);
        byte[] reused = new byte[14];
        tree.BuildFrom(Enumerable.Range(0, 20_000).Select(i =>
        {
            Key(i).CopyTo(reused, 0);
            return KeyValuePair.Create((ReadOnlyMemory<byte>)reused, (ReadOnlyMemory<byte>)Key(i));
        }), fill);
        tree.Verify();
        Assert.Equal(20_000, tree.Count);
        Assert.InRange(tree.Statistics.Fill, fill - 0.08, fill + 0.01);
        Assert.Throws<InvalidOperationException>(() => tree.BuildFrom([]));
        tree.Clear();
        KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>> entry = new(Key(1), Key(1));
        Assert.Throws<ArgumentException>(() => tree.BuildFrom([entry, entry]));
        Assert.Equal(1, tree.Count);
        Assert.Throws<ArgumentOutOfRangeException>(() => tree.BuildFrom([], 0));
        // A source that fails leaves a sound tree of the entries before; the fill that was asked for ends with the load.
        tree.Clear();
        Assert.Throws<TimeoutException>(() => tree.BuildFrom(Enumerable.Range(0, 3000).Select(i => i < 2000
            ? KeyValuePair.Create((ReadOnlyMemory<byte>)Key(i), (ReadOnlyMemory<byte>)Key(i)) : throw new TimeoutException()), 0.3));
        tree.Verify();
        Assert.Equal(2000, tree.Count);
        for (int i = 2000; i < 6000; i++) tree.Set(Key(i), []);
        tree.Verify();
        Assert.InRange(tree.Statistics.Fill, 0.45, 1);
    }

    [Theory, InlineData(1.0, 0.8), InlineData(0.6, 0.5)]
    public void A_copy_of_a_tree_is_as_full_as_asked(double fill, double atLeast)
    {
        using MemoryPages pages = new(1024), others = new(4096);
        SortedTree tree = new(pages), copy = new(others);
        SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
        for (int i = 0; i < 6000; i++) tree.Set(Key(i), new byte[i % 100 == 0 ? 2000 : 10]);
        for (int i = 0; i < 6000; i++)
            if (i % 5 == 0) model[Key(i)] = new byte[i % 100 == 0 ? 2000 : 10];
            else tree.Remove(Key(i));
        copy.CopyFrom(tree, fill);
        ModelCheck.Same(model, copy);
        Assert.InRange(copy.Statistics.Fill, atLeast, fill + 0.01);
        Assert.Throws<InvalidOperationException>(() => copy.CopyFrom(tree));
        Assert.Throws<ArgumentNullException>(() => copy.CopyFrom(null!));
    }

    internal static void AssertFewPages(SortedTree tree)
    {
        tree.Verify();
        Assert.Equal(0, tree.Count);
        Assert.InRange(tree.Statistics.Pages, 0, 3);
    }
}
