using System.Text;

namespace DocumentStore.Tests;

/// <summary>What is superseded goes, and nothing else does.</summary>
public class CompactionTests
{
    private static readonly TimeSpan s_long = TimeSpan.FromSeconds(60);

    /// <summary>Files go from the disk, whoever had them mapped, and all that lives is found by each index, also by one that is made anew
    /// of what is left.</summary>
    [Fact]
    public void The_log_becomes_as_long_as_what_lives_in_it()
    {
        using TempFolder folder = new();
        const int documents = 300, versions = 20;
        using (Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.SmallFiles))
        {
            for (int version = 0; version < versions; version++)
            {
                Batch batch = new();
                for (int i = 0; i < documents; i++)
                    if (version < versions - 1 || i % 3 > 0) batch.Put($"{i}", Order(i, version));
                    else batch.Delete($"{i}");
                collection.Commit(batch);
            }
            collection.WaitForIndex(collection.End, s_long);
            long before = LogBytes(folder), superseded = collection.Superseded;
            Assert.True(before > superseded && superseded > before * 9 / 10, $"{superseded} of {before}");
            collection.Compact();
            Assert.InRange(collection.Superseded, 0, 2 * Engine.SmallFiles.LogFileBytes);
            Assert.InRange(LogBytes(folder), 1, before / 10);
            Check(collection);
            // Who has a file mapped keeps its room on the disk.
            foreach (int process in (int[])[Environment.ProcessId, collection.WorkerProcessId!.Value])
                Assert.True(SpinWait.SpinUntil(() => !File.ReadLines($"/proc/{process}/maps").Any(line =>
                    line.Contains(folder.Path, StringComparison.Ordinal) && line.EndsWith(".log (deleted)", StringComparison.Ordinal)),
                    s_long));
            // The next worker finds the definition in its new place.
            Engine.KillWorker(collection.WorkerProcessId!.Value);
            Check(collection);
        }
        foreach (string anew in (string[])["nothing", "index-*", "keys.pages", "*e*-*", "*e*"])
        {
            foreach (string path in Directory.GetFiles(folder.Path, anew)) File.Delete(path);
            using Collection again = Collection.Open(folder.Path, null, Engine.SmallFiles);
            // It does not answer before it has all: what it has in between has never been.
            Assert.Equal(documents * 2 / 3, again.Find(new() { Where = [("city", "Rome")], Limit = 0 }).Total);
            Check(again);
        }

        static void Check(Collection collection)
        {
            Assert.Equal(documents * 2 / 3, collection.Count);
            for (int i = 0; i < documents; i++)
            {
                bool isThere = collection.TryGet($"{i}", out ReadOnlySpan<byte> content);
                Assert.Equal(i % 3 > 0, isThere);
                if (isThere) Assert.True(content.SequenceEqual(Order(i, versions - 1).Span));
            }
            collection.WaitForIndex(collection.End, s_long);
            Assert.Equal(documents * 2 / 3, collection.Find(new() { Index = "total", Limit = documents }).Documents.Length);
            Assert.Null(collection.Verify());
        }

        static ReadOnlyMemory<byte> Order(int number, int version) =>
            Encoding.UTF8.GetBytes($$"""{"total": {{number * version}}, "city": "Rome", "more": "{{new string('m', version)}}"}""");
    }

    /// <summary>A collection that is changed, compacted, closed and killed in any order is its model.</summary>
    [Fact]
    public void Any_order_of_changes_and_compactions_is_the_model()
    {
        Random random = new(5);
        using TempFolder folder = new(), saved = new();
        Model model = new();
        for (int number = 0, life = 0; life < 12; life++)
        {
            using (Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.SmallFiles))
            {
                for (int left = random.Next(60); left > 0; left--)
                {
                    Batch batch = Model.BatchOf(9, number++);
                    collection.Commit(batch);
                    model = model.With(batch);
                    if (random.Next(15) == 0) collection.Compact();
                    if (random.Next(40) == 0) Engine.KillWorker(collection.WorkerProcessId ?? 0);
                }
                if (life % 3 == 0) model.Check(collection);
            }
            // The keys or indexes of an earlier life know places that are gone; none at all begin where the log does.
            foreach (string path in Directory.GetFiles(saved.Path))
                if (random.Next(2) == 0) File.Copy(path, Path.Combine(folder.Path, Path.GetFileName(path)), overwrite: true);
            foreach (string path in Directory.GetFiles(folder.Path).Where(static path => !path.EndsWith(".log", StringComparison.Ordinal)))
            {
                if (random.Next(4) == 0) File.Copy(path, Path.Combine(saved.Path, Path.GetFileName(path)), overwrite: true);
                if (random.Next(6) == 0) File.Delete(path);
            }
        }
        Assert.Single(Directory.GetFiles(folder.Path, "index-*"));
    }

    /// <summary>What somebody has found and pinned is neither moved away nor zeroed.</summary>
    [Fact]
    public void A_pin_keeps_what_was_found()
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition,
            Engine.SmallFiles with { Timeout = TimeSpan.FromSeconds(5) });
        byte[] document = Encoding.UTF8.GetBytes($$"""{"total": 1, "city": "{{new string('x', 100)}}"}""");
        collection.WaitForIndex(collection.Put("a", document), s_long);
        for (int i = 0; i < 300; i++) collection.Put("b", document);
        collection.WaitForIndex(collection.End, s_long);
        Document found;
        using (Pin pin = collection.Pin())
        {
            Assert.True(collection.TryGet("a", out ReadOnlySpan<byte> content));
            found = collection.Find(new() { Index = "total" }).Documents[0];
            for (int round = 0; round < 2; round++)
            {
                TimeoutException told = Assert.Throws<TimeoutException>(collection.Compact);
                Assert.Contains("pin", told.Message);
                Assert.True(content.SequenceEqual(document) && found.Content.SequenceEqual(document) && found.Key == "a");
            }
        }
        collection.Compact();
        Assert.Throws<InvalidOperationException>(() => found.Key);
        Assert.Throws<InvalidOperationException>(() => found.Content.Length);
        Assert.InRange(LogBytes(folder), 1, 3 * Engine.SmallFiles.LogFileBytes);
        Assert.True(collection.TryGet("a", out ReadOnlySpan<byte> moved) && moved.SequenceEqual(document));
        Assert.Null(collection.Verify());
    }

    /// <summary>A compaction waits for who reads when it begins to wait, and not for who comes later: or readers without a pause between
    /// them would hold it up for ever.</summary>
    [Fact]
    public async Task Who_reads_later_is_not_waited_for()
    {
        Pins pins = new();
        int first = pins.Enter(), later = first;
        Task drain = Task.Run(() => pins.Drain(s_long));
        while (later == first)
        {
            later = pins.Enter();
            if (later == first) pins.Leave(later);
        }
        Assert.False(drain.IsCompleted);
        pins.Leave(first);
        await drain;
        Assert.Throws<TimeoutException>(() => pins.Drain(TimeSpan.Zero));
        pins.Leave(later);
        pins.Drain(TimeSpan.Zero);
    }

    /// <summary>Readers, queries, commits and compactions at the same time, and the worker is killed under them.</summary>
    [Fact]
    public async Task Compactions_go_on_beside_everything()
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options with { LogFileBytes = 1 << 17 });
        const int documents = 100, wanted = 12;
        int compactions = 0, reads = 0;
        Commit(0);
        // From here on an index has every document, of one commit or another.
        collection.WaitForIndex(collection.End, s_long);
        Task compacting = Run(() =>
        {
            for (; Volatile.Read(ref compactions) < wanted || Volatile.Read(ref reads) < wanted; Interlocked.Increment(ref compactions))
            {
                collection.Compact();
                if (compactions % 4 == 2) Engine.KillWorker(collection.WorkerProcessId ?? 0);
            }
        });
        Task[] all = [compacting, Run(() =>
        {
            for (int version = 1; !compacting.IsCompleted; version++) Commit(version);
        }), .. Enumerable.Range(0, 2).Select(reader => Run(() =>
        {
            Random random = new(reader);
            for (; !compacting.IsCompleted; Interlocked.Increment(ref reads))
            {
                using Pin pin = collection.Pin();
                Assert.True(collection.TryGet($"{random.Next(documents)}", out ReadOnlySpan<byte> one));
                string first = Encoding.UTF8.GetString(one);
                QueryResult found = collection.Find(new() { Index = "total", Facets = ["city"], Limit = documents });
                Assert.Equal([new("Rome", documents)], found.Facets["city"]);
                // All of one commit: none is missing, none is there twice, and each can be read.
                Assert.Single(found.Documents.Select(static document => Encoding.UTF8.GetString(document.Content)).Distinct());
                Assert.Equal(documents, found.Documents.Select(static document => document.Key).Distinct().Count());
                Assert.Equal(first, Encoding.UTF8.GetString(one));
            }
        }))];
        await Task.WhenAll(all);
        collection.WaitForIndex(collection.End, s_long);
        Assert.Null(collection.Verify());

        static Task Run(Action run) => Task.Factory.StartNew(run, TaskCreationOptions.LongRunning);

        void Commit(int version)
        {
            Batch batch = new();
            byte[] content = Encoding.UTF8.GetBytes($$"""{"total": {{version}}, "city": "Rome"}""");
            for (int i = 0; i < documents; i++) batch.Put($"{i}", content);
            collection.Commit(batch);
        }
    }

    private static long LogBytes(TempFolder folder) =>
        Directory.GetFiles(folder.Path, "*.log").Sum(static path => new FileInfo(path).Length);
}
