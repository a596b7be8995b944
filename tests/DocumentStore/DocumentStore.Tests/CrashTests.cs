using System.Diagnostics;
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
    [Fact]
    public void Nothing_acknowledged_is_lost_by_kills()
    {
        using TempFolder folder = new();
        Random random = new(7);
        Model model = new();
        int next = 0;
        for (int round = 0; round < s_rounds; round++)
        {
            Engine engine = new(folder.Path, seed: 1, next);
            using (engine)
            {
                while (engine.Acknowledged == next) Thread.Sleep(1);
                Thread.Sleep(random.Next(1, 300));
                if (round % 3 != 0) KillWorker(engine.WorkerId);
                if (round % 3 == 1)
                {
                    int before = engine.Acknowledged;
                    Thread.Sleep(random.Next(1, 300));
                    Assert.True(engine.Acknowledged > before, "The engine goes on without its worker.");
                }
                engine.Kill();
            }
            using Collection collection = Collection.Open(folder.Path, null, Engine.Options);
            model = model.After(1, ref next, engine.Acknowledged, engine.Tried, collection);
            model.Check(collection);
        }
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
                while (collection.WorkerProcessId is null) Thread.Sleep(1);
                collection.IndexedTo();
                workers.Add(collection.WorkerProcessId!.Value);
                KillWorker(collection.WorkerProcessId!.Value);
                collection.Find(new() { Facets = ["city"] });
            }
            if (number % 10 == 0) model.Check(collection);
        }
        Assert.Equal(3, workers.Count);
    }

    /// <summary>A word of a new end may be lost where another thread sends; any request has it again.</summary>
    [Fact]
    public void A_worker_learns_the_end_of_the_log_from_any_request()
    {
        using TempFolder folder = new();
        using (Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options)) collection.IndexedTo();
        using LogFile log = LogFile.Open(folder.Path);
        DocumentFrame frame = new() { Mark = DocumentFrame.Marks.First | DocumentFrame.Marks.Last, Id = 0, Previous = 0, Key = "a"u8 };
        log.Append(in frame);
        log.Sync();
        using IpcListener listener = IpcListener.Listen($"@{Path.GetFileName(folder.Path)}");
        Thread worker = new(() => IndexWorker.TryRun(IndexWorker.Arguments(folder.Path, $"@{Path.GetFileName(folder.Path)}"), out _));
        worker.Start();
        using (IpcChannel engine = listener.Accept(TimeSpan.FromSeconds(30)))
            Assert.True(SpinWait.SpinUntil(() =>
            {
                engine.Send(WorkerProcess.Message(Request.State, log.SyncedEnd));
                using IpcMessage answer = engine.Receive(TimeSpan.FromSeconds(30))!;
                return (long)new SpanReader(answer.Payload.Span).ReadVarint() == log.SyncedEnd;
            }, TimeSpan.FromSeconds(30)));
        worker.Join();
    }

    private static void KillWorker(int id)
    {
        try
        {
            using Process worker = Process.GetProcessById(id);
            worker.Kill();
        }
        catch (ArgumentException)
        {
            // It has just ended, or none was there.
        }
    }
}
