using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Copy;

/// <summary>Filling, where lengths and offsets vary.</summary>
public class FillBenchmarks : BlockBenchmarks
{
    private const int Calls = BlockPairs.ManyCalls;

    [Params(Shape.UpTo64, Shape.UpTo256)]
    public Shape Shape { get; set; }

    protected override BlockPairs Prepare() => Shapes.Prepare(Shape);

    [Benchmark(Description = "Block.Fill", OperationsPerInvoke = Calls)]
    public long Block() => Batch.Of<BlockFill>(Pairs);

    [Benchmark(Description = "Span.Fill", OperationsPerInvoke = Calls, Baseline = true)]
    public long Span() => Batch.Of<SpanFill>(Pairs);
}
