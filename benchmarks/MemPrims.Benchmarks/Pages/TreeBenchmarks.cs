using BenchmarkDotNet.Attributes;

namespace MemPrims.Benchmarks.Pages;

/// <summary>A million keys into an empty tree, by the kind and order of the keys. Times are those of one key.</summary>
public class TreeInsertBenchmarks
{
    private byte[][] _keys = null!;

    public enum KeyKind
    {
        OrdersAscending,
        OrdersRandom,
        SecondaryIndex,
        Random16,
    }

    [ParamsAllValues]
    public KeyKind Keys { get; set; }

    [GlobalSetup]
    public void Setup() => _keys = Keys switch
    {
        KeyKind.OrdersAscending => PageKeys.Orders(TreeWork.Entries),
        KeyKind.OrdersRandom => PageKeys.Shuffled(PageKeys.Orders(TreeWork.Entries)),
        KeyKind.SecondaryIndex => PageKeys.SecondaryIndex(TreeWork.Entries),
        _ => PageKeys.Random16(TreeWork.Entries),
    };

    [Benchmark(Description = "SortedTree", OperationsPerInvoke = TreeWork.Entries)]
    public long Own() => TreeWork.Load(_keys);

    [Benchmark(Description = "SortedDictionary", Baseline = true, OperationsPerInvoke = TreeWork.Entries)]
    public long Dictionary() => TreeWork.LoadDictionary(_keys);

    /// <summary>Takes liblmdb0: without, this row is one of errors.</summary>
    [Benchmark(Description = "LMDB", OperationsPerInvoke = TreeWork.Entries)]
    public long Lmdb() => TreeWork.LoadLmdb(_keys, false);
}

/// <summary>
/// Lookups of 750,000 entries, three in four of which hit, and scans of 1,000 entries. Times are those of 200,000 lookups or 500 scans.
/// </summary>
public class TreeReadBenchmarks
{
    private TreeWork _work = null!;

    [GlobalSetup]
    public void Setup() => _work = new(PageKeys.Shuffled(PageKeys.Orders(TreeWork.Entries)));

    [GlobalCleanup]
    public void Cleanup() => _work.Dispose();

    [Benchmark(Description = "SortedTree, lookups")]
    public long Find() => _work.Find();

    [Benchmark(Description = "LMDB, lookups")]
    public long FindLmdb() => _work.FindLmdb();

    [Benchmark(Description = "SortedTree, scans")]
    public long Scan() => _work.Scan();

    [Benchmark(Description = "LMDB, scans")]
    public long ScanLmdb() => _work.ScanLmdb();
}
