using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// SlotSearch.Find gives what a plain search does, in pages of keys of every shape, and reads nothing outside of a key.
public class SlotSearchTests
{
    internal static readonly string[] AllShapes =
        ["short", "long", "shared", "stray", "prefixes", "zeros", "binary", "ties", "mixed"];

    private static readonly string[] s_mixed = ["short", "long", "prefixes", "binary", "ties", "shared"];

    public static TheoryData<string> Shapes => [.. AllShapes];

    [Theory, MemberData(nameof(Shapes))]
    public void Every_key_and_its_neighbours_are_found_where_they_belong(string shape)
    {
        using SlotPage page = new(isGuarded: false);
        CheckAll(page, shape, LongRuns.Of(60, 1000) * Seeds.Scale);
    }

    [Fact]
    public void Nothing_is_read_outside_of_keys_and_queries() => Child.Run(SearchAtGuards).AssertSucceeded();

    [Theory, InlineData(false), InlineData(true)]
    public void Keys_out_of_order_or_there_twice_make_the_answer_wrong_and_nothing_worse(bool byHead) =>
        Child.Run(SearchDisorder, [byHead.ToString()]).AssertSucceeded();

    [Fact]
    public void An_empty_page_has_no_key()
    {
        using SlotPage page = new(isGuarded: false);
        foreach (byte[] query in (byte[][])[[], [0], new byte[15], new byte[16], new byte[100]]) page.CheckFind(query);
    }

    [Fact]
    public unsafe void A_key_is_found_at_its_slot_and_its_successor_behind_it()
    {
        using SlotPage page = new(isGuarded: false);
        page.Load([.. Enumerable.Range(0, 200).Select(static i => Encoding.ASCII.GetBytes($"customers/of the north/{i:D4}"))]);
        Assert.Equal(17, SlotSearch.Find<ModelSlots<uint>>(page.Start, "customers/of the north/0017"u8, out bool found));
        Assert.True(found);
        Assert.Equal(18, SlotSearch.Find<ModelSlots<uint>>(page.Start, "customers/of the north/0017a"u8, out found));
        Assert.False(found);
    }

    // A random set of keys of a shape, in order.
    internal static byte[][] Keys(string shape, Random random, int count)
    {
        SortedSet<byte[]> keys = new(ByteOrder.Instance);
        byte[] prefix = new byte[random.Next(61)], chain = new byte[161];
        random.NextBytes(prefix);
        if (random.Next(2) == 0) random.NextBytes(chain);
        for (int attempt = 0; keys.Count < count && attempt < 3 * count; attempt++) keys.Add(Key(shape, random, prefix, chain));
        if (shape == "stray" && count > 1)
        {
            keys.Remove(keys.Min!);
            keys.Add(Letters(random, random.Next(2) == 0 ? random.Next(16) : random.Next(16, 60), 256));
        }
        return [.. keys];
    }

    // What lies beside the keys, and before and after all of them.
    internal static IEnumerable<byte[]> Queries(IReadOnlyList<byte[]> keys, Random random)
    {
        foreach (byte[] key in keys)
            foreach (byte[] query in Beside(key, random)) yield return query;
        yield return [];
        yield return [0];
        foreach (int length in (int[])[1, 8, 15, 16, 17, 40, 200]) yield return [.. Enumerable.Repeat((byte)0xFF, length)];
        foreach (int length in (int[])[8, 16, 40]) yield return new byte[length];
    }

    internal static IEnumerable<byte[]> Beside(byte[] key, Random random)
    {
        yield return key;
        yield return [.. key, 0];
        if (key.Length == 0) yield break;
        yield return key[..^1];
        yield return [.. key[..^1], (byte)(key[^1] + 1)];
        yield return [.. key[..^1], (byte)(key[^1] - 1)];
        byte[] other = [.. key];
        other[random.Next(key.Length)] ^= (byte)(1 << random.Next(8));
        yield return other;
        yield return key[..random.Next(key.Length)];
    }

    // Every number of keys to 20, and some to 400.
    internal static int CountOf(int round, Random random) => round < 21 ? round : random.Next(3) == 0 ? random.Next(21) : random.Next(401);

    private static void CheckAll(SlotPage page, string shape, int rounds)
    {
        for (int round = 0; round < rounds; round++)
        {
            Random random = Seeds.Random(round);
            page.BeginAtGuard = round % 4 == 3;
            page.Load(Keys(shape, random, CountOf(round, random)));
            CaseNote.Set(shape, round);
            foreach (byte[] query in Queries(page.Keys, random)) page.CheckFind(query);
        }
    }

    private static byte[] Key(string shape, Random random, byte[] prefix, byte[] chain) => shape switch
    {
        "short" => Letters(random, random.Next(16), 4),
        "long" => Letters(random, random.Next(16, 101), 256),
        "shared" or "stray" => [.. prefix, .. Letters(random, random.Next(24), 5)],
        "prefixes" => random.Next(4) == 0 ? [.. chain[..random.Next(160)], (byte)random.Next(256)] : chain[..random.Next(161)],
        "zeros" => Letters(random, random.Next(41), 2),
        "binary" => [.. Letters(random, random.Next(41), 6).Select(static letter => (byte)(0x7E + (letter - 2) * 0x40 + (letter & 1)))],
        // Names that are the same for many keys, so that windows of 16 bytes tie again and again.
        "ties" => Encoding.ASCII.GetBytes(string.Concat(Enumerable.Range(0, random.Next(1, 7))
            .Select(_ => random.Next(2) == 0 ? "documents of/" : "documents to them/"))
            + random.Next(20)),
        _ => Key(s_mixed[random.Next(s_mixed.Length)], random, prefix, chain),
    };

    private static byte[] Letters(Random random, int length, int letters) =>
        [.. Enumerable.Range(0, length).Select(_ => (byte)random.Next(letters))];

    private static void SearchAtGuards(string[] _)
    {
        using SlotPage page = new(isGuarded: true);
        foreach (string shape in AllShapes) CheckAll(page, shape, LongRuns.Of(40, 400) * Seeds.Scale);
    }

    private static unsafe void SearchDisorder(string[] arguments)
    {
        bool byHead = bool.Parse(arguments[0]);
        using SlotPage page = new(isGuarded: true);
        foreach (string shape in AllShapes)
            for (int round = 0; round < LongRuns.Of(30, 400) * Seeds.Scale; round++)
            {
                Random random = Seeds.Random(round);
                page.BeginAtGuard = round % 4 == 3;
                byte[][] keys = Keys(shape, random, CountOf(round, random));
                if (round % 3 == 0) keys = [.. keys, .. keys[..random.Next(Math.Min(keys.Length + 1, 100))]];
                if (round % 3 != 1) random.Shuffle(keys);
                else if (keys.Length > 1) (keys[0], keys[keys.Length / 2]) = (keys[keys.Length / 2], keys[0]);
                page.Load(keys);
                CaseNote.Set(shape, round);
                if (byHead) SlotSearch.RebuildHeads<ModelSlots<ulong>, ulong>(page.Start);
                foreach (byte[] query in Queries(page.Keys, random))
                {
                    ReadOnlySpan<byte> there = page.Query(query);
                    int position = byHead ? SlotSearch.FindByHead<ModelSlots<ulong>, ulong>(page.Start, there, out bool found)
                        : SlotSearch.Find<ModelSlots<ulong>>(page.Start, there, out found);
                    Assert.InRange(position, 0, found ? keys.Length - 1 : keys.Length);
                }
            }
    }
}
