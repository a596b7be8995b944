using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

/// <summary>The samples of pages in README, as they stand there.</summary>
public class ReadmeSampleTests
{
    private readonly List<string> _used = [];

    [Fact]
    public void The_sample_of_a_tree_in_a_file_runs()
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> sortedEntries = Enumerable.Range(1, 9).Select(i =>
            new KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>(Encoding.UTF8.GetBytes($"orders/{i}"), new byte[] { (byte)i }));

        using MappedPages file = MappedPages.Create(path, pageSize: 8192);
        SortedTree tree = new(file);
        tree.BuildFrom(sortedEntries, fill: 0.9);
        tree.Set("orders/7"u8, "…"u8);

        SortedCursor range = tree.Scan("orders/"u8, "orders0"u8);
        while (range.Next()) Use(range.Key, range.Value);
        Assert.Equal(Enumerable.Range(1, 9).Select(i => $"orders/{i}"), _used);
        _used.Clear();
        range.GoToEnd();
        while (range.Previous()) Use(range.Key, range.Value);
        Assert.Equal(Enumerable.Range(1, 9).Select(i => $"orders/{10 - i}"), _used);
        _used.Clear();
        SortedCursor down = tree.ScanBackwards("orders/9"u8, downTo: "orders/5"u8);
        while (down.Previous()) Use(down.Key, down.Value);
        Assert.Equal(["orders/9", "orders/8", "orders/7", "orders/6", "orders/5"], _used);

        tree.Verify();
        file.Flush();
    }

    [Fact]
    public void The_sample_of_a_page_runs()
    {
        byte[] memory = new byte[512], other = new byte[512];
        byte[] value = new byte[40];
        SortedPage page = SortedPage.Create(memory);
        for (int i = 0; i < 9; i++)
        {
            byte[] key = [(byte)i, 1];
            if (!page.TrySet(key, value))
            {
                ReadOnlySpan<byte> separator = page.Split(SortedPage.Create(other), page.SplitPosition);
                Assert.Equal(1, separator.Length);
                Assert.True(page.Find([0, 1], out int position) && position == 0);
                Use(page.Key(position), page.Value(position));
                return;
            }
        }
        Assert.Fail("the page never was full");
    }

    private void Use(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Assert.True(value.Length > 0);
        _used.Add(Encoding.UTF8.GetString(key));
    }
}
