using MemPrims.Benchmarks.Latency;
using MemPrims.Benchmarks.Workloads;
using MemPrims.Records;

namespace MemPrims.Benchmarks.Records;

/// <summary>
/// The operations of <see cref="RecordsCases"/> one by one. A commit is a call of its own; reads and changes go by 64, a scan by its
/// records.
/// </summary>
internal static class RecordsLatency
{
    private const int SeedBatch = 200, LargeBatch = 1000, Group = 64, Many = 100_000;

    private static readonly int[] s_sizes = [100, 10_000, Many];

    public static IEnumerable<LatencyCase> Cases()
    {
        foreach (int records in s_sizes)
        {
            yield return new($"read one field, {records} records", Group, false, () => ReadOne(records));
            yield return new($"change three fields, {records} records", Group, false, () => ChangeThree(records));
        }
        yield return new($"scan of one field, {Many} records", Many, false, Scan);
        foreach ((string place, string root) in Places.All)
        {
            foreach (int records in s_sizes)
            {
                yield return new($"batch of {SeedBatch} index updates, ProcessCrash, {records} records, {place}", 1, true, () =>
                    Seed(root, records));
                yield return new(
                    $"batch of {SeedBatch} index updates, ProcessCrash, raw bytes in the peers, {records} records, {place}", 1,
                    true, () => SeedRaw(root, records));
                yield return new($"batch of {LargeBatch} random updates, PowerLoss, {records} records, {place}", 1, true, () =>
                    Durable(root, records, LargeBatch));
                yield return new($"one update, PowerLoss, {records} records, {place}", 1, true, () => Durable(root, records, 1));
            }
        }
    }

    private static LatencyContender[] ReadOne(int records)
    {
        RecordWorkload work = new(Path.GetTempPath(), records);
        MappedFile<Stats> file = work.NewFile(Durability.ProcessCrash);
        JsonSlots json = work.NewJson();
        Sqlite sqlite = work.NewSqlite("WAL", "OFF", json: false);
        return WithLmdb(
            [new("mapped", () => RecordWorkload.ReadOneField(file, work.Next(Group))),
                new("JSON in the same place", () => RecordWorkload.ReadOneField(json, work.Next(Group))),
                new("SQLite", () => RecordWorkload.ReadOneField(sqlite, work.Next(Group)))],
            () => work.NewLmdb(sync: false, json: false), "LMDB", lmdb => RecordWorkload.ReadOneField(lmdb, work.Next(Group)));
    }

    private static LatencyContender[] ChangeThree(int records)
    {
        RecordWorkload work = new(Path.GetTempPath(), records);
        WriteTransaction<Stats> transaction = work.NewFile(Durability.ProcessCrash).BeginWrite();
        JsonSlots json = work.NewJson();
        return [new("mapped", () => RecordWorkload.ChangeThree(transaction, work.Next(Group))),
            new("JSON in the same place", () => RecordWorkload.ChangeThree(json, work.Next(Group)))];
    }

    private static LatencyContender[] Scan()
    {
        RecordWorkload work = new(Path.GetTempPath(), Many);
        MappedFile<Stats> file = work.NewFile(Durability.ProcessCrash);
        return WithLmdb([new("mapped", () => RecordWorkload.Scan(file))], () => work.NewLmdb(sync: false, json: false), "LMDB cursor",
            RecordWorkload.Scan);
    }

    private static LatencyContender[] Seed(string root, int records)
    {
        RecordWorkload work = new(root, records);
        MappedFile<Stats> file = work.NewFile(Durability.ProcessCrash, out CountingStorage storage);
        JsonSlots serializer = work.NewJson();
        Sqlite sqlite = work.NewSqlite("WAL", "OFF", json: true);
        return WithLmdb([new("mapped", () => work.UpdateBatch(file, SeedBatch), () => storage.Written),
            new("SQLite, JSON, synchronous off", () => work.UpdateJson(sqlite, serializer, SeedBatch))],
            () => work.NewLmdb(sync: false, json: true), "LMDB, JSON, no sync", lmdb => work.UpdateJson(lmdb, serializer, SeedBatch));
    }

    private static LatencyContender[] SeedRaw(string root, int records)
    {
        RecordWorkload work = new(root, records);
        MappedFile<Stats> file = work.NewFile(Durability.ProcessCrash, out CountingStorage storage);
        Sqlite sqlite = work.NewSqlite("WAL", "OFF", json: false);
        return WithLmdb([new("mapped", () => work.UpdateBatch(file, SeedBatch), () => storage.Written),
            new("SQLite, blob, synchronous off", () => work.UpdateStructs(sqlite, SeedBatch))],
            () => work.NewLmdb(sync: false, json: false), "LMDB, bytes, no sync", lmdb => work.UpdateStructs(lmdb, SeedBatch));
    }

    private static LatencyContender[] Durable(string root, int records, int batch)
    {
        RecordWorkload work = new(root, records);
        MappedFile<Stats> file = work.NewFile(Durability.PowerLoss, out CountingStorage storage);
        Sqlite sqlite = work.NewSqlite("WAL", "FULL", json: false);
        return WithLmdb([new("mapped", () => work.UpdateBatch(file, batch), () => storage.Written),
            new("SQLite, WAL, FULL", () => work.UpdateStructs(sqlite, batch))],
            () => work.NewLmdb(sync: true, json: false), "LMDB, sync", lmdb => work.UpdateStructs(lmdb, batch));
    }

    private static LatencyContender[] WithLmdb(LatencyContender[] others, Func<Lmdb> make, string name, Func<Lmdb, long> once)
    {
        if (!LmdbLibrary.IsAvailable) return others;
        Lmdb lmdb = make();
        return [.. others, new(name, () => once(lmdb))];
    }
}
