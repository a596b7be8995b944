using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Compare;

/// <summary>Order, where lengths and offsets vary: what a database does.</summary>
public class CompareBenchmarks : BlockBenchmarks
{
    private const int Calls = BlockPairs.ManyCalls;

    [ParamsAllValues]
    public Shape Shape { get; set; }

    protected override BlockPairs Prepare() => Shapes.Prepare(Shape);

    [Benchmark(Description = "Block.Compare", OperationsPerInvoke = Calls)]
    public long Block() => Batch.Of<BlockCompare>(Pairs);

    [Benchmark(Description = "SequenceCompareTo", OperationsPerInvoke = Calls, Baseline = true)]
    public long Bcl() => Batch.Of<BclCompare>(Pairs);

    [Benchmark(Description = "libc", OperationsPerInvoke = Calls)]
    public long Libc() => Batch.Of<LibcCompare>(Pairs);

    [Benchmark(Description = "libc with transition", OperationsPerInvoke = Calls)]
    public long LibcWithTransition() => Batch.Of<LibcCompareWithTransition>(Pairs);

    [Benchmark(Description = "for-loop", OperationsPerInvoke = Calls)]
    public long Bytes() => Batch.Of<CompareBytes>(Pairs);

    [Benchmark(Description = "4-byte words", OperationsPerInvoke = Calls)]
    public long Words4() => Batch.Of<CompareWords<uint>>(Pairs);

    [Benchmark(Description = "8-byte words", OperationsPerInvoke = Calls)]
    public long Words8() => Batch.Of<CompareWords<ulong>>(Pairs);

    [Benchmark(Description = "branch table, then words", OperationsPerInvoke = Calls)]
    public long TableBeforeWords() => Batch.Of<CompareTableBeforeWords>(Pairs);

    [Benchmark(Description = "words, then branch table", OperationsPerInvoke = Calls)]
    public long TableAfterWords() => Batch.Of<CompareTableAfterWords>(Pairs);
}
