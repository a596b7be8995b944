using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Copy;

/// <summary>Copies by size, to 16 KiB: blocks of one length, at multiples of 64 or anywhere.</summary>
public class CopySizeBenchmarks : BlockBenchmarks
{
    private const int Calls = BlockPairs.ManyCalls;

    [Params(0, 1, 2, 3, 4, 8, 12, 16, 32, 64, 100, 128, 256, 512, 1024, 4096, 16_384)]
    public int Length { get; set; }

    [ParamsAllValues]
    public bool Aligned { get; set; }

    protected override BlockPairs Prepare() => BlockPairs.Equal(Lengths.Fixed(Length), Length, Calls, Aligned);

    [Benchmark(Description = "Block.Copy", OperationsPerInvoke = Calls)]
    public long Block() => Batch.Of<BlockCopy>(Pairs);

    [Benchmark(Description = "Buffer.MemoryCopy", OperationsPerInvoke = Calls, Baseline = true)]
    public long MemoryCopy() => Batch.Of<BufferMemoryCopy>(Pairs);

    [Benchmark(Description = "libc", OperationsPerInvoke = Calls)]
    public long Libc() => Batch.Of<LibcCopy>(Pairs);

    [Benchmark(Description = "libc with transition", OperationsPerInvoke = Calls)]
    public long LibcWithTransition() => Batch.Of<LibcCopyWithTransition>(Pairs);
}

/// <summary>The same from 64 KiB to 16 MiB: a few calls make a batch.</summary>
public class CopyLargeBenchmarks : BlockBenchmarks
{
    private const int Calls = 16;

    [Params(64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20)]
    public int Length { get; set; }

    [ParamsAllValues]
    public bool Aligned { get; set; }

    protected override BlockPairs Prepare() => BlockPairs.Equal(Lengths.Fixed(Length), Length, Calls, Aligned);

    [Benchmark(Description = "Block.Copy", OperationsPerInvoke = Calls)]
    public long Block() => Batch.Of<BlockCopy>(Pairs);

    [Benchmark(Description = "Buffer.MemoryCopy", OperationsPerInvoke = Calls, Baseline = true)]
    public long MemoryCopy() => Batch.Of<BufferMemoryCopy>(Pairs);

    [Benchmark(Description = "libc with transition", OperationsPerInvoke = Calls)]
    public long LibcWithTransition() => Batch.Of<LibcCopyWithTransition>(Pairs);
}
