using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

public class SortedPageTests
{
    [Fact]
    public void Errors_name_what_the_caller_gave()
    {
        Assert.Equal("memory", Assert.Throws<ArgumentException>(() => SortedPage.Create(new byte[500])).ParamName);
        Assert.Equal("memory", Assert.Throws<ArgumentException>(() => SortedPage.Open(new byte[500])).ParamName);
        Assert.Equal("memory", Assert.Throws<ArgumentException>(() => SortedPage.Attach(new byte[500])).ParamName);
        Assert.Equal("pageSize", Assert.Throws<ArgumentException>(() => SortedPage.MaxEntry(500)).ParamName);
        Assert.Equal("pageSize", Assert.Throws<ArgumentException>(() => new MemoryPages(500)).ParamName);
        Assert.Equal("pageSize", Assert.Throws<ArgumentException>(() => MappedPages.Create("x", 500)).ParamName);
        Assert.Equal("pageSize", Assert.Throws<ArgumentException>(() => MappedPages.OpenOrCreate("x", 500)).ParamName);
        ArgumentOutOfRangeException none =
            Assert.Throws<ArgumentOutOfRangeException>(() => SortedPage.Create(new byte[512]).RemoveAt(0));
        Assert.Contains("no entries", none.Message);
        Assert.DoesNotContain("-1", none.Message);
    }

    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"orders/{number:0000000}");

    [Theory]
    [InlineData(0), InlineData(448), InlineData(513), InlineData(65_600), InlineData(1 << 17)]
    public void Other_sizes_are_refused(int size)
    {
        Assert.Throws<ArgumentException>(() => SortedPage.Create(new byte[size]));
        Assert.Throws<ArgumentException>(() => SortedPage.Open(new byte[size]));
        Assert.Throws<ArgumentException>(() => SortedPage.Attach(new byte[size]));
        Assert.Throws<ArgumentException>(() => SortedPage.MaxEntry(size));
    }

    [Fact]
    public void The_default_value_is_over_no_memory()
    {
        Assert.Throws<InvalidOperationException>(() => default(SortedPage).Find([], out _));
        Assert.Throws<InvalidOperationException>(() => _ = default(SortedPage).Count);
        Assert.Throws<InvalidOperationException>(() => default(SortedPage).TrySet([1], [1]));
        Assert.Throws<InvalidOperationException>(() => default(SortedPage).TrySet([], []));
        Assert.Throws<InvalidOperationException>(() => default(SortedPage).Remove([]));
        Assert.Throws<InvalidOperationException>(() => SortedPage.Create(new byte[512]).Split(default, 0));
    }

    public static TheoryData<int> Sizes => [512, 576, 4096, 8192, 65_472, 65_536];

    [Theory, MemberData(nameof(Sizes))]
    public void A_page_is_filled_to_the_last_byte_and_emptied(int size)
    {
        byte[] memory = new byte[size];
        SortedPage page = SortedPage.Create(memory);
        int fresh = page.FreeBytes;
        SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
        for (int i = 0; page.TrySet(Key(i * 7919 % 100_000), new byte[i % 9]); i++) model[Key(i * 7919 % 100_000)] = new byte[i % 9];
        // What is left takes an entry of just that size, and no larger one.
        for (int length = 64; length > 0; length--)
            if (page.TrySet(new byte[length], [])) model[new byte[length]] = [];
        Assert.InRange(page.FreeBytes, 0, 28);
        ModelCheck.Same(model, page);
        ModelCheck.Same(model, SortedPage.Open(memory));
        foreach (byte[] key in model.Keys.ToArray())
        {
            Assert.True(page.Remove(key));
            model.Remove(key);
            if (model.Count % 97 == 0) ModelCheck.Same(model, page);
        }
        Assert.Equal(fresh, page.FreeBytes);
    }

    [Theory, MemberData(nameof(Sizes))]
    public void Every_number_of_entries_is_searched(int size)
    {
        SortedPage page = SortedPage.Create(new byte[size]);
        int count = 0;
        while (page.TrySet([(byte)(count * 2 >> 8), (byte)(count * 2)], []))
        {
            count++;
            // Each count up to three steps of the hints, then some.
            if (count > 600 && count % 97 != 0) continue;
            page.Validate();
            for (int i = 0; i < count; i += count < 600 ? 1 : 13)
            {
                Assert.True(page.Find([(byte)(i * 2 >> 8), (byte)(i * 2)], out int at) && at == i);
                Assert.False(page.Find([(byte)((i * 2 + 1) >> 8), (byte)(i * 2 + 1)], out at));
                Assert.Equal(i + 1, at);
            }
        }
        Assert.True(count > (size - 128) / 20);
    }

    [Fact]
    public void The_largest_entry_has_an_eighth_of_the_page()
    {
        foreach (int size in (int[])[512, 8192, 65_536])
        {
            int most = SortedPage.MaxEntry(size);
            Assert.True(most >= size / 8);
            SortedPage page = SortedPage.Create(new byte[size]);
            Assert.True(page.TrySet(new byte[most], []));
            Assert.True(page.TrySet([], new byte[most]));
            Assert.Throws<ArgumentException>(() => SortedPage.Create(new byte[size]).TrySet(new byte[most], [1]));
            Assert.Throws<ArgumentException>(() => SortedPage.Create(new byte[size]).TrySet(new byte[most + 1], []));
            // A query may be longer than any entry, and longer than a length in the page can be.
            Assert.False(page.Find(new byte[100_000], out int position));
            Assert.Equal(2, position);
        }
    }

    [Fact]
    public void Keys_and_values_of_the_page_itself_can_be_set()
    {
        SortedPage page = SortedPage.Create(new byte[512]);
        SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
        Random random = Seeds.Random(7);
        for (int i = 0; i < 4000; i++)
        {
            byte[] key = Key(random.Next(30)), value = new byte[random.Next(30)];
            random.NextBytes(value);
            if (page.TrySet(key, value)) model[key] = value;
            if (page.Count < 2) continue;
            int from = random.Next(page.Count), to = random.Next(page.Count);
            byte[] expected = page.Value(from).ToArray(), target = page.Key(to).ToArray();
            if (page.TrySet(page.Key(to), page.Value(from))) model[target] = expected;
            byte[] joined = [.. page.Value(from)];
            if (joined.Length + page.Value(to).Length <= SortedPage.MaxEntry(512))
            {
                byte[] valueOfTo = page.Value(to).ToArray();
                if (page.TrySet(page.Value(from), page.Value(to))) model[joined] = valueOfTo;
            }
            ModelCheck.Same(model, page);
            page.RemoveAt(random.Next(page.Count));
            model = Copy(page);
        }

        static SortedDictionary<byte[], byte[]> Copy(SortedPage page)
        {
            SortedDictionary<byte[], byte[]> copy = ByteOrder.NewModel();
            for (int i = 0; i < page.Count; i++) copy[page.Key(i).ToArray()] = page.Value(i).ToArray();
            return copy;
        }
    }

    [Fact]
    public void A_split_at_every_position_loses_nothing_and_its_separator_is_the_shortest()
    {
        byte[] whole = new byte[1024];
        SortedPage page = SortedPage.Create(whole);
        byte[][] keys = [[], [0], [0, 0], [1],
            .. "a ab abc abd ac orders/1 orders/10 orders/100 orders/101 orders/2 z"u8.ToArray().Split(), [255], [255, 255]];
        for (int i = 0; i < keys.Length; i++) Assert.True(page.TrySet(keys[i], [(byte)i]));
        for (int at = 0; at <= keys.Length; at++)
        {
            byte[] leftMemory = [.. whole], rightMemory = new byte[1024];
            SortedPage left = SortedPage.Open(leftMemory), right = SortedPage.Create(rightMemory);
            byte[] separator = left.Split(right, at).ToArray();
            left.Validate();
            right.Validate();
            Assert.Equal((at, keys.Length - at), (left.Count, right.Count));
            for (int i = 0; i < keys.Length; i++) Assert.Equal(keys[i], i < at ? left.Key(i) : right.Key(i - at));
            if (at > 0 && at < keys.Length)
            {
                Assert.True(ByteOrder.Instance.Compare(keys[at - 1], separator) < 0
                    && ByteOrder.Instance.Compare(separator, keys[at]) <= 0);
                for (int shorter = 0; shorter < separator.Length; shorter++)
                    Assert.True(ByteOrder.Instance.Compare(keys[at][..shorter], keys[at - 1]) <= 0, "a shorter separator would do");
            }
            for (int i = 0; i < right.Count; i++) Assert.True(left.TrySet(right.Key(i), right.Value(i)));
            left.Validate();
            for (int i = 0; i < keys.Length; i++) Assert.Equal([(byte)i], left.Value(i));
        }
        Assert.Throws<ArgumentOutOfRangeException>(() => SortedPage.Open(whole).Split(SortedPage.Create(new byte[512]), keys.Length + 1));
        Assert.Throws<ArgumentException>(() => SortedPage.Open(whole).Split(SortedPage.Open(whole), 1));
    }

    [Fact]
    public void Values_are_written_in_place_and_positions_have_bounds()
    {
        SortedPage page = SortedPage.Create(new byte[512]);
        for (int i = 0; i < 9; i++) page.TrySet(Key(i), [0]);
        for (int i = 0; i < 9; i++) page.Value(i)[0] = (byte)i;
        for (int i = 0; i < 9; i++) Assert.True(page.Find(Key(i), out int at) && page.Value(at)[0] == i);
        Assert.Throws<ArgumentOutOfRangeException>(() => { SortedPage empty = SortedPage.Create(new byte[512]); empty.Key(0); });
        Assert.Throws<ArgumentOutOfRangeException>(() => { SortedPage empty = SortedPage.Create(new byte[512]); empty.RemoveAt(-1); });
    }
}

file static class Words
{
    public static IEnumerable<byte[]> Split(this byte[] text) => Encoding.ASCII.GetString(text).Split(' ').Select(Encoding.ASCII.GetBytes);
}
