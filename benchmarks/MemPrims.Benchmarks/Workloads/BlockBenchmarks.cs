using BenchmarkDotNet.Attributes;

namespace MemPrims.Benchmarks.Workloads;

/// <summary>What all benchmarks over blocks share: the calls of a batch live as long as the case does.</summary>
public abstract class BlockBenchmarks
{
    protected BlockPairs Pairs { get; private set; } = null!;

    [GlobalSetup]
    public virtual void Setup() => Pairs = Prepare();

    /// <summary>Before every timed batch: an iteration is one batch.</summary>
    [IterationSetup]
    public void Redraw() => Pairs.Redraw();

    [GlobalCleanup]
    public void Cleanup() => Pairs.Dispose();

    protected abstract BlockPairs Prepare();
}
