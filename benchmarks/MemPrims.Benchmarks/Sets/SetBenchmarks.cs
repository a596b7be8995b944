using BenchmarkDotNet.Attributes;

namespace MemPrims.Benchmarks.Sets;

/// <summary>The cases of <see cref="CountRatio"/> under BenchmarkDotNet.</summary>
public class CountBenchmarks
{
    private CountWork _work = null!;

    [Params("100 k × 100 k in 1 M", "1 M × 300 k in 2 M", "1 k × 100 k in 10 M", "1 k × 1 M in 10 M")]
    public string Shape { get; set; } = "";

    [Params(false, true)]
    public bool Clustered { get; set; }

    [GlobalSetup]
    public void Prepare()
    {
        (int few, int many, long universe) = Shape switch
        {
            "100 k × 100 k in 1 M" => (100_000, 100_000, 1_000_000),
            "1 M × 300 k in 2 M" => (300_000, 1_000_000, 2_000_000),
            "1 k × 100 k in 10 M" => (1000, 100_000, 10_000_000),
            _ => (1000, 1_000_000, 10_000_000L),
        };
        Func<int, long, int, uint[]> sample = Clustered ? IdSamples.Clustered : IdSamples.Uniform;
        uint[] other = sample(many, universe, 1);
        _work = new(few == 1000 ? 40 : 8, 1, i => sample(few, universe, i + 2), _ => other);
    }

    [Benchmark(Baseline = true)]
    public long HashSet() => _work.ByHashSet();

    [Benchmark]
    public long IdSet() => _work.ByIdSet();

    [Benchmark]
    public long SortedIds() => _work.BySortedIds();

    /// <summary>Without CRoaring, this row is one of errors.</summary>
    [Benchmark]
    public long CRoaring()
    {
        Sets.CRoaring.Require();
        return _work.ByCRoaring();
    }
}
