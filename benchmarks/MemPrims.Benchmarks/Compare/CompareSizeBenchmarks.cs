using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Compare;

/// <summary>Order and equality by size, to 16 KiB: blocks of one length, equal or different in the first byte, at multiples of 64 or
/// anywhere.</summary>
public class CompareSizeBenchmarks : BlockBenchmarks
{
    private const int Calls = BlockPairs.ManyCalls;

    [Params(0, 1, 2, 3, 4, 8, 12, 16, 32, 64, 100, 128, 256, 512, 1024, 4096, 16_384)]
    public int Length { get; set; }

    [ParamsAllValues]
    public bool EarlyDifferent { get; set; }

    [ParamsAllValues]
    public bool Aligned { get; set; }

    protected override BlockPairs Prepare() => FixedBlocks.Prepare(Length, Calls, EarlyDifferent, Aligned);

    [Benchmark(Description = "Block.Compare", OperationsPerInvoke = Calls)]
    public long Block() => Batch.Of<BlockCompare>(Pairs);

    [Benchmark(Description = "SequenceCompareTo", OperationsPerInvoke = Calls, Baseline = true)]
    public long Bcl() => Batch.Of<BclCompare>(Pairs);

    [Benchmark(Description = "libc", OperationsPerInvoke = Calls)]
    public long Libc() => Batch.Of<LibcCompare>(Pairs);

    [Benchmark(Description = "libc with transition", OperationsPerInvoke = Calls)]
    public long LibcWithTransition() => Batch.Of<LibcCompareWithTransition>(Pairs);

    [Benchmark(Description = "Block.Equal", OperationsPerInvoke = Calls)]
    public long BlockEqual() => Batch.Of<BlockEqual>(Pairs);

    [Benchmark(Description = "SequenceEqual", OperationsPerInvoke = Calls)]
    public long BclEqual() => Batch.Of<BclEqual>(Pairs);
}

/// <summary>The same from 64 KiB to 16 MiB: a few calls make a batch. Equal only, for one byte is read soon whatever follows it.</summary>
public class CompareLargeBenchmarks : BlockBenchmarks
{
    private const int Calls = 16;

    [Params(64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20)]
    public int Length { get; set; }

    [ParamsAllValues]
    public bool Aligned { get; set; }

    protected override BlockPairs Prepare() => FixedBlocks.Prepare(Length, Calls, false, Aligned);

    [Benchmark(Description = "Block.Compare", OperationsPerInvoke = Calls)]
    public long Block() => Batch.Of<BlockCompare>(Pairs);

    [Benchmark(Description = "SequenceCompareTo", OperationsPerInvoke = Calls, Baseline = true)]
    public long Bcl() => Batch.Of<BclCompare>(Pairs);

    [Benchmark(Description = "libc with transition", OperationsPerInvoke = Calls)]
    public long LibcWithTransition() => Batch.Of<LibcCompareWithTransition>(Pairs);

    [Benchmark(Description = "Block.Equal", OperationsPerInvoke = Calls)]
    public long BlockEqual() => Batch.Of<BlockEqual>(Pairs);

    [Benchmark(Description = "SequenceEqual", OperationsPerInvoke = Calls)]
    public long BclEqual() => Batch.Of<BclEqual>(Pairs);
}

file static class FixedBlocks
{
    public static BlockPairs Prepare(int length, int calls, bool earlyDifferent, bool aligned) => earlyDifferent
        ? CasePairs.DifferingAtOnce(Lengths.Fixed(length), length, calls, aligned)
        : BlockPairs.Equal(Lengths.Fixed(length), length, calls, aligned);
}
