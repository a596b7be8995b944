using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Copy;

/// <summary>Blocks larger than the cache: nanoseconds for one copy of 64 or 96 MiB.</summary>
public class CopyStreamingBenchmarks : BlockBenchmarks
{
    [Params(64, 96)]
    public int Mebibytes { get; set; }

    protected override BlockPairs Prepare() => BlockPairs.Equal(Lengths.Fixed(Mebibytes << 20), Mebibytes << 20, 1);

    [Benchmark(Description = "Block.CopyStreaming")]
    public long BlockStreaming() => Batch.Of<BlockCopyStreaming>(Pairs);

    [Benchmark(Description = "Block.Copy")]
    public long Block() => Batch.Of<BlockCopy>(Pairs);

    [Benchmark(Description = "Buffer.MemoryCopy", Baseline = true)]
    public long MemoryCopy() => Batch.Of<BufferMemoryCopy>(Pairs);

    [Benchmark(Description = "libc with transition")]
    public long LibcWithTransition() => Batch.Of<LibcCopyWithTransition>(Pairs);
}
