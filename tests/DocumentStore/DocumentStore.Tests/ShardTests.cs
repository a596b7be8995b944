using System.Text.Json;
using DocumentStore.Cluster;

namespace DocumentStore.Tests;

public class ShardTests
{
    private sealed record Order(string City, int Total)
    {
        public byte[] Json => JsonSerializer.SerializeToUtf8Bytes(new { city = City, total = Total });
    }

    /// <summary>Two groups of three nodes, beside a dictionary: documents, counts, pages in both orders of commits, what a client wrote,
    /// and the same after a leader was killed.</summary>
    [Fact]
    public async Task Two_groups_answer_as_one_collection()
    {
        using TestCluster one = new(3, false, "--index", "total"), two = new(3, false, "--index", "total");
        using ShardedClient client = new([one.Members, two.Members], TimeSpan.FromMinutes(5));
        SortedDictionary<string, Order> model = new(StringComparer.Ordinal);
        Random random = new(6);
        for (int round = 0; round < 3; round++)
        {
            if (round == 2)
            {
                int leader = two.Leader();
                two.Kill(leader);
                two.Start(leader);
            }
            Batch batch = new();
            for (int i = 0; i < 200; i++)
            {
                string key = $"orders/{random.Next(400)}";
                if (random.Next(5) == 0)
                {
                    batch.Delete(key);
                    model.Remove(key);
                }
                else
                {
                    // Cities of many and of few orders, and totals that many orders share.
                    Order order = model[key] = new($"city {(int)Math.Pow(random.NextDouble(), -0.7) % 40}", random.Next(30));
                    batch.Put(key, order.Json);
                }
            }
            long[] position = await client.CommitAsync(batch);
            Assert.All(position, static at => Assert.True(at > 0));
            await CheckAsync(client, model, position);
            await CheckAsync(client, model, null);
        }
        int[] held = [await HeldAsync(one), await HeldAsync(two)];
        Assert.Equal(model.Count, held.Sum());
        Assert.All(held, half => Assert.InRange(half, model.Count / 3, model.Count));
        // A batch of one shard moves no other one, and the positions stay those of all that the client has committed.
        long[] before = await client.CommitAsync(new Batch().Put("orders/1", "{}"u8.ToArray()));
        long[] after = await client.CommitAsync(new Batch().Put("orders/1", "{}"u8.ToArray()));
        Assert.Equal(1, before.Zip(after).Count(static at => at.First == at.Second && at.First > 0));
        await Assert.ThrowsAsync<ArgumentException>(() => client.RangeAsync(new() { Index = "total", After = [1] }));
        Assert.Throws<ArgumentException>(() => new ShardedClient([one.Members, one.Members]));
        await Assert.ThrowsAsync<ArgumentException>(() => client.RangeAsync(new() { Index = "city" }));
        await Assert.ThrowsAsync<ArgumentException>(() => client.RangeAsync(new()));

        static async Task<int> HeldAsync(TestCluster shard)
        {
            using ClusterClient asks = shard.Client();
            return (int)(await asks.CountAsync([], [], 0)).Total;
        }
    }

    private static async Task CheckAsync(ShardedClient client, SortedDictionary<string, Order> model, long[]? atLeast)
    {
        for (int i = 0; i < 400; i += 7)
        {
            string key = $"orders/{i}";
            Assert.Equal(model.TryGetValue(key, out Order? order) ? order.Json : null, await client.GetAsync(key, atLeast));
        }
        foreach (int top in (int[])[0, 1, 3, 10, 1000])
        {
            ClusterCounts counts = await client.CountAsync(["city"], [], top, atLeast);
            Assert.Equal(model.Count, counts.Total);
            Assert.Equal(Top(model.Values.Select(static order => order.City), top), counts.Facets.Single().Values);
        }
        Assert.Equal(model.Values.Count(static order => order.City == "city 1"),
            (await client.CountAsync([], [("city", "city 1")], 0, atLeast)).Total);
        (string?, int, int)[] ranges = [(null, 0, 17), ("city 1", 4, 5), (null, 29, 1), (null, 99, 9)];
        foreach ((string? city, int from, int limit) in ranges)
        {
            List<FoundDocument> all = [];
            Query query = new() { Index = "total", From = from, Where = city is null ? [] : [("city", city)], Limit = limit };
            byte[][]? after = null;
            do
            {
                (FoundDocument[] page, after) = await client.RangeAsync(query, after, atLeast);
                Assert.True(page.Length == limit || after is null);
                all.AddRange(page);
            }
            while (after is not null);
            KeyValuePair<string, Order>[] expected = [.. model.OrderBy(static one => one.Value.Total)
                .Where(one => one.Value.Total >= from && (city is null || city == one.Value.City))];
            Assert.Equal(expected.Select(static one => one.Value.Total), all.Select(static one => TotalOf(one.Content)));
            Assert.Equal(expected.Select(static one => one.Key).Order(StringComparer.Ordinal),
                all.Select(static one => one.Key).Order(StringComparer.Ordinal));
        }

        static int TotalOf(byte[] content) =>
            JsonDocument.Parse(content).RootElement.GetProperty("total").GetInt32();
    }

    /// <summary>The top values of shards that hide them: behind their own first ones, even, or with equal counts at the edge.</summary>
    [Fact]
    public async Task Top_values_of_shards_are_those_of_all()
    {
        Random random = new(7);
        int deeper = 0, counted = 0;
        for (int round = 0; round < 5000; round++)
        {
            int shards = random.Next(1, 5), values = random.Next(1, 40), most = random.Next(1, 30), top = random.Next(0, 12);
            Dictionary<string, int>[] counts = [.. Enumerable.Range(0, shards).Select(_ => Enumerable.Range(0, values)
                .Where(_ => random.Next(4) > 0).ToDictionary(static value => $"value {value}", _ => random.Next(1, most + 1)))];
            ValueCount[] found = await TopMerge.OfAsync(Told(top), top, asked =>
            {
                deeper++;
                return Task.FromResult(Told(asked));
            }, (shard, asked) =>
            {
                counted += asked.Length;
                return Task.FromResult(asked.Select(value => counts[shard].GetValueOrDefault(value)).ToArray());
            });
            IEnumerable<string> all = counts.SelectMany(static one => one).SelectMany(static one => Enumerable.Repeat(one.Key, one.Value));
            Assert.Equal(Top(all, top), found);

            ValueCount[][] Told(int asked) => [.. counts.Select(one => one.OrderByDescending(static value => value.Value)
                .Take(asked).Select(static value => new ValueCount(value.Key, value.Value)).ToArray())];
        }
        Assert.True(deeper > 100 && counted > 1000, $"{deeper} times more was told, {counted} values were counted");
    }

    private static ValueCount[] Top(IEnumerable<string> values, int top) => [.. values.CountBy(static value => value)
        .Select(static value => new ValueCount(value.Key, value.Value)).OrderByDescending(static value => value.Count)
        .ThenBy(static value => value.Value, StringComparer.Ordinal).Take(top)];

    /// <summary>The command takes the members of several shards, and the positions that it prints.</summary>
    [Fact]
    public void The_command_asks_shards()
    {
        using TestCluster one = new(1, false, "--index", "size"), two = new(1, false, "--index", "size");
        string members = string.Join('/', ((TestCluster[])[one, two]).Select(static shard => shard.Members[0].ToString()));
        string[] positions = [.. Enumerable.Range(0, 4).Select(i => Asked("put", $"k{i}", $"{{\"size\": {9 - i}}}").Trim())];
        Assert.Equal(2, positions.Select(static at => at.StartsWith("0/", StringComparison.Ordinal)).Distinct().Count());
        Assert.Contains("\"size\": 9", Asked("get", "k0", "--at-least", positions[0]));
        Assert.StartsWith("4 documents", Asked("facets", "city"));
        Asked("put", "@k", "{\"city\": \"Rome\"}");
        Assert.StartsWith("1 documents", Asked("facets", "city", "--where", "city=Rome"));
        string page = Asked("range", "size", "--limit", "2");
        Assert.StartsWith("k3 {", page);
        string[] rest = Asked("range", "size", "--after", page.Split("--after ")[1].Trim()).Split('\n');
        Assert.Equal(["k1", "k0", ""], rest.Select(static line => line.Split(' ')[0]));
        foreach ((string wrong, string why) in ((string, string)[])[("7", "2 shards, and 1 places"), ("7/x", "no position"),
            ("7/99999999999999999999", "no position"), ("7/-1", "no position")])
            AssertRefused(why, "get", "k0", "--at-least", wrong);
        AssertRefused("2 shards, and 1 places", "range", "size", "--after", "00");
        Assert.Matches(@"^1 \S+ leads, is at \d+\n1 \S+ leads, is at \d+\n$", Asked("state"));

        one.Kill(1);
        AssertEnds(3, "Connection refused", "get", "k0", "--patience", "1", $"--cluster={one.Members[0]}");
        AssertEnds(2, "is the collection of a node", "load", one.CollectionOf(1), "--sample", "1");

        void AssertRefused(string why, params string[] words) => AssertEnds(2, why, [.. words, "--cluster", members]);

        static void AssertEnds(int with, string why, params string[] words)
        {
            (int code, string said) = CommandTests.Ended(words);
            Assert.Equal(with, code);
            Assert.Contains(why, said);
        }

        string Asked(params string[] words)
        {
            (int code, string said) = CommandTests.Ended([.. words, "--cluster", members]);
            return code == 0 ? said : throw new Xunit.Sdk.XunitException($"{string.Join(' ', words)}: {said}");
        }
    }
}
