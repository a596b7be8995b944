using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Trees whose pages are damaged, lead in circles or to the same page twice: every operation ends, by an answer or by a
// PageDamagedException.
public unsafe class HostileTreeTests
{
    private const int PageSize = 512, Entries = 400;

    [Fact]
    public void Changed_bytes_end_in_an_answer_or_an_exception() => Child.Run(ChangeBytes).AssertSucceeded();

    [Fact]
    public void A_circle_of_pages_is_refused()
    {
        using Trees trees = new();
        uint top = trees.Top;
        // The top's first child becomes the top itself, then a page of its own level.
        BitConverter.TryWriteBytes(new Span<byte>(trees.Pages.Page(top) + 24, 4), top);
        Assert.Contains("level", Refused(new(trees.Pages)).Message);
        Assert.Equal(top, Assert.Throws<PageDamagedException>(() => new SortedTree(trees.Pages).Verify()).Page);
    }

    [Fact]
    public void A_page_that_is_reached_twice_is_found_and_splitting_ends()
    {
        using Trees trees = new();
        byte* top = trees.Pages.Page(trees.Top);
        // The child of the first separator becomes that of the second one: the same level, other keys.
        SortedPage page = SortedPage.Open(new Span<byte>(top, PageSize));
        page.Value(1).CopyTo(page.Value(0));
        Assert.Throws<PageDamagedException>(() => new SortedTree(trees.Pages).Verify());
        SortedTree tree = new(trees.Pages);
        int refused = 0;
        for (int i = 0; i < 3 * Entries; i++)
        {
            try
            {
                tree.Set(Encoding.ASCII.GetBytes($"orders/{i:0000}/more"), new byte[20]);
            }
            catch (PageDamagedException)
            {
                refused++;
            }
        }
        Assert.True(refused > 0);
    }

    [Theory, InlineData(true), InlineData(false)]
    public void A_scan_ends_where_the_first_child_is_the_last_leaf(bool backwards)
    {
        using MemoryPages pages = new(PageSize);
        SortedTree tree = new(pages);
        // Large entries: two leaves, the last one of a single entry.
        for (byte i = 0; tree.Statistics.LeafPages < 2; i++) tree.Set([i], new byte[60]);
        uint top = BitConverter.ToUInt32(new ReadOnlySpan<byte>(pages.Page(pages.Root) + 8, 4));
        SortedPage branch = SortedPage.Open(new Span<byte>(pages.Page(top), PageSize));
        branch.Value(0).CopyTo(new Span<byte>(pages.Page(top) + 24, 4));
        SortedTree damaged = new(pages);
        Assert.Throws<PageDamagedException>(() =>
        {
            SortedCursor cursor = backwards ? damaged.ScanFromEnd() : damaged.Scan();
            for (int i = 0; backwards ? cursor.Previous() : cursor.Next(); i++) Assert.True(i < 100, "the scan does not end");
        });
    }

    [Fact]
    public void A_way_that_fails_does_not_make_the_last_leaf_of_another()
    {
        using Trees trees = new();
        SortedTree tree = new(trees.Pages);
        // Two changes make a leaf in the middle the first guess for the next one.
        for (int i = 0; i < 2; i++) tree.Set("orders/0100"u8, [1]);
        SortedPage top = SortedPage.Open(new Span<byte>(trees.Pages.Page(trees.Top), PageSize));
        uint lastBranch = BitConverter.ToUInt32(top.Value(top.Count - 1));
        trees.Pages.Page(lastBranch)[0] ^= 1;
        Assert.Throws<PageDamagedException>(() => tree.Set("orders/9999"u8, [1]));
        trees.Pages.Page(lastBranch)[0] ^= 1;
        // Above all keys of the guessed leaf, which is not the last.
        tree.Set("orders/0200/more"u8, [2]);
        tree.Verify();
        Assert.True(new SortedTree(trees.Pages).TryGet("orders/0200/more"u8, out _));
    }

    [Theory, InlineData(0), InlineData(1), InlineData(int.MaxValue)]
    public void A_leaf_without_entries_below_a_branch_is_refused_by_every_use(int which)
    {
        using Leaves leaves = new();
        uint empty = leaves.Numbers[Math.Min(which, leaves.Numbers.Count - 1)];
        byte[] key = leaves.Page(empty).Key(0).ToArray();
        leaves.Page(empty).Initialize();
        List<(string, Action<SortedTree>)> uses =
        [
            ("TryGet", tree => tree.TryGet(key, out _)), ("Set", tree => tree.Set(key, [])), ("Remove", tree => tree.Remove(key)),
            ("Scan", tree => { SortedCursor all = tree.Scan(); while (all.Next()) { } }),
            ("Skip", tree => tree.Scan().Skip(long.MaxValue)), ("Scan from", tree => tree.Scan(key).Next()),
            ("Scan from the end", tree => { SortedCursor all = tree.ScanFromEnd(); while (all.Previous()) { } }),
            ("ScanPrefix", tree => tree.ScanPrefix(key)), ("GoToEnd", tree => { SortedCursor to = tree.Scan([], key); to.GoToEnd(); }),
            ("CopyFrom", tree => { using MemoryPages to = new(PageSize); new SortedTree(to).CopyFrom(tree); }),
        ];
        if (which == 0) uses.Add(("TryGetFirst", tree => tree.TryGetFirst(out _, out _)));
        if (which == int.MaxValue) uses.Add(("TryGetLast", tree => tree.TryGetLast(out _, out _)));
        foreach ((string name, Action<SortedTree> use) in uses)
        {
            PageDamagedException? told = Record.Exception(() => use(new(leaves.Pages))) as PageDamagedException;
            Assert.True(told?.Page == empty, $"{name}: {told?.Message ?? "no exception"}");
        }
    }

    [Fact]
    public void A_leaf_that_loses_its_entries_after_it_was_proved_is_refused_by_a_cursor()
    {
        using Leaves leaves = new();
        SortedTree tree = new(leaves.Pages);
        tree.Verify();
        leaves.Page(leaves.Numbers[0]).Initialize();
        Assert.Throws<PageDamagedException>(() => tree.TryGetFirst(out _, out _));
        leaves.Page(leaves.Numbers[^1]).Initialize();
        Assert.Throws<PageDamagedException>(() => tree.TryGetLast(out _, out _));
    }

    [Fact]
    public void A_single_leaf_without_the_entries_that_the_header_counts_is_refused()
    {
        using MemoryPages pages = new(PageSize);
        new SortedTree(pages).Set([1], [1]);
        uint top = BitConverter.ToUInt32(new ReadOnlySpan<byte>(pages.Page(pages.Root) + 8, 4));
        new Page(pages.Page(top), PageSize).Initialize();
        Assert.Equal(top, Assert.Throws<PageDamagedException>(() => new SortedTree(pages).TryGetFirst(out _, out _)).Page);
        Assert.Throws<PageDamagedException>(() => new SortedTree(pages).TryGet([1], out _));
    }

    [Theory, InlineData(0), InlineData(1)]
    public void A_source_that_lacks_a_separator_is_not_copied(int level)
    {
        using Leaves leaves = new();
        PageChange.RemoveAt(leaves.Branch(level + 1), 0);
        SortedTree tree = new(leaves.Pages);
        using MemoryPages store = new(PageSize);
        SortedTree copy = new(store);
        PageDamagedException told = Assert.Throws<PageDamagedException>(() => copy.CopyFrom(tree));
        Assert.Contains($"{copy.Count} entries, and the header of the tree says {Entries}", told.Message);
        Assert.InRange(copy.Count, 1, Entries - 1);
    }

    // Each page is sound alone. A scan of all of it ends with fewer entries than there are, whichever way it goes, and says so.
    [Theory, InlineData(0), InlineData(1)]
    public void A_scan_of_a_tree_that_lacks_a_separator_says_so_at_its_end(int level)
    {
        using Leaves leaves = new();
        Assert.Equal([Entries, Entries, Entries, Entries], (long[])[.. Ways(leaves).Select(static way => way())]);
        PageChange.RemoveAt(leaves.Branch(level + 1), 0);
        foreach (Func<long> way in Ways(leaves))
            Assert.Contains($"the header of the tree says {Entries}", Assert.Throws<PageDamagedException>(() => way()).Message);
    }

    private static Func<long>[] Ways(Leaves leaves) =>
    [
        () =>
        {
            long count = 0;
            for (SortedCursor up = new SortedTree(leaves.Pages).Scan(); up.Next(); count++) { }
            return count;
        },
        () =>
        {
            long count = 0;
            SortedCursor down = new SortedTree(leaves.Pages).Scan();
            for (down.GoToEnd(); down.Previous(); count++) { }
            return count;
        },
        () => new SortedTree(leaves.Pages).Scan().Skip(long.MaxValue),
        () =>
        {
            // Back and forth on the way changes nothing.
            SortedCursor up = new SortedTree(leaves.Pages).Scan();
            while (up.Skip(30) == 30)
                for (int i = 0; i < 20; i++) up.Previous();
            while (up.Previous()) { }
            long count = 0;
            while (up.Next()) count++;
            return count;
        },
    ];

    [Fact]
    public void What_was_set_is_found_or_the_leaf_that_lies_in_anothers_place_is_told()
    {
        using Leaves leaves = new();
        // Two children of one branch change places. Each is sound.
        Page branch = leaves.Branch(1);
        uint low = TreePages.Child(branch, 0), high = TreePages.Child(branch, 1);
        Span<byte> first = new(branch.Entry(0).Value, 4), second = new(branch.Entry(1).Value, 4);
        BitConverter.TryWriteBytes(first, high);
        BitConverter.TryWriteBytes(second, low);
        // They have room, so that no split finds it out.
        foreach (uint leaf in (uint[])[low, low, low, high, high, high]) PageChange.RemoveAt(leaves.Page(leaf), 2);
        string lowest = Encoding.ASCII.GetString(leaves.Page(low).Key(0)), highest = Encoding.ASCII.GetString(leaves.Page(high).Key(0));
        SortedTree tree = new(leaves.Pages);
        bool isTold = false;
        // The second key makes the leaf a guess, in whose own range the third one is.
        foreach (string key in (string[])[$"{lowest}a", $"{lowest}b", $"{highest}c"])
        {
            try
            {
                tree.Set(Encoding.ASCII.GetBytes(key), [1]);
                Assert.True(tree.TryGet(Encoding.ASCII.GetBytes(key), out _), key);
            }
            catch (PageDamagedException)
            {
                isTold = true;
            }
        }
        Assert.True(isTold);
    }

    [Fact]
    public void The_pages_of_the_longest_values_are_counted_without_overflow()
    {
        using MemoryPages store = new(PageSize);
        const long room = PageSize - 16;
        foreach (int length in (int[])[1, (int)room, (int)room + 1, int.MaxValue - 1, int.MaxValue])
            Assert.Equal((length + room - 1) / room, TreeOverflow.PagesFor(new(store), length));
    }

    [Theory, InlineData(true), InlineData(false)]
    public void A_chain_of_a_large_value_that_goes_on_or_ends_too_early_is_refused(bool goesOn)
    {
        using Trees trees = new();
        // The first value's chain: each page says how many bytes are left in it and those behind.
        uint page = Enumerable.Range(1, (int)trees.Pages.PageCount - 1).Select(i => (uint)i)
            .First(i => Word(i, 0) == 0x316F504D && Word(i, 8) == 1500);
        while (goesOn && Word(page, 4) != 0) page = Word(page, 4);
        BitConverter.TryWriteBytes(new Span<byte>(trees.Pages.Page(page) + 4, 4), goesOn ? page : 0);
        SortedTree tree = new(trees.Pages);
        PageDamagedException damage = Assert.Throws<PageDamagedException>(tree.Verify);
        Assert.Contains("does not end where its bytes do", damage.Message);
        Assert.Equal((page, 4), (damage.Page, damage.Offset));
        Assert.Throws<PageDamagedException>(tree.Clear);

        uint Word(uint number, int offset) => BitConverter.ToUInt32(new ReadOnlySpan<byte>(trees.Pages.Page(number) + offset, 4));
    }

    // A scan looks at the slots of long values ahead. What lies behind the page must not be read for that.
    [Fact]
    public void A_slot_that_leads_out_of_the_page_is_not_followed_ahead_of_a_scan()
    {
        using GuardedPages store = new(512);
        SortedTree tree = new(store);
        for (byte i = 0; i < 10; i++) tree.Set([i], new byte[400]);
        Assert.Equal((1, 10), (tree.Statistics.Levels, tree.Statistics.OverflowPages));
        uint top = BitConverter.ToUInt32(new ReadOnlySpan<byte>(store.Page(store.Root) + 8, 4));
        new Page(store.Page(top), store.PageSize).Slots[6] = 600;
        SortedCursor cursor = tree.Scan();
        for (int i = 0; i < 6; i++) Assert.True(cursor.Next() && cursor.Value.Length == 400);
        try
        {
            cursor.Next();
            Assert.Fail("It went on.");
        }
        catch (PageDamagedException)
        {
        }
    }

    // As a page of another value would say: more, as few as 8, or what fits a page where a chain should go on.
    [Theory, InlineData(1501), InlineData(1499), InlineData(8), InlineData(496)]
    public void A_page_of_a_large_value_that_says_another_length_is_refused(int length)
    {
        using Trees trees = new();
        uint page = Enumerable.Range(1, (int)trees.Pages.PageCount - 1).Select(i => (uint)i)
            .First(i => Word(i, 0) == 0x316F504D && Word(i, 8) == 1500);
        BitConverter.TryWriteBytes(new Span<byte>(trees.Pages.Page(page) + 8, 4), length);
        SortedTree tree = new(trees.Pages);
        PageDamagedException damage = Assert.Throws<PageDamagedException>(tree.Verify);
        Assert.Contains($"1500 bytes of a value should be left here, not {length}", damage.Message);
        Assert.Equal((page, 8), (damage.Page, damage.Offset));

        uint Word(uint number, int offset) => BitConverter.ToUInt32(new ReadOnlySpan<byte>(trees.Pages.Page(number) + offset, 4));
    }

    [Theory]
    [InlineData(0, "not the page of a tree"), InlineData(5, "pages of"), InlineData(15, "levels"), InlineData(23, "entries")]
    public void A_damaged_header_is_named(int offset, string message)
    {
        using Trees trees = new();
        trees.Pages.Page(trees.Pages.Root)[offset] ^= 0x80;
        string told = Assert.Throws<PageDamagedException>(() => new SortedTree(trees.Pages)).Message;
        Assert.Contains(message, told);
        // OpenOrCreate opens a file with damage behind the headers of its trees, and the tree at Root, as they are.
        Assert.EndsWith("(MappedPages.Create or OpenOrCreate).", told);
    }

    [Fact]
    public void A_root_outside_the_store_and_a_top_outside_are_refused()
    {
        using Trees trees = new();
        BitConverter.TryWriteBytes(new Span<byte>(trees.Pages.Page(trees.Pages.Root) + 8, 4), 0x7FFFFFFF);
        Assert.Equal(0x7FFFFFFF, Assert.Throws<PageDamagedException>(() => new SortedTree(trees.Pages).TryGet([1], out _)).Page);
        trees.Pages.Root = 0xFFFF_FFFF;
        Assert.Throws<PageDamagedException>(() => new SortedTree(trees.Pages));
    }

    private static PageDamagedException Refused(SortedTree tree) => Assert.Throws<PageDamagedException>(() => tree.TryGet([], out _));

    private static void ChangeBytes(string[] arguments)
    {
        for (int round = 0; round < 1500 * Seeds.Scale; round++)
        {
            Random random = Seeds.Random(round);
            using Trees trees = new();
            for (int i = random.Next(1, 6); i > 0; i--)
            {
                uint page = (uint)random.Next(1, (int)trees.Pages.PageCount);
                int at = random.Next(3) switch { 0 => random.Next(PageSize), 1 => random.Next(32), _ => PageSize - 1 - random.Next(150) };
                trees.Pages.Page(page)[at] = (byte)(random.Next(2) == 0 ? random.Next(256) : random.Next((int)trees.Pages.PageCount));
            }
            CaseNote.Set("damaged tree", round);
            SortedTree? tree = null;
            HostilePageTests.Try(() => tree = new(trees.Pages));
            if (tree is null) continue;
            bool sound = HostilePageTests.Try(tree.Verify);
            for (int i = 0; i < 60; i++)
            {
                byte[] key = Encoding.ASCII.GetBytes($"orders/{random.Next(Entries + 10):0000}{(random.Next(3) == 0 ? "/more" : "")}");
                Action[] uses =
                [
                    () => tree.TryGet(key, out ReadOnlySpan<byte> _),
                    () => tree.Set(key, new byte[random.Next(30)]),
                    () => tree.Remove(key),
                    () => tree.Set(key, new byte[random.Next(2000)]),
                    () => Forwards(tree, key),
                    () => Backwards(tree, key),
                ];
                if (!HostilePageTests.Try(uses[random.Next(uses.Length)]) && sound)
                    throw new InvalidOperationException($"round {round}: a tree that was verified is damaged");
            }
            HostilePageTests.Try(() => { SortedCursor all = tree.Scan(); while (all.Next()) { } });
            HostilePageTests.Try(() => _ = tree.Statistics);
            HostilePageTests.Try(tree.Clear);
        }

        static void Forwards(SortedTree tree, byte[] key)
        {
            SortedCursor cursor = tree.Scan(key);
            for (int k = 0; k < 50 && cursor.Next(); k++) _ = cursor.Value.Length + cursor.Key.Length;
        }

        static void Backwards(SortedTree tree, byte[] key)
        {
            SortedCursor cursor = tree.ScanAfter(key);
            for (int k = 0; k < 50 && cursor.Previous(); k++) _ = cursor.Key.Length;
        }
    }

    // A tree of three levels, with some values in overflow pages.
    private sealed class Trees : IDisposable
    {
        public Trees()
        {
            SortedTree tree = new(Pages);
            for (int i = 0; i < Entries; i++) tree.Set(Encoding.ASCII.GetBytes($"orders/{i:0000}"), new byte[i % 50 == 0 ? 1500 : 20]);
            tree.Verify();
            Assert.Equal(3, tree.Statistics.Levels);
            Top = BitConverter.ToUInt32(new ReadOnlySpan<byte>(Pages.Page(Pages.Root) + 8, 4));
        }

        public MemoryPages Pages { get; } = new(PageSize);

        public uint Top { get; }

        public void Dispose() => Pages.Dispose();
    }

    // A tree of three levels without overflow pages, and its pages to be damaged.
    private sealed class Leaves : IDisposable
    {
        public Leaves()
        {
            SortedTree tree = new(Pages);
            for (int i = 0; i < Entries; i++) tree.Set(Encoding.ASCII.GetBytes($"orders/{i:0000}"), new byte[20]);
            Assert.Equal(3, tree.Statistics.Levels);
            Collect(Top, 2);
        }

        public MemoryPages Pages { get; } = new(PageSize);

        // The leaves in the order of their keys.
        public List<uint> Numbers { get; } = [];

        public Page Page(uint number) => new(Pages.Page(number), PageSize);

        // The first branch of a level.
        public Page Branch(int level) => level == 2 ? Page(Top) : Page(Page(Top).Header->FirstChild);

        public void Dispose() => Pages.Dispose();

        private uint Top => BitConverter.ToUInt32(new ReadOnlySpan<byte>(Pages.Page(Pages.Root) + 8, 4));

        private void Collect(uint number, int level)
        {
            if (level == 0) Numbers.Add(number);
            else for (int i = -1; i < Page(number).Count; i++) Collect(TreePages.Child(Page(number), i), level - 1);
        }
    }
}
