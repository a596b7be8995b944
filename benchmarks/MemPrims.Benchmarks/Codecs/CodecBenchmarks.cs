using BenchmarkDotNet.Attributes;

namespace MemPrims.Benchmarks.Codecs;

/// <summary>
/// The cases of <see cref="VarintCases"/> and <see cref="LengthCases"/> for BenchmarkDotNet; times are for 65,536 values.
/// </summary>
[MemoryDiagnoser]
public class VarintBenchmarks
{
    private VarintWork _work = null!;
    private LengthWork _lengths = null!;

    [Params(Numbers.Realistic, Numbers.OneByte, Numbers.Uniform64)]
    public string Kind { get; set; } = "";

    [GlobalSetup]
    public void Setup() => (_work, _lengths) = (new(Kind), new(Kind));

    [Benchmark] public long Write() => _work.Write();
    [Benchmark] public long WriteByLoop() => _work.WriteByLoop();
    [Benchmark] public long WriteByBinaryWriter() => _work.WriteByWriter();
    [Benchmark] public long Read() => _work.Read();
    [Benchmark] public long ReadByLoop() => _work.ReadByLoop();
    [Benchmark] public long ReadByBinaryReader() => _work.ReadByReader();
    [Benchmark] public long WritePackedLength() => _lengths.WritePacked();
    [Benchmark] public long ReadPackedLength() => _lengths.ReadPacked();
}

/// <summary>The cases of <see cref="BulkCases"/> for BenchmarkDotNet; times are for 65,536 values.</summary>
[MemoryDiagnoser]
public class BulkBenchmarks
{
    private BulkWork _work = null!;

    [Params(Numbers.Realistic, Numbers.OneByte, Numbers.Uniform32)]
    public string Kind { get; set; } = "";

    [GlobalSetup]
    public void Setup() => _work = new(Kind);

    [Benchmark] public long ReadVarints() => _work.ReadVarints();
    [Benchmark] public long ReadBatch() => _work.ReadBatch();
    [Benchmark] public long ReadByLoop() => _work.ReadByLoop();
    [Benchmark] public long ReadByBinaryReader() => _work.ReadByReader();
    [Benchmark] public long WriteVarints() => _work.WriteVarints();
    [Benchmark] public long WriteBatch() => _work.WriteBatch();
    [Benchmark] public long WriteByLoop() => _work.WriteByLoop();
}
