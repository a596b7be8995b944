using MemPrims.Codecs;
using MemPrims.Pages;

// Outside of MemPrims, as a user is: so the README names all that it needs.
namespace Readme;

public class PagesSample
{
    private readonly List<string> _used = [];

    [Fact]
    public void The_readme_s_code_of_a_tree_runs()
    {
        // README
        using MemoryPages store = new();
        SortedTree tree = new(store);
        tree.Set("orders/1"u8, "…"u8);
        bool found = tree.TryGet("orders/1"u8, out ReadOnlySpan<byte> value);     // the span lives until the next change
        SortedCursor cursor = tree.Scan("orders/"u8);
        while (cursor.Next()) Use(cursor.Key, cursor.Value);
        // end of README

        Assert.True(found && value.SequenceEqual("…"u8));
        Assert.Equal(["orders/1"], _used);
    }

    [Fact]
    public void The_readme_s_code_of_a_tree_in_a_file_runs()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> sortedEntries = [.. Entries()];

        // README
        using MappedPages file = MappedPages.Create(path, pageSize: 8192); // MappedPages.Open(path) later
        SortedTree index = new(file);
        index.BuildFrom(sortedEntries, fill: 0.9);                        // an empty tree, page by page; CopyFrom(other) rebuilds one
        SortedCursor range = index.Scan("orders/"u8, "orders0"u8);        // to before "orders0": '0' comes after '/'
        range.GoToEnd();
        while (range.Previous()) Use(range.Key, range.Value);             // pass a cursor by ref
        index.Verify();                                                   // the structure; pages have no checksum of values
        file.Flush();
        // end of README

        string[] orders = [.. Enumerable.Range(1, 9).Select(i => $"orders/{i}")];
        Assert.Equal(orders.Reverse(), _used);
        _used.Clear();
        while (range.Next()) Use(range.Key, range.Value);
        Assert.Equal(orders, _used);
        _used.Clear();
        SortedCursor down = index.ScanAfter("orders/4"u8, "orders0"u8);
        down.GoToEnd();
        while (down.Previous()) Use(down.Key, down.Value);
        Assert.Equal(orders[4..].Reverse(), _used);

        Assert.Throws<InvalidOperationException>(() => index.BuildFrom(sortedEntries));
        using MemoryPages pages = new();
        SortedTree rebuilt = new(pages);
        rebuilt.CopyFrom(index);
        Assert.Equal(index.Count, rebuilt.Count);
        file.Dispose();
        using MappedPages later = MappedPages.Open(path);
        Assert.Equal(rebuilt.Count, new SortedTree(later).Count);
    }

    [Fact]
    public void The_readme_s_code_of_a_secondary_index_runs()
    {
        using TempFolder temporary = new();
        string path = temporary.File("index"), folder = temporary.Path;
        IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> cityEntries = Cities();

        // README
        MappedPages pages = MappedPages.OpenOrCreate(path);               // anew where its trees cannot be used: LastCheckpoint is 0 then
        SortedTree byCity = pages.Tree("by city"u8);                      // a secondary index: city, then id
        if (byCity.Count == 0) byCity.BuildFrom(SortedEntries.Sort(cityEntries, memory: 64 << 20, folder));
        byte[] key = new byte[SortableKey.SizeOfText("Oslo") + SortableKey.MaxSizeOfInt];
        int city = SortableKey.WriteText(key, "Oslo"), end = city + SortableKey.WriteInt(key.AsSpan(city), 17);
        byCity.Set(key.AsSpan(0, end), default);
        SortedCursor oslo = byCity.ScanPrefix(key.AsSpan(0, city));       // all of Oslo by id; without its last two bytes Osloby too
        SortedCursor next = byCity.ScanAfter(key.AsSpan(0, end), "P"u8); // the next page of results
        pages.Checkpoint(17);                                             // on the disk, with a number of yours
        pages.Dispose();
        // end of README

        using MappedPages opened = MappedPages.Open(path);
        Assert.Equal((true, 17L), (opened.WasClosedCleanly, opened.LastCheckpoint));
        SortedTree there = opened.Tree("by city"u8);
        Assert.Equal(4, there.Count);
        SortedCursor behind = there.ScanAfter(key.AsSpan(0, end), "P"u8);
        Assert.True(behind.Next());
        Assert.Equal(SortedKeyOf("Oslo", 40), behind.Key.ToArray());
        Assert.False(behind.Next());
        there.Set(SortedKeyOf("Osloby", 1), default);
        Assert.Equal((3, 4), (Count(there.ScanPrefix(key.AsSpan(0, city))), Count(there.ScanPrefix(key.AsSpan(0, city - 2)))));

        static int Count(SortedCursor cursor)
        {
            int count = 0;
            while (cursor.Next()) count++;
            return count;
        }

        static IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Cities()
        {
            foreach ((string name, long id) in ((string, long)[])[("Oslo", 40), ("Bern", 5), ("Oslo", 3)])
                yield return new(SortedKeyOf(name, id), default);
        }

        static byte[] SortedKeyOf(string name, long id)
        {
            byte[] bytes = new byte[SortableKey.SizeOfText(name) + SortableKey.MaxSizeOfInt];
            int length = SortableKey.WriteText(bytes, name);
            return bytes[..(length + SortableKey.WriteInt(bytes.AsSpan(length), id))];
        }
    }

    [Fact]
    public void The_readme_s_code_of_a_page_runs()
    {
        byte[] memory = new byte[512], key = [3, 1], value = [7, 8, 9];

        // README
        SortedPage page = SortedPage.Create(memory);                      // Open(memory) validates bytes of others, Attach(memory) trusts
        if (!page.TrySet(key, value)) { /* full: split, then set */ }
        if (page.Find(key, out int position)) Use(page.Value(position));  // a miss gives the place where the key would be
        // end of README

        Assert.Equal([7, 8, 9], Convert.FromHexString(Assert.Single(_used)));
        Assert.False(page.Find([4], out position));
        Assert.Equal(1, position);
        Assert.Equal(1, SortedPage.Attach(memory).Count);
        memory.AsSpan(0, 64).Fill(0xFF);
        Assert.Throws<PageDamagedException>(() => SortedPage.Open(memory).Count);
    }

    [Fact]
    public void A_full_page_is_split()
    {
        byte[] memory = new byte[512], other = new byte[512], value = new byte[40];
        SortedPage page = SortedPage.Create(memory);
        byte last = 0;
        while (page.TrySet([last, 1], value)) last++;
        ReadOnlySpan<byte> separator = page.Split(SortedPage.Create(other), page.SplitPosition);
        Assert.Equal(1, separator.Length);
        Assert.Equal(last, page.Count + SortedPage.Open(other).Count);
        Assert.True(page.Find([0, 1], out int position) && position == 0);
        SortedPage side = separator[0] <= last ? SortedPage.Open(other) : page;
        Assert.True(side.TrySet([last, 1], value));
    }

    // README
    // 2 bytes for the count and 2 for what keys share, 300 heads, then slots: offsets of nodes, each a length of 2 bytes and the key.
    public readonly unsafe struct OrderPage : ISlotHeads<ulong>
    {
        public static int Count(byte* page) => *(ushort*)page;
        public static byte* Node(byte* page, int slot) => page + ((ushort*)(page + 2404))[slot];
        public static byte* Key(byte* node, out int length)
        {
            length = *(ushort*)node;
            return node + 2;
        }
        // ISlotLayout ends here. The rest is for FindByHead:
        public static ulong* Heads(byte* page) => (ulong*)(page + 4);
        public static ref ushort Shared(byte* page) => ref ((ushort*)page)[1];
    }
    // end of README

    [Fact]
    public unsafe void The_readme_s_code_of_pages_of_the_caller_s_runs()
    {
        byte* page = stackalloc byte[8192];
        Put(page, 0, 5000, "orders/1"u8);
        Put(page, 1, 5100, "orders/3"u8);
        SlotSearch.RebuildHeads<OrderPage, ulong>(page);
        ReadOnlySpan<byte> key = "orders/2"u8;
        long[] ids = [5, 17, 300];
        uint[] bigEndian = [.. ((uint[])[5, 300]).Select(System.Buffers.Binary.BinaryPrimitives.ReverseEndianness)];

        // README
        int slot = SlotSearch.Find<OrderPage>(page, key, out bool found);       // where the key is, or would be inserted
        slot = SlotSearch.FindByHead<OrderPage, ulong>(page, key, out found);   // the same by heads, which two calls keep:
        // end of README
        Assert.Equal((1, false), (slot, found));
        Put(page, 2, 5100, "orders/3"u8);
        Put(page, 1, 5200, key);
        // README goes on
        SlotSearch.HeadInserted<OrderPage, ulong>(page, slot);                  // after slots and count were changed; so HeadRemoved
        SlotSearch.RebuildHeads<OrderPage, ulong>(page);                        // where a page was filled or split at once
        int at = SlotSearch.Find<long>(ids, 17, out found);                     // among ascending numbers of any size, signed or not
        at = SlotSearch.FindBigEndian<uint>(bigEndian, 17, out found);          // where the first byte of each is the highest
        // end of README

        Assert.Equal((1, false), (at, found));
        Assert.Equal(1, SlotSearch.Find<long>(ids, 17, out found));
        Assert.True(found);
        Assert.Equal("orders/".Length, OrderPage.Shared(page));
        for (int i = 0; i < 3; i++)
        {
            byte[] each = [.. "orders/"u8, (byte)('1' + i)];
            Assert.True(SlotSearch.Find<OrderPage>(page, each, out found) == i && found);
            Assert.True(SlotSearch.FindByHead<OrderPage, ulong>(page, each, out found) == i && found);
        }

        static void Put(byte* page, int slot, int offset, ReadOnlySpan<byte> key)
        {
            ((ushort*)(page + 2404))[slot] = (ushort)offset;
            *(ushort*)(page + offset) = (ushort)key.Length;
            key.CopyTo(new Span<byte>(page + offset + 2, key.Length));
            *(ushort*)page = (ushort)Math.Max(*(ushort*)page, slot + 1);
        }
    }

    private static IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Entries()
    {
        foreach (string key in (string[])["months/5", .. Enumerable.Range(1, 9).Select(i => $"orders/{i}"), "orders0"])
            yield return new(System.Text.Encoding.UTF8.GetBytes(key), new byte[] { 1, 2 });
    }

    private void Use(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Assert.True(value.Length > 0);
        _used.Add(System.Text.Encoding.UTF8.GetString(key));
    }

    private void Use(ReadOnlySpan<byte> value) => _used.Add(Convert.ToHexString(value));
}
