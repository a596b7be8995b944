using System.Runtime.InteropServices;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Bytes of pages that change between two calls of a tree that has proved them: no call leaves the pages, each ends, and what it throws is
// a PageDamagedException. Changes of the tree's own number of changes are left out: they say that another thread changes the tree.
public unsafe class LiveDamageTests
{
    private const int PageSize = 512;

    private static byte[] Key(int number) => [(byte)(number >> 8), (byte)number];

    [Fact]
    public void Random_bytes_end_in_an_answer_or_in_damage() => Child.Run(ChangeBytes).AssertSucceeded();

    // The numbers of a header that an insert goes by: count, room for slots, the distance of hints, the start of the entries.
    [Theory, InlineData(4, 2), InlineData(6, 2), InlineData(10, 1), InlineData(16, 4), InlineData(20, 4)]
    public void A_header_changed_under_a_tree_leads_no_change_out_of_the_page(int offset, int length) =>
        Child.Run(ChangeHeader, [offset.ToString(), length.ToString()]).AssertSucceeded();

    [Fact]
    public void A_slot_or_a_length_that_leads_out_of_the_page_stops_a_scan() => Child.Run(ChangeUnderCursor).AssertSucceeded();

    [Theory, InlineData(true), InlineData(false)]
    public void A_cursor_goes_on_inside_its_leaf_after_damage(bool inOwnLeaf) =>
        Child.Run(DamageAndGoOn, [$"{inOwnLeaf}"]).AssertSucceeded();

    [Fact]
    public void Keys_that_are_no_longer_in_order_are_damage_when_their_leaf_is_split()
    {
        using MemoryPages store = new(PageSize);
        SortedTree tree = new(store);
        for (byte i = 0; i < 7; i++) tree.Set([0, i], new byte[40]);
        uint leaf = BitConverter.ToUInt32(new ReadOnlySpan<byte>(store.Page(store.Root) + 8, 4));
        SortedPage page = SortedPage.Attach(new Span<byte>(store.Page(leaf), PageSize));
        // All keys become the same one.
        for (int i = 0; i < page.Count; i++) page.Key(6).CopyTo(Bytes(page.Key(i)));
        Assert.Contains("order", Assert.Throws<PageDamagedException>(() => tree.Set([0, 1, 1], new byte[40])).Message);
    }

    [Fact]
    public void A_key_longer_than_its_tree_can_have_is_damage_of_the_source()
    {
        using MemoryPages store = new(PageSize), large = new(1024);
        SortedTree tree = new(store);
        for (int i = 0; i < 4; i++) tree.Set(Key(i), new byte[50]);
        uint leaf = BitConverter.ToUInt32(new ReadOnlySpan<byte>(store.Page(store.Root) + 8, 4));
        Span<byte> page = new(store.Page(leaf), PageSize);
        int slots = 128 + 4 * BitConverter.ToUInt16(page[6..]), first = BitConverter.ToUInt16(page[slots..]);
        // The first entry lies last in the page: one further in front has the room.
        int third = BitConverter.ToUInt16(page[(slots + 4)..]);
        BitConverter.TryWriteBytes(page[third..], (ushort)130);
        BitConverter.TryWriteBytes(page[(third + 2)..], (ushort)0);
        Assert.True(first > third);
        PageDamagedException damage = Assert.Throws<PageDamagedException>(() => new SortedTree(large).CopyFrom(tree));
        Assert.Contains("130 bytes", damage.Message);
    }

    [Fact]
    public void A_key_too_long_for_the_pages_of_a_copy_is_an_argument()
    {
        using MemoryPages store = new(1024), small = new(PageSize);
        SortedTree tree = new(store);
        tree.Set(new byte[100], []);
        Assert.Throws<ArgumentException>(() => new SortedTree(small).CopyFrom(tree));
    }

    [Theory, InlineData(true), InlineData(false)]
    public void A_scan_whose_keys_lead_it_back_ends(bool forwards)
    {
        using MemoryPages store = new(PageSize);
        SortedTree tree = new(store);
        for (int i = 0; i < 700; i++) tree.Set(Key(i + 256), new byte[20]);
        Assert.Equal(3, tree.Statistics.Levels);
        Walk(tree, forwards);
        uint top = BitConverter.ToUInt32(new ReadOnlySpan<byte>(store.Page(store.Root) + 8, 4));
        SortedPage above = SortedPage.Attach(new Span<byte>(store.Page(top), PageSize));
        byte* branch = store.Page(BitConverter.ToUInt32(above.Value(0)));
        // At the edge of a branch the way to the next leaf is sought by the first key of the leaf: it now leads to the other end.
        if (forwards)
        {
            SortedPage leaves = SortedPage.Attach(new Span<byte>(branch, PageSize));
            SetKey(BitConverter.ToUInt32(leaves.Value(leaves.Count - 2)), false, 0);
            SetKey(BitConverter.ToUInt32(leaves.Value(leaves.Count - 1)), true, 1);
            SetKey(BitConverter.ToUInt32(leaves.Value(leaves.Count - 1)), false, 2);
        }
        else
        {
            SetKey(*(uint*)(branch + 24), true, 0xFFFF);
        }
        PageDamagedException damage = Assert.Throws<PageDamagedException>(() => Walk(tree, forwards));
        Assert.Contains("back", damage.Message);
        // To and fro over the edge of two branches is no circle.
        using MemoryPages sound = new(PageSize);
        SortedTree other = new(sound);
        for (int i = 0; i < 700; i++) other.Set(Key(i), new byte[20]);
        SortedCursor cursor = other.Scan(Key(350));
        for (int round = 0; round < 2000; round++)
        {
            for (int i = 0; i < 300; i++) Assert.True(cursor.Previous());
            for (int i = 0; i < 300; i++) Assert.True(cursor.Next());
        }
        for (int round = 0; round < 200; round++)
        {
            cursor.GoToEnd();
            for (int i = 0; i < 600; i++) Assert.True(cursor.Previous());
        }

        void SetKey(uint number, bool first, int to)
        {
            SortedPage leaf = SortedPage.Attach(new Span<byte>(store.Page(number), PageSize));
            Key(to).CopyTo(Bytes(leaf.Key(first ? 0 : leaf.Count - 1)));
        }
    }

    // Else a caller that goes on after the exception would pass over a leaf without a word.
    [Fact]
    public void The_next_step_meets_the_same_damage_again()
    {
        using MemoryPages store = new(PageSize);
        SortedTree tree = new(store);
        for (int i = 0; i < 100; i++) tree.Set(Key(i), new byte[20]);
        Assert.Equal(2, tree.Statistics.Levels);
        uint top = BitConverter.ToUInt32(new ReadOnlySpan<byte>(store.Page(store.Root) + 8, 4));
        SortedPage branch = SortedPage.Attach(new Span<byte>(store.Page(top), PageSize));
        ushort* second = (ushort*)(store.Page(BitConverter.ToUInt32(branch.Value(0))) + 4);
        ushort count = *second;
        int first = SortedPage.Attach(new Span<byte>(store.Page(*(uint*)(store.Page(top) + 24)), PageSize)).Count;
        SortedCursor cursor = tree.Scan();
        for (int i = 0; i < first; i++) Assert.True(cursor.Next());
        *second = 0;
        for (int again = 0; again < 3; again++)
        {
            try
            {
                cursor.Next();
                Assert.Fail("It went on.");
            }
            catch (PageDamagedException)
            {
            }
        }
        *second = count;
        Assert.True(cursor.Next() && cursor.Key.SequenceEqual(Key(first)));
    }

    private static Span<byte> Bytes(ReadOnlySpan<byte> span) =>
        MemoryMarshal.CreateSpan(ref MemoryMarshal.GetReference(span), span.Length);

    private static void ChangeHeader(string[] arguments)
    {
        int offset = int.Parse(arguments[0]), length = int.Parse(arguments[1]);
        ReadOnlySpan<uint> values = [0, 1, 4, 31, 77, 400, 511, 513, 4096, 0x7FFF, 0xFFFC, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF];
        foreach (uint value in values)
            for (int use = 0; use < 5; use++)
            {
                using GuardedPages store = new(PageSize);
                SortedTree tree = new(store);
                for (int i = 0; i < 8; i++) tree.Set(Key(i * 2), new byte[9]);
                Assert.True(tree.TryGet(Key(2), out _));
                uint leaf = BitConverter.ToUInt32(new ReadOnlySpan<byte>(store.Page(store.Root) + 8, 4));
                byte[] bytes = BitConverter.GetBytes(value);
                bytes.AsSpan(0, length).CopyTo(new Span<byte>(store.Page(leaf) + offset, length));
                CaseNote.Set($"header {offset}", (int)value, use);
                for (int i = 0; i < 6; i++)
                    Try(use switch
                    {
                        0 => () => tree.Set(Key(i * 2 + 1), new byte[9]),
                        1 => () => tree.Set(Key(i * 2), new byte[30]),
                        2 => () => tree.Remove(Key(i * 2)),
                        3 => () => tree.Set(Key(100 + i), new byte[i * 9]),
                        _ => () => tree.Set(Key(i * 2), new byte[i]),
                    });
            }
    }

    // A leaf says that it has more entries than a page has room for: whoever comes into it is told, and stays where it was.
    private static void DamageAndGoOn(string[] arguments)
    {
        bool inOwnLeaf = bool.Parse(arguments[0]);
        using GuardedPages store = new(4096);
        SortedTree tree = new(store);
        for (int i = 0; i < (inOwnLeaf ? 2 : 1000); i++) tree.Set(Key(i), new byte[9]);
        tree.Verify();
        SortedCursor cursor = tree.Scan();
        Assert.True(cursor.Next());
        nint own = (nint)store.Page(*(uint*)(store.Page(store.Root) + 8));
        if (!inOwnLeaf) own = (nint)store.Page(*(uint*)((byte*)own + 24));
        for (uint page = 1; page < store.PageCount; page++)
            if (inOwnLeaf == (own == (nint)store.Page(page)) && store.Page(page)[11] == 0 && page != store.Root)
                *(ushort*)(store.Page(page) + 4) = 0xFFFF;
        int entered = 0, damaged = 0;
        for (int round = 0; round < 3; round++)
            foreach (string step in (string[])["end", "skip", "next", "previous", "skip", "previous"])
            {
                try
                {
                    if (step == "end") cursor.GoToEnd();
                    else if (step == "skip") cursor.Skip(2500);
                    else if (step == "next") while (cursor.Next()) entered += cursor.Key.Length;
                    else while (cursor.Previous()) entered += cursor.Key.Length;
                }
                catch (PageDamagedException)
                {
                    damaged++;
                }
            }
        Assert.True(damaged >= 3);
        Assert.InRange(entered, 2, 20_000);
    }

    private static void ChangeUnderCursor(string[] _)
    {
        using GuardedPages store = new(PageSize);
        SortedTree tree = new(store);
        for (int i = 0; i < 3; i++) tree.Set(Key(i), new byte[9]);
        byte* leaf = store.Page(*(uint*)(store.Page(store.Root) + 8));
        ushort* slots = (ushort*)(leaf + 128 + 4 * *(ushort*)(leaf + 6));
        ushort* lengths = (ushort*)(leaf + slots[1]);
        foreach (ushort wrong in (ushort[])[PageSize - 3, PageSize - 1, PageSize, 4096, 0x7FFF, 0xFFFE])
            foreach (nint at in (nint[])[(nint)(slots + 1), (nint)lengths, (nint)(lengths + 1)])
            {
                SortedCursor up = tree.Scan(), down = tree.Scan();
                Assert.True(up.Next());
                down.GoToEnd();
                Assert.True(down.Previous());
                ushort right = *(ushort*)at;
                *(ushort*)at = wrong;
                for (int again = 0; again < 2; again++)
                {
                    Assert.Contains("slot 1 ", Message(ref up, forwards: true));
                    Assert.Contains("slot 1 ", Message(ref down, forwards: false));
                }
                *(ushort*)at = right;
                Assert.True(up.Next() && down.Previous() && up.Key.SequenceEqual(Key(1)) && down.Key.SequenceEqual(Key(1)));
            }

        static string Message(ref SortedCursor cursor, bool forwards)
        {
            try
            {
                return forwards ? $"{cursor.Next()}" : $"{cursor.Previous()}";
            }
            catch (PageDamagedException e)
            {
                return e.Message;
            }
        }
    }

    private static void ChangeBytes(string[] _)
    {
        for (int round = 0; round < LongRuns.Of(2500, 60_000); round++)
        {
            Random random = Seeds.Random(round);
            using MemoryPages store = new(PageSize);
            SortedTree tree = new(store);
            int entries = random.Next(20, 700);
            for (int i = 0; i < entries; i++) tree.Set(Key(i * 7 % 1000), new byte[i % 40 == 3 ? random.Next(2500) : 5]);
            for (int hits = random.Next(1, 5); hits > 0; hits--) Damage(store, random);
            CaseNote.Set("live damage", round);
            Try(tree.Verify);
            for (int i = 0; i < 6; i++) Try(() => tree.TryGet(Key(random.Next(1000)), out ReadOnlySpan<byte> _));
            Try(() => Walk(tree, true));
            Try(() => Walk(tree, false));
            Try(() => tree.TryGetLast(out ReadOnlySpan<byte> _, out ReadOnlySpan<byte> _));
            using MemoryPages copy = new(1024);
            Try(() => new SortedTree(copy).CopyFrom(tree));
            for (int i = 0; i < 30; i++)
            {
                byte[] key = Key(random.Next(1000)), value = new byte[random.Next(8) == 0 ? random.Next(2000) : random.Next(50)];
                if (random.Next(2) == 0) Try(() => tree.Set(key, value));
                else Try(() => tree.Remove(key));
            }
            if (random.Next(2) == 0) Try(tree.Clear);
            Try(() => tree.Set(Key(3), new byte[5]));
        }
    }

    private static void Damage(MemoryPages store, Random random)
    {
        uint number = (uint)random.Next(1, (int)store.PageCount);
        if (number == store.Root) return;
        byte* page = store.Page(number);
        int at = random.Next(3) switch { 0 => random.Next(PageSize), 1 => random.Next(40), _ => random.Next(128, 400) };
        switch (random.Next(4))
        {
            case 0:
                page[at] = (byte)random.Next(256);
                break;
            case 1:
                *(uint*)(page + (at & ~3)) = random.Next(3) switch
                {
                    0 => (uint)random.Next((int)store.PageCount + 2),
                    1 => uint.MaxValue,
                    _ => number,
                };
                break;
            case 2:
                page[at] ^= (byte)(1 << random.Next(8));
                break;
            default:
                uint other = (uint)random.Next(1, (int)store.PageCount);
                if (other != store.Root) Block.Copy(page, store.Page(other), PageSize);
                break;
        }
    }

    private static void Walk(SortedTree tree, bool forwards)
    {
        SortedCursor cursor = forwards ? tree.Scan() : tree.ScanFromEnd();
        for (int steps = 0; forwards ? cursor.Next() : cursor.Previous(); steps++)
            if (steps > 100_000) throw new InvalidOperationException("the scan does not end");
    }

    private static void Try(Action use)
    {
        try
        {
            use();
        }
        catch (PageDamagedException)
        {
        }
    }
}
