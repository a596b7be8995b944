using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Copy;

/// <summary>Copies of 16 B to 4 KiB onto themselves, to the right (what a page does to insert an entry) and to the left (to remove
/// one).</summary>
public class CopyOverlapBenchmarks : BlockBenchmarks
{
    private const int Calls = BlockPairs.ManyCalls;

    [Params(1, 2, 8, 64, -1, -2, -8, -64)]
    public int Distance { get; set; }

    protected override BlockPairs Prepare() => CasePairs.Overlapping(CasePairs.Between(16, 4096), 4096, Distance);

    [Benchmark(Description = "Block.Copy", OperationsPerInvoke = Calls)]
    public long Block() => Batch.Of<BlockCopy>(Pairs);

    [Benchmark(Description = "Buffer.MemoryCopy", OperationsPerInvoke = Calls, Baseline = true)]
    public long MemoryCopy() => Batch.Of<BufferMemoryCopy>(Pairs);

    [Benchmark(Description = "Span.CopyTo", OperationsPerInvoke = Calls)]
    public long CopyTo() => Batch.Of<SpanCopyTo>(Pairs);

    [Benchmark(Description = "libc", OperationsPerInvoke = Calls)]
    public long Libc() => Batch.Of<LibcCopy>(Pairs);
}
