using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Compare;

/// <summary>Equality, where lengths and offsets vary.</summary>
public class EqualBenchmarks : BlockBenchmarks
{
    private const int Calls = BlockPairs.ManyCalls;

    [ParamsAllValues]
    public Shape Shape { get; set; }

    protected override BlockPairs Prepare() => Shapes.Prepare(Shape);

    [Benchmark(Description = "Block.Equal", OperationsPerInvoke = Calls)]
    public long Block() => Batch.Of<BlockEqual>(Pairs);

    [Benchmark(Description = "SequenceEqual", OperationsPerInvoke = Calls, Baseline = true)]
    public long Bcl() => Batch.Of<BclEqual>(Pairs);

    [Benchmark(Description = "libc", OperationsPerInvoke = Calls)]
    public long Libc() => Batch.Of<LibcEqual>(Pairs);
}
