using System.Text;
using DocumentStore.Index;
using MemPrims.Buffers;
using MemPrims.Channels;
using MemPrims.Records;

namespace DocumentStore.Tests;

public class CrashTests
{
    private static readonly int s_rounds = Environment.GetEnvironmentVariable("MEMPRIMS_LONG") == "1" ? 100 : 9;

    /// <summary>Engine, worker or both are killed at any moment. All that was acknowledged is there, the batch under way is there as a
    /// whole or not at all, and all indexes agree with the documents.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Nothing_acknowledged_is_lost_by_kills(bool compacts)
    {
        using TempFolder folder = new();
        Random random = new(7);
        Model model = new();
        int next = 0, compactions = 0;
        for (int round = 0; round < s_rounds; round++)
        {
            Engine engine = new(folder.Path, seed: 1, next, compacts: compacts);
            using (engine)
            {
                while (engine.Acknowledged == next) Thread.Sleep(1);
                Thread.Sleep(random.Next(1, 300));
                if (round % 3 != 0) Engine.KillWorker(engine.WorkerId);
                if (round % 3 == 1)
                {
                    int before = engine.Acknowledged;
                    Thread.Sleep(random.Next(1, 300));
                    Assert.True(SpinWait.SpinUntil(() => engine.Acknowledged > before, TimeSpan.FromSeconds(30)),
                        "The engine goes on without its worker.");
                }
                engine.Kill();
                compactions += engine.Compactions;
            }
            using Collection collection = Collection.Open(folder.Path, null, Engine.Options);
            model = model.After(1, ref next, engine.Acknowledged, engine.Tried, collection);
            model.Check(collection);
        }
        Assert.Equal(compacts, compactions > 0);
    }

    /// <summary>Engine and worker are killed at the first, second and further calls of the system that each of their threads makes, while
    /// documents are moved, saved and files are dropped.</summary>
    [StraceTheory]
    [InlineData("unlink")]
    [InlineData("fsync")]
    [InlineData("fdatasync")]
    [InlineData("msync")]
    [InlineData("pwrite64")]
    [InlineData("rename")]
    public void A_kill_at_any_call_of_a_compaction_loses_nothing(string call)
    {
        const int seed = 8;
        using TempFolder folder = new();
        Model model = new();
        int next = 0, killed = 0;
        foreach (int at in (int[])[1, 2, 3, 4, 5, 7, 10, 20, 40, 80])
        {
            using Engine engine = new(folder.Path, seed, next, compacts: true, by: ["strace", "-f", "-qq", "-o", "/dev/null", "-e",
                $"trace={call}", "-e", $"inject={call}:signal=KILL:when={at}"]);
            while (!engine.HasExited && engine.Acknowledged < next + 100) Thread.Sleep(1);
            if (engine.HasExited) killed++;
            else engine.Kill();
            engine.Wait();
            using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.SmallFiles);
            model = model.After(seed, ref next, engine.Acknowledged, engine.Tried, collection);
            model.Check(collection);
            collection.Compact();
            model.Check(collection);
        }
        Assert.True(killed > 0);
    }

    /// <summary>The batch under way when a process died puts in as many documents as it takes out.</summary>
    [Fact]
    public void A_batch_under_way_is_told_by_the_documents_and_not_by_their_number()
    {
        int batches = 0, next = 0;
        Model before = new(), after = before.With(Model.BatchOf(1, 0));
        while (before.Documents.Count != after.Documents.Count || after.Documents.Keys.All(before.Documents.ContainsKey))
        {
            batches++;
            (before, after) = (after, after.With(Model.BatchOf(1, batches)));
        }
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        for (int number = 0; number < batches; number++) collection.Commit(Model.BatchOf(1, number));
        Model found = new Model().After(1, ref next, batches, batches + 1, collection);
        Assert.Equal(batches, next);
        found.Check(collection);
        collection.Commit(Model.BatchOf(1, batches));
        found = found.After(1, ref next, batches, batches + 1, collection);
        Assert.Equal(batches + 1, next);
        found.Check(collection);
    }

    /// <summary>Many queries run beside a load. Each sees whole batches: as many documents as there were at one of the commits.</summary>
    [Fact]
    public async Task Queries_go_on_while_a_load_runs()
    {
        const int ofBatch = 50;
        int batches = 0, queries = 0, killAt = 15, wanted = s_rounds * 5;
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        using CancellationTokenSource loaded = new();
        long begun = 0, ended = 0;
        Task[] readers = [.. Enumerable.Range(0, 3).Select(reader => Task.Factory.StartNew(() =>
        {
            Random random = new(reader);
            for (bool last = false; !last;)
            {
                last = loaded.IsCancellationRequested;
                long before = Volatile.Read(ref ended) * ofBatch;
                if (before > 0)
                {
                    int one = random.Next((int)before);
                    Assert.True(collection.TryGet($"{one}", out ReadOnlySpan<byte> content)
                        && content.SequenceEqual(Order(one).Span), $"{one} of {before}");
                }
                QueryResult found = collection.Find(new() { Index = "total", Facets = ["city"], Limit = 20 });
                long total = found.Total!.Value;
                Assert.True(total % ofBatch == 0 && total <= Volatile.Read(ref begun) * ofBatch, $"{total}");
                Assert.Equal(total, found.Facets["city"].Sum(static value => value.Count));
                Assert.Equal(Math.Min(20, total), found.Documents.Length);
                foreach (Document document in found.Documents)
                    Assert.True(document.Content.SequenceEqual(Order(int.Parse(document.Key)).Span));
                Interlocked.Increment(ref queries);
            }
        }, TaskCreationOptions.LongRunning))];
        for (; batches < wanted || (Volatile.Read(ref queries) < wanted && readers.All(static reader => !reader.IsCompleted)); batches++)
        {
            Batch batch = new();
            for (int i = 0; i < ofBatch; i++) batch.Put($"{batches * ofBatch + i}", Order(batches * ofBatch + i));
            Volatile.Write(ref begun, begun + 1);
            collection.Commit(batch);
            Volatile.Write(ref ended, begun);
            // The load waits for the queries that are counted, so that it stays small on a slow machine.
            if (batches >= wanted) Thread.Sleep(20);
            // Not before it has answered: a worker that is killed while it starts answers nothing.
            if (Volatile.Read(ref queries) < killAt) continue;
            Engine.KillWorker(collection.WorkerProcessId ?? 0);
            killAt += 15;
        }
        collection.WaitForIndex(collection.End, TimeSpan.FromSeconds(60));
        loaded.Cancel();
        await Task.WhenAll(readers);
        Assert.True(queries >= wanted, $"{queries} queries");
        Assert.Null(collection.Verify());
        Assert.Equal(batches * ofBatch, collection.Find(new() { Limit = 0 }).Total);

        static ReadOnlyMemory<byte> Order(int number) =>
            Encoding.UTF8.GetBytes($$"""{"total": {{number % 97}}, "city": "{{(number % 3 == 0 ? "Rome" : "Oslo")}}"}""");
    }

    /// <summary>Queries go on while the worker is killed under them: each is answered, by the next worker.</summary>
    [Fact]
    public void A_query_is_asked_again_when_the_worker_dies()
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        Model model = new();
        HashSet<int> workers = [];
        for (int number = 0; number < 120; number++)
        {
            Batch batch = Model.BatchOf(2, number);
            model = model.With(batch);
            collection.Commit(batch);
            if (number % 40 == 20)
            {
                collection.WaitForIndex(0, TimeSpan.FromSeconds(60));
                workers.Add(collection.WorkerProcessId!.Value);
                Engine.KillWorker(collection.WorkerProcessId!.Value);
                collection.Find(new() { Facets = ["city"] });
            }
            if (number % 10 == 0) model.Check(collection);
        }
        Assert.Equal(3, workers.Count);
    }

    /// <summary>A worker that died before it saved the facets leaves them behind the trees, by more than it takes in between two
    /// requests.</summary>
    [Fact]
    public void Facets_that_are_behind_the_trees_are_brought_level_before_a_query()
    {
        using TempFolder folder = new();
        const int documents = 2000, left = 10;
        using (Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options))
        {
            Batch batch = new();
            for (int i = 0; i < documents; i++) batch.Put($"{i}", """{"city": "Rome"}"""u8.ToArray());
            collection.WaitForIndex(collection.Commit(batch), TimeSpan.FromSeconds(60));
        }
        using Collection again = Collection.Open(folder.Path, null, Engine.Options);
        for (int i = left; i < documents; i += 199)
        {
            Batch batch = new();
            for (int j = i; j < Math.Min(documents, i + 199); j++) batch.Delete($"{j}");
            again.WaitForIndex(again.Commit(batch), TimeSpan.FromSeconds(60));
        }
        // It would save them after a quarter of a second without requests.
        Engine.KillWorker(again.WorkerProcessId!.Value);
        QueryResult found = again.Find(new() { Facets = ["city"], Limit = documents });
        Assert.Equal((left, left), (found.Total, found.Documents.Length));
        Assert.Equal([new("Rome", left)], found.Facets["city"]);
        Assert.Null(again.Verify());
    }

    /// <summary>Its first answer tells how old it is; the rest of the log is taken in later.</summary>
    [Fact]
    public void The_next_worker_answers_before_it_has_caught_up()
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        collection.WaitForIndex(0, TimeSpan.FromSeconds(60));
        int first = collection.WorkerProcessId!.Value;
        Engine.Signal(first, "STOP");
        const int documents = 60_000, ofBatch = 500;
        for (int i = 0; i < documents; i += ofBatch)
        {
            Batch batch = new();
            for (int j = i; j < i + ofBatch; j++) batch.Put($"{j}", """{"name": "a", "total": 1, "city": "Rome"}"""u8.ToArray());
            collection.Commit(batch);
        }
        Engine.Signal(first, "CONT");
        collection.Find(new() { Limit = 0 });
        Engine.KillWorker(first);
        QueryResult found = collection.Find(new() { Facets = ["city"], Limit = documents });
        Assert.NotEqual(first, collection.WorkerProcessId);
        Assert.InRange(found.IndexedTo, 1, collection.End - 1);
        Assert.Equal(found.Total, found.Documents.Length);
        // It may answer before its first document.
        ValueCount[] counted = found.Documents.Length == 0 ? [] : [new("Rome", found.Documents.Length)];
        Assert.Equal(counted, found.Facets["city"]);
        collection.WaitForIndex(collection.End, TimeSpan.FromSeconds(60));
        Assert.Null(collection.Verify());
    }

    /// <summary>A word of a new end may be lost where another thread sends; any request has it again.</summary>
    [Fact]
    public void A_worker_learns_the_end_of_the_log_from_any_request()
    {
        using TempFolder folder = new();
        using (Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options))
            collection.WaitForIndex(0, TimeSpan.FromSeconds(60));
        using LogFile log = LogFile.Open(folder.Path);
        long definition = 0;
        foreach (LogEntry entry in log.ReadFrom()) definition = entry.Position;
        DocumentFrame frame = new() { Mark = DocumentFrame.Marks.First | DocumentFrame.Marks.Last, Id = 1, Previous = 0, Key = "a"u8 };
        log.Append(in frame);
        log.Sync();
        string address = $"@{Path.GetFileName(folder.Path)}";
        using IpcListener listener = IpcListener.Listen(address);
        Thread worker = new(() => IndexWorker.TryRun([.. IndexWorker.Arguments(folder.Path, "index-0", definition), address], out _));
        worker.Start();
        using (IpcChannel engine = listener.Accept(TimeSpan.FromSeconds(30)))
        {
            const uint number = 7;
            using SegmentList request = new();
            using (Appender to = new(request))
            {
                to.Write(Request.State);
                to.WriteVarint(number);
                to.WriteVarint((ulong)log.SyncedEnd);
                to.WriteVarint((ulong)log.Start);
                to.Commit();
            }
            Assert.True(SpinWait.SpinUntil(() =>
            {
                engine.Send(request.AsSequence());
                using IpcMessage answer = engine.Receive(TimeSpan.FromSeconds(30))!;
                SpanReader from = new(answer.Payload.Span);
                Assert.Equal(number, from.ReadVarintUInt32());
                return (long)from.ReadVarint() == log.SyncedEnd;
            }, TimeSpan.FromSeconds(30)));
        }
        worker.Join();
    }
}
