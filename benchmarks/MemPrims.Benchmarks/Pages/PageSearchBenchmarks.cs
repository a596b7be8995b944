using BenchmarkDotNet.Attributes;

namespace MemPrims.Benchmarks.Pages;

/// <summary>
/// Finding a key in a full page of 8 KiB, alone in the cache or drawn from 256 MB of pages. Times are those of one search.
/// </summary>
public class PageSearchBenchmarks
{
    private PageQueries _queries = null!;

    public enum KeyKind
    {
        Documents,
        Orders,
        Random16,
        Words,
        OneStrayKey,
    }

    [ParamsAllValues]
    public KeyKind Keys { get; set; }

    [Params(1, PageQueries.ManyPages)]
    public int Pages { get; set; }

    [Params(false, true)]
    public bool Dependent { get; set; }

    [GlobalSetup]
    public void Setup() => _queries = new(Keys switch
    {
        KeyKind.Documents => PageKeys.Shuffled(PageKeys.Documents(360)),
        KeyKind.Random16 => PageKeys.Random16(600),
        KeyKind.Words => PageKeys.Words(600),
        _ => PageKeys.Shuffled(PageKeys.Orders(360, 1_234_000)),
    }, Pages, Keys == KeyKind.OneStrayKey);

    [GlobalCleanup]
    public void Cleanup() => _queries.Dispose();

    [Benchmark(Description = "SortedPage", OperationsPerInvoke = PageQueries.Calls)]
    public long Own() => Run<OwnSearch>();

    [Benchmark(Description = "SequenceCompareTo", Baseline = true, OperationsPerInvoke = PageQueries.Calls)]
    public long Bcl() => Run<BclBinarySearch>();

    [Benchmark(Description = "Block.Compare", OperationsPerInvoke = PageQueries.Calls)]
    public long Blocks() => Run<BlockBinarySearch>();

    private long Run<TSearcher>() where TSearcher : struct, IPageSearcher =>
        Dependent ? _queries.Dependent<TSearcher>() : _queries.Independent<TSearcher>();
}
