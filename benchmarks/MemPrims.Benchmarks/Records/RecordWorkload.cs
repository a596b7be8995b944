using System.Text;
using MemPrims.Records;
using MemPrims.Records.Storage;
using MemPrims.Records.Format;

namespace MemPrims.Benchmarks.Records;

/// <summary>
/// The same records in a mapped file, as JSON in mapped memory, in LMDB and in SQLite. Shared by the ratio cases and the BenchmarkDotNet
/// classes.
/// </summary>
internal sealed unsafe class RecordWorkload
{
    private static readonly int s_recordBytes = Stats.Layout.RecordBytes, s_perPage = PageHeader.Room / s_recordBytes;

    private readonly string _folder;
    private readonly int _records;
    private readonly int[] _ids;
    private readonly byte[][] _errors = [.. Enumerable.Range(0, 64).Select(i =>
        Encoding.UTF8.GetBytes($"Could not index document orders/{i * 977}: {new string('x', i % 20)}"))];
    private int _at;

    public RecordWorkload(string root, int records, bool inOrder = false)
    {
        _folder = Places.NewFolder(root);
        _records = records;
        _ids = inOrder ? [.. Enumerable.Range(0, Places.Shuffled).Select(i => i % records)] : Places.RandomIds(records);
    }

    /// <summary>All ids of a batch, shuffled or in order.</summary>
    public ReadOnlySpan<int> Ids => _ids;

    public MappedFile<Stats> NewFile(Durability durability, string name = "stats", bool throughMap = true) =>
        Filled(MappedFile<Stats>.Create(Path.Combine(_folder, name), Options(durability) with { StoreThroughMap = throughMap }));

    /// <summary>The same, with what is written into it counted.</summary>
    public MappedFile<Stats> NewFile(Durability durability, out CountingStorage storage)
    {
        storage = new(FileStorage.Open(Path.Combine(_folder, "counted"), FileMode.CreateNew, FileAccess.ReadWrite, Options(durability)));
        return Filled(MappedFile<Stats>.Create(storage, Options(durability)));
    }

    private static MappedFileOptions Options(Durability durability) => new() { Durability = durability, StoreThroughMap = true };

    private MappedFile<Stats> Filled(MappedFile<Stats> file)
    {
        using WriteTransaction<Stats> transaction = file.BeginWrite();
        for (int id = 0; id < _records; id++) StatsDocument.Number(id).WriteTo(transaction.Append());
        transaction.Commit();
        return file;
    }

    public JsonSlots NewJson() => new(Path.Combine(_folder, "json"), _records);

    public Lmdb NewLmdb(bool sync, bool json)
    {
        Lmdb lmdb = new(Path.Combine(_folder, "lmdb"), sync);
        JsonSlots serializer = new(Path.Combine(_folder, "scratch"), 1);
        lmdb.Write(transaction =>
        {
            StatsStruct value = default;
            for (int id = 0; id < _records; id++)
            {
                StatsDocument document = StatsDocument.Number(id);
                (value.LastEtag, value.Attempts) = (document.LastEtag, document.Attempts);
                lmdb.Put(transaction, (ulong)id, json ? serializer.Serialize(document) : new(&value, sizeof(StatsStruct)));
            }
        });
        return lmdb;
    }

    public Sqlite NewSqlite(string journal, string synchronous, bool json)
    {
        Sqlite sqlite = new(Path.Combine(_folder, "sqlite"), journal, synchronous);
        JsonSlots serializer = new(Path.Combine(_folder, "scratch2"), 1);
        StatsStruct value = default;
        sqlite.Begin();
        for (int id = 0; id < _records; id++)
        {
            StatsDocument document = StatsDocument.Number(id);
            (value.LastEtag, value.Attempts) = (document.LastEtag, document.Attempts);
            sqlite.Put(id, json ? serializer.Serialize(document) : new(&value, sizeof(StatsStruct)));
        }
        sqlite.Commit();
        return sqlite;
    }

    public static long ReadOneField(MappedFile<Stats> file, ReadOnlySpan<int> ids)
    {
        long sum = 0;
        foreach (int id in ids) sum += file.Read(id, static s => s.Attempts);
        return sum;
    }

    /// <summary>
    /// What the memory itself takes: the same loads at addresses computed from FORMAT.md, for a file of one commit. Nothing is checked.
    /// </summary>
    public long LoadOneField(byte* file)
    {
        const int attempts = 32, pairBytes = 2 * PageHeader.PageBytes;
        byte* first = file + 2 * MetaHeader.MinSlotBytes + PageHeader.Size + attempts;
        long sum = 0;
        foreach (int id in _ids) sum += *(int*)(first + (nint)(id / s_perPage) * pairBytes + id % s_perPage * s_recordBytes);
        return sum;
    }

    public static long ReadOneField(JsonSlots json, ReadOnlySpan<int> ids)
    {
        long sum = 0;
        foreach (int id in ids) sum += json.Read(id).Attempts;
        return sum;
    }

    public static long ReadOneField(Sqlite sqlite, ReadOnlySpan<int> ids)
    {
        long sum = 0;
        foreach (int id in ids)
        {
            sum += System.Runtime.InteropServices.MemoryMarshal.Read<StatsStruct>(sqlite.Get(id)).Attempts;
            sqlite.EndGet();
        }
        return sum;
    }

    /// <summary>In one transaction: LMDB's own are of several reads.</summary>
    public static long ReadOneField(Lmdb lmdb, ReadOnlySpan<int> ids)
    {
        long sum = 0;
        nint transaction = lmdb.BeginRead();
        foreach (int id in ids) sum += System.Runtime.InteropServices.MemoryMarshal.Read<StatsStruct>(lmdb.Get(transaction,
            (ulong)id)).Attempts;
        Lmdb.EndRead(transaction);
        return sum;
    }

    public static long ChangeThree(WriteTransaction<Stats> transaction, ReadOnlySpan<int> ids)
    {
        long sum = 0;
        foreach (int id in ids)
        {
            Stats s = transaction[id];
            s.LastEtag++;
            s.Attempts++;
            s.ChangedTicks += 10_000;
            sum += s.Attempts;
        }
        return sum;
    }

    public static long ChangeThree(JsonSlots json, ReadOnlySpan<int> ids)
    {
        long sum = 0;
        foreach (int id in ids)
        {
            StatsDocument s = json.Read(id);
            s.LastEtag++;
            s.Attempts++;
            s.ChangedTicks += 10_000;
            json.Write(id, s);
            sum += s.Attempts;
        }
        return sum;
    }

    /// <summary>What the indexing engine does after each batch: counters of many indexes move, and some have a new error.</summary>
    public long UpdateBatch(MappedFile<Stats> file, int count)
    {
        using WriteTransaction<Stats> transaction = file.BeginWrite();
        long sum = 0;
        for (int i = 0; i < count; i++)
        {
            Stats s = transaction[NextId()];
            s.LastEtag++;
            s.ChangedTicks += 10_000;
            s.Attempts++;
            s.Successes++;
            if ((i & 7) == 0) s.LastError = _errors[i >> 3 & 63];
            sum += s.Attempts;
        }
        transaction.Commit();
        return sum;
    }

    public long UpdateJson(Lmdb lmdb, JsonSlots serializer, int count)
    {
        long sum = 0;
        lmdb.Write(transaction =>
        {
            for (int i = 0; i < count; i++)
            {
                int id = NextId();
                StatsDocument s = System.Text.Json.JsonSerializer.Deserialize(lmdb.Get(transaction, (ulong)id),
                    StatsJson.Default.StatsDocument)!;
                Update(s, i);
                lmdb.Put(transaction, (ulong)id, serializer.Serialize(s));
                sum += s.Attempts;
            }
        });
        return sum;
    }

    public long UpdateJson(Sqlite sqlite, JsonSlots serializer, int count)
    {
        long sum = 0;
        sqlite.Begin();
        for (int i = 0; i < count; i++)
        {
            int id = NextId();
            StatsDocument s = System.Text.Json.JsonSerializer.Deserialize(sqlite.Get(id), StatsJson.Default.StatsDocument)!;
            sqlite.EndGet();
            Update(s, i);
            sqlite.Put(id, serializer.Serialize(s));
            sum += s.Attempts;
        }
        sqlite.Commit();
        return sum;
    }

    public long UpdateStructs(Lmdb lmdb, int count)
    {
        long sum = 0;
        lmdb.Write(transaction =>
        {
            for (int i = 0; i < count; i++)
            {
                ulong id = (ulong)NextId();
                StatsStruct s = System.Runtime.InteropServices.MemoryMarshal.Read<StatsStruct>(lmdb.Get(transaction, id));
                sum += Update(ref s);
                lmdb.Put(transaction, id, new(&s, sizeof(StatsStruct)));
            }
        });
        return sum;
    }

    public long UpdateStructs(Sqlite sqlite, int count)
    {
        long sum = 0;
        sqlite.Begin();
        for (int i = 0; i < count; i++)
        {
            int id = NextId();
            StatsStruct s = System.Runtime.InteropServices.MemoryMarshal.Read<StatsStruct>(sqlite.Get(id));
            sqlite.EndGet();
            sum += Update(ref s);
            sqlite.Put(id, new(&s, sizeof(StatsStruct)));
        }
        sqlite.Commit();
        return sum;
    }

    public static long Scan(MappedFile<Stats> file)
    {
        using PinnedSnapshot<Stats> snapshot = file.Pin();
        long sum = 0;
        foreach (Stats.View s in snapshot.Scan()) sum += s.Attempts;
        return sum;
    }

    public static long Scan(Lmdb lmdb) => lmdb.Sum(&AttemptsOf);

    private static long AttemptsOf(byte* value) => ((StatsStruct*)value)->Attempts;

    private static long Update(ref StatsStruct s)
    {
        s.LastEtag++;
        s.ChangedTicks += 10_000;
        s.Attempts++;
        s.Successes++;
        return s.Attempts;
    }

    private void Update(StatsDocument s, int i)
    {
        s.LastEtag++;
        s.ChangedTicks += 10_000;
        s.Attempts++;
        s.Successes++;
        if ((i & 7) == 0) s.LastError = Encoding.UTF8.GetString(_errors[i >> 3 & 63]);
    }

    /// <summary>The next few ids; a number that divides a batch.</summary>
    public ReadOnlySpan<int> Next(int count)
    {
        ReadOnlySpan<int> next = Ids.Slice(_at & (Places.Shuffled - 1), count);
        _at += count;
        return next;
    }

    private int NextId() => _ids[_at++ & (Places.Shuffled - 1)];
}
