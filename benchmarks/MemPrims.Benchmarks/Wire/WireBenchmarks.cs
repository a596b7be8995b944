using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Wire.Generated;

namespace MemPrims.Benchmarks.Wire;

/// <summary>
/// 25 mixed fields: encode, decode and read, decode into a reused message, each beside the generated code. Allocations are told too.
/// </summary>
[MemoryDiagnoser]
public class WireBenchmarks
{
    private Shape<Mixed> _mixed = null!;

    [GlobalSetup]
    public void Setup() => _mixed = Shapes.Mixed();

    [Benchmark(OperationsPerInvoke = Samples.Count)]
    public long Encode() => _mixed.Encode();

    [Benchmark(OperationsPerInvoke = Samples.Count)]
    public long EncodeGenerated() => _mixed.GeneratedWriter();

    [Benchmark(OperationsPerInvoke = Samples.Count)]
    public long Decode() => _mixed.Decode();

    [Benchmark(OperationsPerInvoke = Samples.Count)]
    public long DecodeGenerated() => _mixed.GeneratedParse();

    [Benchmark(OperationsPerInvoke = Samples.Count)]
    public long DecodeReused() => _mixed.DecodeReused();

    [Benchmark(OperationsPerInvoke = Samples.Count)]
    public long MergeGenerated() => _mixed.GeneratedMerge();
}
