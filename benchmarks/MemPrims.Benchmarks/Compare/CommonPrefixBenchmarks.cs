using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Compare;

/// <summary>How far two long blocks agree: 1 to 16 KiB, all of it.</summary>
public class CommonPrefixBenchmarks : BlockBenchmarks
{
    private const int Calls = BlockPairs.ManyCalls;

    protected override BlockPairs Prepare() => BlockPairs.Equal(CasePairs.Between(1024, 16_384), 16_384);

    [Benchmark(Description = "Block.CommonPrefix", OperationsPerInvoke = Calls)]
    public long Block() => Batch.Of<BlockCommonPrefix>(Pairs);

    [Benchmark(Description = "CommonPrefixLength", OperationsPerInvoke = Calls, Baseline = true)]
    public long Bcl() => Batch.Of<BclCommonPrefix>(Pairs);
}
