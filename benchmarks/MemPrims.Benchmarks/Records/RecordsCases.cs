using System.IO.MemoryMappedFiles;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Workloads;
using MemPrims.Records;

namespace MemPrims.Benchmarks.Records;

/// <summary>
/// Mapped records against JSON in the same place, LMDB and SQLite, with the same durability on both sides. Files lie on the disk or in
/// tmpfs, as the name of the case says. Batches take their ids from a shuffled list of 32,768.
/// </summary>
public sealed class RecordsCases : IRatioCases
{
    private const int SeedBatch = 200, LargeBatch = 1000, Threads = 8, CommitsOfEach = 100;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int records in (int[])[100, 10_000, 100_000])
        {
            yield return new("Records", $"read one field, {records} records", () => ReadOne(records, inOrder: false));
            yield return new("Records", $"read one field in the order of ids, {records} records", () => ReadOne(records, inOrder: true));
            yield return new("Records", $"floor of read one field: bare loads at the same random addresses, {records} records", () =>
                LoadOne(records));
            yield return new("Records", $"read-modify-write of three fields, {records} records", () => ChangeThree(records));
        }
        foreach ((string place, string root) in Places.All)
        {
            foreach (int records in (int[])[100, 10_000, 100_000])
            {
                yield return new("Records", $"batch of {SeedBatch} index updates, ProcessCrash, {records} records, {place}", () =>
                    Seed(root, records));
                yield return new("Records",
                    $"batch of {SeedBatch} index updates, ProcessCrash, raw bytes in the peers, {records} records, {place}", () =>
                    SeedRaw(root, records));
            }
            yield return new("Records", $"batch of {LargeBatch} random updates, PowerLoss, raw bytes in the peers, {place}", () =>
                Durable(root, 100_000, LargeBatch, 1.5, 3));
            foreach (int records in (int[])[100, 100_000])
                yield return new("Records", $"one update, PowerLoss, raw bytes in the peers, {records} records, {place}", () =>
                    Durable(root, records, 1, 1.6, 1));
            yield return new("Records", $"one update each by {Threads} threads, PowerLoss, {place}", () => Together(root));
        }
        yield return new("Records", $"batch of {SeedBatch} index updates, ProcessCrash, without StoreThroughMap, disk", WithoutMap);
        yield return new("Records", "scan of one field, 10000 records", () => Scan(10_000, 0));
        yield return new("Records", "scan of one field, 100000 records", () => Scan(100_000, 5));
        yield return new("Records", "reader beside a writer committing every 10 ms", BesideWriter);
        yield return new("Records", "open a file of 100000 records", OpenFile);
    }

    private static Contest ReadOne(int records, bool inOrder)
    {
        RecordWorkload work = new(Path.GetTempPath(), records, inOrder);
        MappedFile<Stats> file = work.NewFile(Durability.ProcessCrash);
        JsonSlots json = work.NewJson();
        return new(Places.Shuffled, new("mapped", () => RecordWorkload.ReadOneField(file, work.Ids)),
            new Contender("JSON", () => RecordWorkload.ReadOneField(json, work.Ids), inOrder ? 0 : 150));
    }

    // A row of its own: as a peer beside the reading it would find the file in the caches, from which the JSON batch evicts it.
    private static unsafe Contest LoadOne(int records)
    {
        RecordWorkload work = new(Path.GetTempPath(), records);
        byte* bytes = null;
        MemoryMappedFile.CreateFromFile(work.NewFile(Durability.ProcessCrash).FilePath,
            FileMode.Open).CreateViewAccessor().SafeMemoryMappedViewHandle.AcquirePointer(ref bytes);
        JsonSlots json = work.NewJson();
        return new(Places.Shuffled, new("bare loads", () => work.LoadOneField(bytes)),
            new Contender("JSON", () => RecordWorkload.ReadOneField(json, work.Ids)));
    }

    private static Contest ChangeThree(int records)
    {
        RecordWorkload work = new(Path.GetTempPath(), records);
        WriteTransaction<Stats> transaction = work.NewFile(Durability.ProcessCrash).BeginWrite();
        JsonSlots json = work.NewJson();
        return new(Places.Shuffled, new("mapped", () => RecordWorkload.ChangeThree(transaction, work.Ids)),
            new Contender("JSON", () => RecordWorkload.ChangeThree(json, work.Ids), 100));
    }

    private static Contest Seed(string root, int records)
    {
        RecordWorkload work = new(root, records);
        MappedFile<Stats> file = work.NewFile(Durability.ProcessCrash);
        JsonSlots serializer = work.NewJson();
        Sqlite sqlite = work.NewSqlite("WAL", "OFF", json: true);
        List<Contender> peers = [new("SQLite, JSON, synchronous off", () => work.UpdateJson(sqlite, serializer, SeedBatch), 10)];
        if (LmdbLibrary.IsAvailable)
        {
            Lmdb lmdb = work.NewLmdb(sync: false, json: true);
            peers.Insert(0, new("LMDB, JSON, no sync", () => work.UpdateJson(lmdb, serializer, SeedBatch), 4));
        }
        return new(SeedBatch, new("mapped", () => work.UpdateBatch(file, SeedBatch)), [.. peers]);
    }

    // The updates of a database's statistics, with the peers at their best: the same bytes, taken out, changed and put back.
    private static Contest SeedRaw(string root, int records)
    {
        RecordWorkload work = new(root, records);
        MappedFile<Stats> file = work.NewFile(Durability.ProcessCrash);
        Sqlite sqlite = work.NewSqlite("WAL", "OFF", json: false);
        List<Contender> peers = [new("SQLite, blob, synchronous off", () => work.UpdateStructs(sqlite, SeedBatch))];
        if (LmdbLibrary.IsAvailable)
        {
            Lmdb lmdb = work.NewLmdb(sync: false, json: false);
            peers.Insert(0, new("LMDB, bytes, no sync", () => work.UpdateStructs(lmdb, SeedBatch)));
        }
        return new(SeedBatch, new("mapped", () => work.UpdateBatch(file, SeedBatch)), [.. peers]);
    }

    // What the default costs where the option would be allowed: calls to the system in place of stores through a map.
    private static Contest WithoutMap()
    {
        RecordWorkload work = new(Path.GetTempPath(), 100_000);
        MappedFile<Stats> calls = work.NewFile(Durability.ProcessCrash, "calls", throughMap: false),
            stores = work.NewFile(Durability.ProcessCrash, "stores");
        return new(SeedBatch, new("calls", () => work.UpdateBatch(calls, SeedBatch)),
            new Contender("StoreThroughMap", () => work.UpdateBatch(stores, SeedBatch)));
    }

    // Each commit is of one update and returns when that is on the disk; the threads live on, so that none is started in the batch.
    private static Contest Together(string root)
    {
        RecordWorkload work = new(root, 100_000);
        MappedFile<Stats> shared = work.NewFile(Durability.PowerLoss, "shared"), alone = work.NewFile(Durability.PowerLoss, "alone");
        Barrier start = new(Threads + 1), end = new(Threads + 1);
        for (int thread = 0; thread < Threads; thread++)
        {
            Random random = new(thread);
            new Thread(() =>
            {
                for (; ; end.SignalAndWait())
                {
                    start.SignalAndWait();
                    for (int commit = 0; commit < CommitsOfEach; commit++) shared.Increment(random.Next(shared.Count),
                        Stats.Fields.Attempts);
                }
            })
            { IsBackground = true }.Start();
        }
        return new(Threads * CommitsOfEach, new($"{Threads} threads", () =>
        {
            start.SignalAndWait();
            end.SignalAndWait();
            return shared.Transaction;
        }), new Contender("1 thread", () =>
        {
            for (int commit = 0; commit < Threads * CommitsOfEach; commit++) alone.Increment(work.Next(1)[0], Stats.Fields.Attempts);
            return alone.Transaction;
        }, 3));
    }

    private static Contest Durable(string root, int records, int batch, double againstLmdb, double againstSqlite)
    {
        RecordWorkload work = new(root, records);
        MappedFile<Stats> file = work.NewFile(Durability.PowerLoss);
        Sqlite sqlite = work.NewSqlite("WAL", "FULL", json: false);
        List<Contender> peers = [new("SQLite, blob, WAL, FULL", () => work.UpdateStructs(sqlite, batch), againstSqlite)];
        if (LmdbLibrary.IsAvailable)
        {
            Lmdb lmdb = work.NewLmdb(sync: true, json: false);
            peers.Insert(0, new("LMDB, bytes, sync", () => work.UpdateStructs(lmdb, batch), againstLmdb));
        }
        return new(batch, new("mapped", () => work.UpdateBatch(file, batch)), [.. peers]);
    }

    private static Contest Scan(int records, double atLeast)
    {
        RecordWorkload work = new(Path.GetTempPath(), records);
        MappedFile<Stats> file = work.NewFile(Durability.ProcessCrash);
        if (!LmdbLibrary.IsAvailable) return new(records, new("mapped", () => RecordWorkload.Scan(file)));
        Lmdb lmdb = work.NewLmdb(sync: false, json: false);
        return new(records, new("mapped", () => RecordWorkload.Scan(file)),
            new Contender("LMDB cursor", () => RecordWorkload.Scan(lmdb), atLeast));
    }

    // A batch of 60 ms, so that each has several commits in it: the peer is the same reader of a file that nobody writes.
    private static Contest BesideWriter()
    {
        const int records = 10_000, rounds = 300;
        RecordWorkload work = new(Path.GetTempPath(), records);
        MappedFile<Stats> still = work.NewFile(Durability.PowerLoss, "still"), written = work.NewFile(Durability.PowerLoss, "written");
        MappedFile<Stats> reader = MappedFile<Stats>.OpenRead(written.FilePath);
        Thread writer = new(() =>
        {
            for (RecordWorkload own = new(Path.GetTempPath(), records); ; Thread.Sleep(10)) own.UpdateBatch(written, 1);
        })
        { IsBackground = true };
        writer.Start();
        return new(rounds * Places.Shuffled, new("with a writer", () => Rounds(reader)),
            new Contender("without", () => Rounds(still), 0.9));

        long Rounds(MappedFile<Stats> file)
        {
            long sum = 0;
            for (int i = 0; i < rounds; i++) sum += RecordWorkload.ReadOneField(file, work.Ids);
            return sum;
        }
    }

    private static Contest OpenFile()
    {
        string large = Closed(100_000), small = Closed(100);
        return new(1, new("100000 records", () => Open(large)), new Contender("100 records", () => Open(small)));

        static string Closed(int records)
        {
            using MappedFile<Stats> file = new RecordWorkload(Path.GetTempPath(), records).NewFile(Durability.PowerLoss);
            return file.FilePath;
        }

        static long Open(string path)
        {
            using MappedFile<Stats> file = MappedFile<Stats>.Open(path);
            return file.Read(file.Count - 1, static s => s.Attempts);
        }
    }
}
