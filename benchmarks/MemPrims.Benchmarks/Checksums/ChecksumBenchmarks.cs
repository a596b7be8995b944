using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Checksums;

/// <summary>CRC-32C of records and of a page.</summary>
public class ChecksumBenchmarks : BlockBenchmarks
{
    private const int Calls = 1024;

    [Params(16, 64, 256, 1024, 4096)]
    public int Length { get; set; }

    protected override BlockPairs Prepare() => BlockPairs.Equal(Lengths.Fixed(Length), Length, Calls);

    [Benchmark(Description = "Checksum.Crc32C", OperationsPerInvoke = Calls)]
    public long Ours() => Batch.Of<ChecksumCrc32C>(Pairs);

    [Benchmark(Description = "BitOperations loop", OperationsPerInvoke = Calls, Baseline = true)]
    public long Loop() => Batch.Of<BitOperationsLoop>(Pairs);
}
