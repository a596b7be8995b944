using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Stores of the caller's own that do what their contract allows, and spans of a tree that are set in it.
public unsafe class TreeStoreTests
{
    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"orders/{number:0000}");

    [Theory, InlineData(600), InlineData(5000)]
    public void A_large_value_is_set_at_a_key_that_is_a_span_of_the_tree(int length)
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        for (int i = 0; i < 9; i++) tree.Set(Key(i), [1]);
        Assert.True(tree.TryGetLast(out ReadOnlySpan<byte> key, out _));
        Assert.False(tree.Set(key, new byte[length]));
        Assert.True(tree.TryGet(Key(8), out ReadOnlySpan<byte> value));
        Assert.Equal((9, length), (tree.Count, value.Length));
        tree.Verify();
    }

    [Fact]
    public void A_value_of_the_tree_is_set_at_a_longer_key_where_it_is_large()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        byte[] value = [.. Enumerable.Range(0, 60).Select(i => (byte)i)], longer = new byte[40];
        tree.Set([1], value);
        Assert.True(tree.TryGet([1], out ReadOnlySpan<byte> there));
        Assert.True(tree.Set(longer, there));
        Assert.Equal(1, tree.Statistics.OverflowPages);
        Assert.True(tree.TryGet(longer, out there) && there.SequenceEqual(value));
    }

    // 496 bytes are the most that one page of 512 holds of a value.
    [Theory]
    [InlineData(100, 0), InlineData(496, 0), InlineData(497, 497 + 24), InlineData(2000, 2000 + 24)]
    public void A_value_of_one_page_is_read_where_it_lies_and_a_longer_one_is_copied(int length, int allocated)
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        byte[] bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        tree.Set([1], bytes);
        tree.TryGet([1], out _);
        long before = GC.GetAllocatedBytesForCurrentThread();
        bool found = tree.TryGet([1], out ReadOnlySpan<byte> value);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, allocated, allocated + 8);
        Assert.True(found && value.SequenceEqual(bytes));
    }

    // The pages of the value that is replaced are given back when all is copied, not before.
    [Theory]
    [InlineData(400, 0, 400), InlineData(400, 7, 300), InlineData(400, 7, 20), InlineData(496, 0, 496), InlineData(496, 1, 1)]
    public void A_part_of_a_large_value_is_set_in_its_place_and_at_another_key(int length, int from, int count)
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        byte[] bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        foreach (byte[] key in (byte[][])[[1], [2]])
        {
            tree.Set([1], bytes);
            Assert.True(tree.TryGet([1], out ReadOnlySpan<byte> there));
            tree.Set(key, there.Slice(from, count));
            Assert.True(tree.TryGet(key, out there) && there.SequenceEqual(bytes.AsSpan(from, count)));
            tree.Verify();
        }
    }

    [Fact]
    public void Spans_of_the_tree_are_set_and_removed()
    {
        using CallersStore store = new();
        SortedTree tree = new(store);
        SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
        Random random = Seeds.Random(11);
        for (int i = 0; i < 3000; i++)
        {
            byte[] key = Key(random.Next(200)), fresh = new byte[random.Next(10) == 0 ? random.Next(1500) : random.Next(56)];
            random.NextBytes(fresh);
            model[key] = fresh;
            tree.Set(key, fresh);
            SortedCursor at = tree.Scan(Key(random.Next(200)));
            if (!at.Next()) continue;
            byte[] from = at.Key.ToArray(), copied = at.Value.ToArray(), other = [.. Key(i), .. new byte[random.Next(30)]];
            switch (random.Next(5))
            {
                case 0 or 1:
                    Assert.True(tree.Remove(at.Key) && model.Remove(from));
                    break;
                case 2:
                    Assert.False(tree.Set(at.Key, fresh));
                    model[from] = fresh;
                    break;
                case 3:
                    tree.Set(other, at.Value);
                    model[other] = copied;
                    break;
                default:
                    tree.Set(other, at.Key);
                    model[other] = from;
                    break;
            }
            if (i % 50 == 0) ModelCheck.Same(model, tree);
            Assert.Equal(store.Used, tree.Statistics.Pages);
        }
        ModelCheck.Same(model, tree);
    }

    [Fact]
    public void A_page_that_the_store_did_not_take_back_is_offered_again()
    {
        using CallersStore store = new();
        SortedTree tree = new(store);
        for (int i = 0; i < 200; i++) tree.Set(Key(i), new byte[i % 20 == 0 ? 3000 : 20]);
        store.FreeFails = true;
        int thrown = 0;
        for (int i = 0; i < 200; i += 2)
        {
            try
            {
                tree.Remove(Key(i));
            }
            catch (IOException)
            {
                thrown++;
            }
            Assert.False(tree.TryGet(Key(i), out _), "the change was not made");
        }
        Assert.True(thrown > 0);
        store.FreeFails = false;
        tree.Set(Key(1), []);
        tree.Verify();
        Assert.Equal((100, store.Used), (tree.Count, tree.Statistics.Pages));
    }

    [Fact]
    public void A_store_that_gives_page_0_is_named()
    {
        using CallersStore store = new() { AllocateGivesZero = true };
        SortedTree tree = new(store);
        Assert.Contains("Allocate", Assert.Throws<InvalidOperationException>(() => tree.Set([1], [])).Message);
        store.AllocateGivesZero = false;
        tree.Set([1], []);
        tree.Verify();
        Assert.Equal(store.Used, tree.Statistics.Pages);
    }

    [Fact]
    public void Two_trees_live_in_one_file_behind_stores_with_roots_of_their_own()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        using (MappedPages pages = MappedPages.Create(path, 1024))
        {
            SortedTree first = new(pages);
            OwnRoot root = new(pages);
            SortedTree second = new(root);
            for (int i = 0; i < 3000; i++)
            {
                first.Set(Key(i), Key(i + 1));
                second.Set(Key(i * 7 % 3001), Key(i));
                if (i % 3 == 0) first.Remove(Key(i / 2));
            }
            first.Set("second"u8, BitConverter.GetBytes(root.Root));
        }
        int free = BitConverter.ToInt32(File.ReadAllBytes(path), 20);
        using (MappedPages pages = MappedPages.Open(path))
        {
            SortedTree first = new(pages);
            Assert.True(first.TryGet("second"u8, out ReadOnlySpan<byte> root));
            SortedTree second = new(new OwnRoot(pages) { Root = BitConverter.ToUInt32(root) });
            first.Verify();
            second.Verify();
            Assert.Equal(3000, second.Count);
            Assert.Equal(pages.PageCount - 1 - free, first.Statistics.Pages + second.Statistics.Pages);
        }
    }

    private sealed class OwnRoot(IPageStore shared) : IPageStore
    {
        public uint Root { get; set; }

        public int PageSize => shared.PageSize;

        public uint PageCount => shared.PageCount;

        public uint Allocate() => shared.Allocate();

        public void Free(uint page) => shared.Free(page);

        public byte* Page(uint page) => shared.Page(page);
    }
}
