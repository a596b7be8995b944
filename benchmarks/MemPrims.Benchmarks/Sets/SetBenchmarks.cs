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

/// <summary>The cases of <see cref="FacetRatio"/> under BenchmarkDotNet.</summary>
public class FacetBenchmarks
{
    private FacetWork _work = null!;

    [Params(0.01, 0.1, 1)]
    public double Share { get; set; }

    [Params(false, true)]
    public bool TwoValues { get; set; }

    [GlobalSetup]
    public void Prepare() =>
        _work = new(FacetDocuments.Of(100, each: TwoValues ? 2 : 1), 1, Share == 1 ? IdSamples.Range(0, FacetDocuments.Count)
            : IdSamples.Uniform((int)(Share * FacetDocuments.Count), FacetDocuments.Count, 7));

    [Benchmark(Baseline = true)]
    public long DictionaryPerHit() => _work.ByDictionary();

    [Benchmark]
    public long FacetIndex() => _work.ByIndex();

    [Benchmark]
    public long FacetsCount() => _work.ByFacets();

    /// <summary>Without CRoaring, this row is one of errors.</summary>
    [Benchmark]
    public long CRoaringPerFacet()
    {
        CRoaring.Require();
        return _work.ByCRoaring();
    }
}
