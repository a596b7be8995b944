using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// How much space a tree takes, whatever the order of its keys and the sizes of its values.
public class TreeSpaceTests
{
    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"orders/{number:0000000}");

    // Zeros and one other byte: each key is the separator that it makes, the next one is below it, and all are above the leaf of zeros.
    // With some numbers of keys of zeros that leaf is full.
    [Fact]
    public void Keys_that_undercut_the_last_separator_leave_no_leaves_with_one_entry()
    {
        for (int keys = 30; keys <= 50; keys++)
        {
            using MemoryPages pages = new(512);
            SortedTree tree = new(pages);
            for (int zeros = 1; zeros <= keys; zeros++) tree.Set(new byte[zeros], []);
            for (int zeros = 0; zeros < 5; zeros++)
                for (int last = 255; last > 0; last--) tree.Set([.. new byte[zeros], (byte)last], new byte[20]);
            tree.Verify();
            Assert.Equal(keys + 5 * 255, tree.Count);
            Assert.True(tree.Statistics.Fill > 0.3, $"{keys} keys: filled {tree.Statistics.Fill:0.00}");
        }
    }

    [Theory, InlineData(1, 0.9), InlineData(10, 0.55), InlineData(50, 0.8)]
    public void Several_rows_of_ascending_keys_leave_full_leaves(int rows, double least)
    {
        using MemoryPages pages = new(1024);
        SortedTree tree = new(pages);
        for (int i = 0; i < 2000; i++)
            for (int row = 0; row < rows; row++) tree.Set(Encoding.ASCII.GetBytes($"{row:000}/{i:00000}"), new byte[8]);
        tree.Verify();
        Assert.True(tree.Statistics.Fill > least, $"filled {tree.Statistics.Fill:0.00}");
    }

    [Fact]
    public void Values_that_become_shorter_give_their_pages_back()
    {
        using MemoryPages pages = new();
        SortedTree tree = new(pages), fresh = new(new MemoryPages());
        Random random = Seeds.Random(1);
        int[] order = [.. Enumerable.Range(0, 20_000)];
        random.Shuffle(order);
        foreach (int i in order) tree.Set(Key(i), new byte[900]);
        random.Shuffle(order);
        foreach (int i in order) tree.Set(Key(i), new byte[4]);
        foreach (int i in order) fresh.Set(Key(i), new byte[4]);
        tree.Verify();
        Assert.True(tree.Statistics.Pages < 3 * fresh.Statistics.Pages,
            $"{tree.Statistics.Pages} pages, and a new tree has {fresh.Statistics.Pages}");
    }

    [Fact]
    public void Large_values_that_become_short_are_merged_too()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
        Random random = Seeds.Random(2);
        for (int i = 0; i < 6000; i++)
        {
            byte[] key = Key(random.Next(400));
            byte[] value = new byte[random.Next(3) switch { 0 => random.Next(1500), 1 => random.Next(45), _ => 0 }];
            Assert.Equal(model.TryAdd(key, value), tree.Set(key, value));
            model[key] = value;
            if (i % 250 == 0) ModelCheck.Same(model, tree);
        }
        foreach (byte[] key in model.Keys.ToArray())
        {
            tree.Set(key, []);
            model[key] = [];
        }
        ModelCheck.Same(model, tree);
        Assert.Equal(0, tree.Statistics.OverflowPages);
    }

    // A key that lies in the value which the update makes shorter.
    [Fact]
    public void A_value_that_is_its_own_key_is_made_shorter()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        for (int i = 0; i < 300; i++) tree.Set(Key(i), Key(i));
        for (int i = 0; i < 300; i++)
        {
            Assert.True(tree.TryGet(Key(i), out ReadOnlySpan<byte> itself));
            Assert.False(tree.Set(itself, []));
        }
        tree.Verify();
        Assert.Equal(300, tree.Count);
    }
}
