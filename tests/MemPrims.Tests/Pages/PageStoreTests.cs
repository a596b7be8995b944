using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

public unsafe class PageStoreTests
{
    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"orders/{number:0000000}");

    [Theory, InlineData(true), InlineData(false)]
    public void A_store_keeps_its_promises(bool mapped)
    {
        using TempFolder folder = new();
        IPageStore store = mapped ? MappedPages.Create(folder.File("pages"), 576) : new MemoryPages(576);
        using IDisposable closes = (IDisposable)store;
        Assert.Equal((576, 0u), (store.PageSize, store.Root));
        Assert.True(store.Page(0) == null && store.Page(1) == null && store.Page(uint.MaxValue) == null);
        Assert.Contains("no page", Assert.Throws<ArgumentOutOfRangeException>(() => store.Free(1)).Message);
        HashSet<uint> given = [];
        byte* first = null;
        for (int i = 0; i < 5000; i++)
        {
            uint page = store.Allocate();
            Assert.True(page != 0 && given.Add(page) && page < store.PageCount);
            if (first == null) first = store.Page(page);
            new Span<byte>(store.Page(page), 576).Fill((byte)page);
        }
        Assert.True(store.Page(given.Min()) == first, "a page has moved");
        foreach (uint page in given) Assert.Equal(-1, new ReadOnlySpan<byte>(store.Page(page), 576).IndexOfAnyExcept((byte)page));
        uint count = store.PageCount;
        foreach (uint page in given.Take(100)) store.Free(page);
        Assert.Contains("free already", Assert.Throws<ArgumentOutOfRangeException>(() => store.Free(given.First())).Message);
        Assert.Throws<ArgumentOutOfRangeException>(() => store.Free(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => store.Free(store.PageCount));
        for (int i = 0; i < 100; i++) Assert.Contains(store.Allocate(), given);
        Assert.Equal(count, store.PageCount);
        closes.Dispose();
        Assert.True(store.Page(given.First()) == null);
        Assert.Throws<ObjectDisposedException>(() => store.Allocate());
        closes.Dispose();
    }

    [Fact]
    public void A_tree_in_a_mapped_file_is_there_when_it_is_opened_again()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        byte[] large = new byte[100_000];
        Seeds.Random(2).NextBytes(large);
        using (MappedPages pages = MappedPages.Create(path, 1024))
        {
            SortedTree tree = new(pages);
            for (int i = 0; i < 20_000; i++) tree.Set(Key(i * 7919 % 20_011), Key(i));
            tree.Set("large"u8, large);
            for (int i = 0; i < 5000; i++) tree.Remove(Key(i));
            pages.Flush();
        }
        long length = new FileInfo(path).Length;
        using (MappedPages pages = MappedPages.Open(path))
        {
            Assert.Equal(length, (long)pages.PageCount * 1024);
            SortedTree tree = new(pages);
            tree.Verify();
            Assert.True(tree.TryGet("large"u8, out ReadOnlySpan<byte> value) && value.SequenceEqual(large));
            Assert.True(tree.TryGet(Key(5000), out _) && !tree.TryGet(Key(4999), out _));
            Assert.Throws<IOException>(() => MappedPages.Open(path));
            for (int i = 0; i < 5000; i++) tree.Set(Key(i), []);
            tree.Verify();
        }
    }

    [Theory]
    [InlineData(0, "no file of pages"), InlineData(4, "No page has"), InlineData(10, "more than"),
    InlineData(14, "The root is"), InlineData(20, "free pages")]
    public void A_damaged_file_is_refused(int offset, string message)
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        using (MappedPages pages = MappedPages.Create(path, 512)) new SortedTree(pages).Set([1], [2]);
        byte[] bytes = File.ReadAllBytes(path);
        bytes[offset] ^= 0x81;
        File.WriteAllBytes(path, bytes);
        Assert.Contains(message, Assert.Throws<PageDamagedException>(() => MappedPages.Open(path)).Message);
        File.WriteAllBytes(path, bytes[..20]);
        Assert.Throws<PageDamagedException>(() => MappedPages.Open(path));
    }

    [Fact]
    public void A_circle_of_free_pages_is_refused_and_the_file_stays_as_it_is()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        using (MappedPages pages = MappedPages.Create(path, 512))
        {
            uint one = pages.Allocate(), two = pages.Allocate();
            pages.Free(one);
            pages.Free(two);
            *(uint*)(pages.Page(one) + 4) = two;
        }
        byte[] before = File.ReadAllBytes(path);
        Assert.Contains("circle", Assert.Throws<PageDamagedException>(() => MappedPages.Open(path)).Message);
        Assert.Equal(before, File.ReadAllBytes(path));
    }

    [Fact]
    public void A_store_that_is_full_leaves_the_tree_as_it_was()
    {
        for (int room = 2; room < 60; room++)
        {
            using CallersStore store = new() { Room = room };
            SortedTree tree = new(store);
            SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
            Random random = Seeds.Random(room);
            for (int i = 0, full = 0; full < 5; i++)
            {
                byte[] key = Key(random.Next(5000)), value = new byte[random.Next(20) == 0 ? 1200 : random.Next(30)];
                try
                {
                    tree.Set(key, value);
                    model[key] = value;
                }
                catch (IOException e) when (e.Message == CallersStore.Full)
                {
                    full++;
                    ModelCheck.Same(model, tree);
                }
            }
            ModelCheck.Same(model, tree);
            Assert.Equal(store.Used, tree.Statistics.Pages);
            // Pages that are merged, and those of large values, come back to the store.
            foreach (byte[] key in model.Keys.ToArray())
            {
                Assert.True(tree.Remove(key));
                Assert.Equal(store.Used, tree.Statistics.Pages);
            }
        }
    }

    // The file is mapped: whoever else writes to it may change its header.
    [Theory, InlineData(uint.MaxValue), InlineData(40_000u), InlineData(1u)]
    public void A_store_knows_its_pages_itself(uint pageCount)
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        using (MappedPages file = MappedPages.Create(path, 512))
        {
            uint page = file.Allocate();
            fixed (byte* header = file.HeaderPage) *(uint*)(header + 8) = pageCount;
            Assert.Equal(2u, file.PageCount);
            Assert.True(file.Page(page) != null);
            foreach (uint number in (uint[])[0, 2, 40_000, 200_000, uint.MaxValue]) Assert.True(file.Page(number) == null);
            Assert.Equal(2u, file.Allocate());
        }
        Assert.Equal(3 * 512, new FileInfo(path).Length);
        using MappedPages opened = MappedPages.Open(path);
        Assert.Equal((3u, true), (opened.PageCount, opened.WasClosedCleanly));
    }
}
