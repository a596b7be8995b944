using BenchmarkDotNet.Attributes;

namespace MemPrims.Benchmarks.Compare;

/// <summary>Binary searches over sorted keys that lie scattered in memory; three of four queries are present. Times are those of 2,048
/// searches.</summary>
public class SearchBenchmarks
{
    private KeySearchWork _search = null!;

    [ParamsAllValues]
    public KeyShape Shape { get; set; }

    [Params(100, 1_000, 20_000, 500_000)]
    public int Keys { get; set; }

    [GlobalSetup]
    public void Setup() => _search = new(Shape, Keys);

    [IterationSetup]
    public void Redraw() => _search.Redraw();

    [GlobalCleanup]
    public void Cleanup() => _search.Dispose();

    [Benchmark(Description = "Block.Compare of spans")]
    public long Spans() => _search.Run<BlockSpanOrder>();

    [Benchmark(Description = "Block.Compare of pointers")]
    public long Pointers() => _search.Run<BlockKeyOrder>();

    [Benchmark(Description = "SequenceCompareTo", Baseline = true)]
    public long Bcl() => _search.Run<BclKeyOrder>();

    [Benchmark(Description = "memcmp")]
    public long Libc() => _search.Run<LibcKeyOrder>();
}
