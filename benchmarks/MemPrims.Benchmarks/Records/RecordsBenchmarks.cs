using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Workloads;
using MemPrims.Records;

namespace MemPrims.Benchmarks.Records;

/// <summary>Reading and changing in memory: mapped records against JSON in the same place. Allocations are told too.</summary>
[MemoryDiagnoser]
public class RecordAccessBenchmarks
{
    private RecordWorkload _work = null!;
    private MappedFile<Stats> _file = null!, _written = null!;
    private WriteTransaction<Stats> _transaction = null!;
    private JsonSlots _json = null!;

    [Params(100, 10_000, 100_000)]
    public int Records { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        _work = new(Path.GetTempPath(), Records);
        _file = _work.NewFile(Durability.ProcessCrash);
        _written = _work.NewFile(Durability.ProcessCrash, "written");
        _transaction = _written.BeginWrite();
        _json = _work.NewJson();
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Places.Shuffled)]
    public long ReadOneField() => RecordWorkload.ReadOneField(_file, _work.Ids);

    [Benchmark(OperationsPerInvoke = Places.Shuffled)]
    public long ReadOneFieldOfJson() => RecordWorkload.ReadOneField(_json, _work.Ids);

    [Benchmark(OperationsPerInvoke = Places.Shuffled)]
    public long ChangeThree() => RecordWorkload.ChangeThree(_transaction, _work.Ids);

    [Benchmark(OperationsPerInvoke = Places.Shuffled)]
    public long ChangeThreeInJson() => RecordWorkload.ChangeThree(_json, _work.Ids);
}

/// <summary>Commits that survive loss of power, with the median and the slowest of a hundred.</summary>
[MemoryDiagnoser]
// These change each tier's job. A SimpleJob would be one more beside them, and the four would run as many commits as they like.
[WarmupCount(3), IterationCount(100), InvocationCount(1)]
[MedianColumn, MaxColumn]
public class RecordCommitBenchmarks
{
    private RecordWorkload _work = null!;
    private MappedFile<Stats> _file = null!;
    private Lmdb? _lmdb;
    private Sqlite _sqlite = null!;

    [Params(1, 1000)]
    public int Updates { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        _work = new(Path.GetTempPath(), 100_000);
        _file = _work.NewFile(Durability.PowerLoss);
        _lmdb = LmdbLibrary.IsAvailable ? _work.NewLmdb(sync: true, json: false) : null;
        _sqlite = _work.NewSqlite("WAL", "FULL", json: false);
    }

    [Benchmark(Baseline = true)]
    public long Mapped() => _work.UpdateBatch(_file, Updates);

    /// <summary>Takes liblmdb0: without, this row is one of errors.</summary>
    [Benchmark]
    public long LmdbWithSync() => _work.UpdateStructs(_lmdb ?? throw new DllNotFoundException("LMDB is not here."), Updates);

    [Benchmark]
    public long SqliteWalFull() => _work.UpdateStructs(_sqlite, Updates);
}
