using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

public class SortedEntriesTests
{
    [Theory]
    [InlineData(0, 1 << 20), InlineData(1, 65_536), InlineData(300, 65_536)]
    [InlineData(20_000, 65_536), InlineData(20_000, 64 << 20)]
    public void A_tree_is_built_of_entries_in_any_order(int count, int memory)
    {
        using TempFolder folder = new();
        Random random = Seeds.Random(count);
        SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
        byte[] reused = new byte[12];
        using MemoryPages pages = new(1024);
        SortedTree tree = new(pages);
        tree.BuildFrom(SortedEntries.Sort(Source(), memory, folder.Path));
        ModelCheck.Same(model, tree);
        Assert.Empty(Directory.GetFiles(folder.Path));

        // The memory of a key is used again for the next one; some keys come several times, and the last one counts.
        IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Source()
        {
            for (int i = 0; i < count; i++)
            {
                int length = random.Next(3, 12);
                random.NextBytes(reused);
                reused[0] = 0;
                if (random.Next(3) == 0) (reused[1], reused[2], length) = (0, (byte)(i % 50), 3);
                byte[] value = BitConverter.GetBytes(i);
                model[reused[..length]] = value;
                yield return new(reused.AsMemory(0, length), value);
            }
        }
    }

    [Fact]
    public void A_source_that_fails_or_is_left_leaves_no_files()
    {
        using TempFolder folder = new();
        Assert.Throws<TimeoutException>(() => SortedEntries.Sort(Entries(true), 65_536, folder.Path).Count());
        _ = SortedEntries.Sort(Entries(false), 65_536, folder.Path).First();
        Assert.Empty(Directory.GetFiles(folder.Path));
        Assert.Throws<ArgumentOutOfRangeException>(() => SortedEntries.Sort([], 1000, folder.Path));
        Assert.ThrowsAny<IOException>(() => SortedEntries.Sort(Entries(false), 65_536, folder.File("missing")).Count());

        static IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Entries(bool fails)
        {
            for (int i = 5000; i > 0; i--) yield return new(BitConverter.GetBytes(i), new byte[50]);
            if (fails) throw new TimeoutException();
        }
    }
}
