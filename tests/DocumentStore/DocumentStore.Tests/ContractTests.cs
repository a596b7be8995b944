using System.Text;
using DocumentStore.Index;
using MemPrims;
using MemPrims.Pages;
using MemPrims.Records;
using MemPrims.Sets;

namespace DocumentStore.Tests;

/// <summary>What callers do wrong, late or at the same time.</summary>
public class ContractTests
{
    private static readonly TimeSpan s_long = TimeSpan.FromSeconds(60);

    [Fact]
    public void A_key_is_found_as_it_was_put_and_wrong_ones_are_refused()
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        string longest = new('x', 300);
        collection.Put(longest, "{}"u8.ToArray());
        Assert.True(collection.TryGet(longest, out _));
        Assert.False(collection.TryGet(longest + "x", out _));
        // The definition is no document.
        Assert.False(collection.TryGet("", out _));
        Assert.Equal(1, collection.Count);
        // Both halves of a surrogate pair would become the same bytes.
        foreach (string key in (string[])["", longest + "x", "\uD800", "\uDC00"])
            Assert.ThrowsAny<ArgumentException>(() => new Batch().Put(key, default));
        collection.Put("next", "{}"u8.ToArray());
        Assert.Null(collection.Verify());
    }

    [Fact]
    public void Wrong_queries_are_refused_and_leave_the_worker_alone()
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        Batch batch = new();
        for (int i = 0; i < 10; i++) batch.Put($"{i}", Encoding.UTF8.GetBytes($$"""{"total": {{i}}, "city": "Rome"}"""));
        collection.WaitForIndex(collection.Commit(batch), s_long);
        int? worker = collection.WorkerProcessId;
        Assert.Throws<ArgumentException>(() => collection.Find(new() { After = [1, 2] }));
        Assert.Throws<ArgumentOutOfRangeException>(() => collection.Find(new() { Limit = -1 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => collection.Find(new() { Top = -1 }));
        Assert.Empty(collection.Find(new() { Index = "total", From = 7, To = 3 }).Documents);
        Assert.Empty(collection.Find(new() { Index = "total", After = new byte[5000], To = 3, Limit = 0 }).Documents);
        Assert.Equal(10, collection.Find(new() { Where = [("city", "Rome")], Facets = ["city"], Top = 0, Limit = 0 }).Total);
        // Pages in the order of the numbers of documents.
        List<string> keys = [];
        for (Query query = new() { Where = [("city", "Rome")], Limit = 3 }; ;)
        {
            QueryResult page = collection.Find(query);
            keys.AddRange(page.Documents.Select(static document => document.Key));
            if (page.Next is null) break;
            query = query with { After = page.Next };
        }
        Assert.Equal(Enumerable.Range(0, 10).Select(static i => $"{i}"), keys);
        Assert.Equal(worker, collection.WorkerProcessId);
    }

    /// <summary>An answer that comes after its caller has gone is not taken for that to the next request.</summary>
    [Fact]
    public void A_wait_that_was_given_up_leaves_the_next_answer_right()
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        const int ofBatch = 1000;
        collection.WaitForIndex(0, s_long);
        int? worker = collection.WorkerProcessId;
        for (int round = 0; round < 20; round++)
        {
            Batch batch = new();
            for (int i = 0; i < ofBatch; i++) batch.Put($"{round} {i}", """{"name": "a", "city": "Oslo"}"""u8.ToArray());
            collection.Commit(batch);
            // The worker takes the batch in, and answers later.
            Assert.Throws<TimeoutException>(() => collection.WaitForIndex(long.MaxValue, TimeSpan.FromMilliseconds(1)));
            QueryResult found = collection.Find(new() { Facets = ["city"], Limit = 1 });
            Assert.Equal(0, found.Total % ofBatch);
            if (found.Total > 0) Assert.Equal([new("Oslo", (int)found.Total.Value)], found.Facets["city"]);
        }
        Assert.Equal(worker, collection.WorkerProcessId);
    }

    [Fact]
    public void An_answer_that_comes_late_is_not_taken_for_the_next_one()
    {
        using TempFolder folder = new();
        CollectionOptions options = Engine.Options with { Timeout = TimeSpan.FromSeconds(2) };
        using Collection collection = Collection.Open(folder.Path, Model.Definition, options);
        collection.WaitForIndex(collection.Put("a", """{"city": "Rome"}"""u8.ToArray()), s_long);
        Engine.Signal(collection.WorkerProcessId!.Value, "STOP");
        Assert.Throws<TimeoutException>(() => collection.Find(new() { Where = [("city", "Rome")], Limit = 0 }));
        Engine.Signal(collection.WorkerProcessId!.Value, "CONT");
        Assert.Equal(0, collection.Find(new() { Where = [("city", "Oslo")], Limit = 0 }).Total);
    }

    /// <summary>To ask again would bring the same answer, until the time is over.</summary>
    [Fact]
    public void An_answer_that_cannot_be_read_is_told_and_not_asked_for_again()
    {
        using TempFolder folder = new();
        using (Collection.Open(folder.Path, Model.Definition, Engine.Options)) { }
        using LogFile log = LogFile.OpenRead(folder.Path);
        long definition = 0;
        foreach (LogEntry entry in log.ReadFrom()) definition = entry.Position;
        string[] command = [.. Engine.Command, .. IndexWorker.Arguments(folder.Path, Model.Definition.IndexName, definition)];
        using Worker worker = new(log, () => command);
        int reads = 0;
        Assert.Throws<DamagedDataException>(() => worker.Ask<int>(Request.State, s_long, (ref from) =>
        {
            reads++;
            throw new DamagedDataException("It is no text.", 0);
        }));
        Assert.Equal(1, reads);
    }

    [Fact]
    public void After_Dispose_calls_are_turned_away_and_Dispose_may_come_again()
    {
        using TempFolder folder = new();
        Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        collection.Put("a", "{}"u8.ToArray());
        collection.Dispose();
        collection.Dispose();
        Assert.Throws<ObjectDisposedException>(() => collection.Put("b", default));
        Assert.Throws<ObjectDisposedException>(() => collection.TryGet("a", out _));
        Assert.Throws<ObjectDisposedException>(() => collection.Find(new()));
        Assert.Throws<ObjectDisposedException>(() => collection.WaitForIndex(0, s_long));
        using Collection again = Collection.Open(folder.Path, null, Engine.Options);
        Assert.Equal(1, again.Count);
    }

    /// <summary>Queries and gets are answered while a check of many documents runs.</summary>
    [Fact]
    public async Task Reading_goes_on_beside_Verify()
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        Batch batch = new();
        for (int i = 0; i < 60_000; i++)
            batch.Put($"{i}", Encoding.UTF8.GetBytes($$"""{"name": "n{{i}}", "total": {{i}}, "city": "Rome"}"""));
        collection.WaitForIndex(collection.Commit(batch), s_long);
        Task<string?> verify = Task.Run(collection.Verify);
        int queries = 0;
        for (; !verify.IsCompleted; queries++)
        {
            Assert.Equal(60_000, collection.Find(new() { Facets = ["city"], Limit = 1 }).Total);
            Assert.True(collection.TryGet($"{queries % 60_000}", out _), $"{queries} queries");
        }
        Assert.Null(await verify);
        Assert.True(queries > 3, $"{queries} queries");
        collection.WaitForIndex(collection.Delete("0"), s_long);
        Assert.Equal(59_999, collection.Find(new() { Limit = 0 }).Total);
    }

    [Theory]
    [InlineData("keys.pages", "keys", false)]
    [InlineData("index-*", "ids", false)]
    [InlineData("index-*", "by total", false)]
    [InlineData("index-*", "by total", true)]
    [InlineData("index-*", "unreadable", true)]
    public void Verify_tells_what_an_index_lacks_or_has_too_much(string file, string tree, bool adds) => Damage(file, pages =>
    {
        SortedTree damaged = pages.Tree(Encoding.UTF8.GetBytes(tree));
        if (!damaged.TryGetLast(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)) Assert.True(adds);
        if (adds) damaged.Set(key.IsEmpty ? [0, 0, 0, 1] : [.. key[..^1], 9], value);
        else Assert.True(damaged.Remove(key.ToArray()));
    });

    [Theory]
    [InlineData("Rome", true)]
    [InlineData("Rome", false)]
    [InlineData("Oslo", true)]
    public void Verify_tells_where_a_facet_differs(string city, bool adds) => Damage("index-*", pages =>
    {
        SortedTree images = pages.Tree("images"u8);
        Assert.True(images.TryGet("facet city"u8, out ReadOnlySpan<byte> image));
        FacetField facet = FacetField.Open(image.ToArray());
        Assert.True(adds ? facet.Add(9, city) : facet.Remove(2, city));
        images.Set("facet city"u8, facet.ToByteArray());
    });

    /// <summary>Verify finds nothing in a collection of three documents, and something once a file of it was changed.</summary>
    private static void Damage(string file, Action<MappedPages> change)
    {
        using TempFolder folder = new();
        using (Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options))
        {
            for (int i = 0; i < 3; i++) collection.Put($"{i}", """{"total": 1, "city": "Rome"}"""u8.ToArray());
            Assert.Null(collection.Verify());
        }
        using (MappedPages pages = MappedPages.Open(Directory.GetFiles(folder.Path, file).Single())) change(pages);
        using Collection again = Collection.Open(folder.Path, null, Engine.Options);
        Assert.NotNull(again.Verify());
    }
}
