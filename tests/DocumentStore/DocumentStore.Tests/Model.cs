using System.Text;
using System.Text.Json;

namespace DocumentStore.Tests;

/// <summary>What a collection should hold: a dictionary. Batches follow from a seed and their number, so that any process can tell
/// them.</summary>
internal sealed class Model
{
    /// <summary>From this seed on documents have 20 KB.</summary>
    public const int LargeDocuments = 1000;

    private const int Keys = 300;

    public static readonly Definition Definition = new() { Indexes = ["name", "total"], Facets = ["city", "tags"] };

    private static readonly string[] s_cities = ["Paris", "Rome", "Oslo"];

    public SortedDictionary<string, byte[]> Documents { get; private init; } = new(StringComparer.Ordinal);

    public Model With(Batch batch)
    {
        Model next = new() { Documents = new(Documents, StringComparer.Ordinal) };
        foreach ((string key, ReadOnlyMemory<byte>? content) in batch.Contents)
        {
            if (content is { } there) next.Documents[key] = there.ToArray();
            else next.Documents.Remove(key);
        }
        return next;
    }

    /// <summary>What a collection should hold after its process ended: all batches that were acknowledged, and the one that was tried
    /// after them if the documents tell that it is in. Their number does not tell: a batch may put in as many as it takes out.</summary>
    /// <param name="next">The first batch that this model does not have; afterwards, that the returned one does not have.</param>
    public Model After(int seed, ref int next, int acknowledged, int tried, Collection collection)
    {
        Model model = this;
        for (; next < acknowledged; next++) model = model.With(BatchOf(seed, next));
        if (tried <= next || model.With(BatchOf(seed, next)) is not { } more || !more.IsIn(collection)) return model;
        next++;
        return more;
    }

    public static Batch BatchOf(int seed, int number)
    {
        Random random = new(seed * 100_003 + number);
        Batch batch = new();
        for (int left = random.Next(1, 25); left > 0; left--)
        {
            string key = $"key {random.Next(Keys)}";
            if (random.Next(5) == 0) batch.Delete(key);
            else batch.Put(key, Content(random, seed >= LargeDocuments ? 20_000 : 0));
        }
        return batch;
    }

    /// <summary>Now and then one without fields, one that is no JSON, and one with a long text, a text with zeros, or equal
    /// values.</summary>
    private static byte[] Content(Random random, int more)
    {
        if (random.Next(40) == 0) return "{}"u8.ToArray();
        if (random.Next(40) == 0) return "no JSON"u8.ToArray();
        string name = random.Next(20) switch { 0 => new('x', random.Next(200, 400)), 1 => "a\0b", 2 => "a", _ => $"n{random.Next(50)}" };
        return Encoding.UTF8.GetBytes(JsonSerializer.Serialize(new
        {
            name, total = random.Next(-50, 50) / 2.0, city = s_cities[random.Next(s_cities.Length)],
            tags = Enumerable.Range(0, random.Next(4)).Select(_ => $"t{random.Next(5)}").ToArray(), other = random.Next(),
            more = new string('m', more),
        }));
    }

    /// <summary>The collection, once it has indexed all, answers as the dictionary does.</summary>
    public void Check(Collection collection)
    {
        Assert.Equal(Documents.Count, collection.Count);
        foreach ((string key, byte[] content) in Documents)
        {
            Assert.True(collection.TryGet(key, out ReadOnlySpan<byte> found), key);
            Assert.True(found.SequenceEqual(content), key);
        }
        collection.WaitForIndex(collection.End, TimeSpan.FromSeconds(60));
        Assert.Null(collection.Verify());

        List<(string Key, double Total, string City, HashSet<string> Tags)> rows = [];
        foreach ((string key, byte[] content) in Documents)
        {
            if (content is not [(byte)'{', (byte)'"', ..]) continue;
            JsonElement json = JsonDocument.Parse(content).RootElement;
            rows.Add((key, json.GetProperty("total").GetDouble(), json.GetProperty("city").GetString()!,
                [.. json.GetProperty("tags").EnumerateArray().Select(static tag => tag.GetString()!)]));
        }
        Assert.Equal(rows.Where(static row => row.Total is >= -3 and < 12.5).OrderBy(static row => row.Total).Select(static row =>
            row.Total),
            Pages(collection, new() { Index = "total", From = -3, To = 12.5, Limit = 7 }).Select(TotalOf));
        Assert.Equal(rows.Where(static row => row.Total >= 0 && row.City == "Rome").Select(static row =>
            row.Key).Order(StringComparer.Ordinal),
            Pages(collection, new() { Index = "total", From = 0, Where = [("city", "Rome")], Limit = 5 }).Select(static found => found.Key)
                .Order(StringComparer.Ordinal));

        QueryResult counts = collection.Find(new() { Where = [("city", "Oslo"), ("tags", "t1")], Facets = ["tags", "city"], Limit = 0 });
        var hits = rows.Where(static row => row.City == "Oslo" && row.Tags.Contains("t1")).ToList();
        Assert.Equal(hits.Count, counts.Total);
        Assert.Equal(Counted(hits.SelectMany(static row => row.Tags)), counts.Facets["tags"].OrderBy(static value => value.Value));
        Assert.Equal(Counted(hits.Select(static row => row.City)), counts.Facets["city"]);

        QueryResult both = collection.Find(new()
        {
            Index = "total", From = 0, To = 10, Where = [("tags", "t2")], Facets = ["city"],
            Limit = 3
        });
        hits = [.. rows.Where(static row => row.Total is >= 0 and < 10 && row.Tags.Contains("t2"))];
        Assert.Equal(hits.Count, both.Total);
        Assert.Equal(Math.Min(3, hits.Count), both.Documents.Length);
        Assert.Equal(Counted(hits.Select(static row => row.City)), both.Facets["city"].OrderBy(static value => value.Value));
    }

    private bool IsIn(Collection collection)
    {
        if (collection.Count != Documents.Count) return false;
        foreach ((string key, byte[] content) in Documents)
            if (!collection.TryGet(key, out ReadOnlySpan<byte> found) || !found.SequenceEqual(content)) return false;
        return true;
    }

    private static IEnumerable<ValueCount> Counted(IEnumerable<string> values) => values.GroupBy(static value => value)
        .Select(static group => new ValueCount(group.Key, group.Count())).OrderBy(static value => value.Value, StringComparer.Ordinal);

    private static double TotalOf(Document document) =>
        JsonDocument.Parse(document.Content.ToArray()).RootElement.GetProperty("total").GetDouble();

    private static IEnumerable<Document> Pages(Collection collection, Query query)
    {
        QueryResult page;
        do
        {
            page = collection.Find(query);
            Assert.True(page.Documents.Length <= query.Limit);
            foreach (Document document in page.Documents) yield return document;
            query = query with { After = page.Next };
        }
        while (page.Next is not null);
    }
}
