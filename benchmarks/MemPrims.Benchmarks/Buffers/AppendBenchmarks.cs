using BenchmarkDotNet.Attributes;
using CommunityToolkit.HighPerformance.Buffers;
using MemPrims.Buffers;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>The cases of <see cref="AppendCases"/> for BenchmarkDotNet.</summary>
[MemoryDiagnoser]
public class AppendBenchmarks
{
    private readonly AppendWork _work = new();

    [Benchmark(Baseline = true)] public long RawStore() => _work.RawStore();
    [Benchmark] public long UnsafeAppender() => _work.Unsafe();
    [Benchmark] public long UnsafeAppenderByUsing() => _work.UnsafeByUsing();
    [Benchmark] public long ReservedAppender() => _work.Reserved();
    [Benchmark] public long ReservedAppenderByUsing() => _work.ReservedByUsing();
    [Benchmark] public long Appender() => _work.Appender();
    [Benchmark] public long AppenderByUsing() => _work.AppenderByUsing();
    [Benchmark] public long ListAsBufferWriter() => _work.ListAsBufferWriter();
    [Benchmark] public long ArrayPoolBufferWriter() => _work.ArrayPoolBufferWriter();
    [Benchmark] public long BinaryWriter() => _work.BinaryWriter();
    [Benchmark] public long Readings() => _work.Readings();
    [Benchmark] public long ReadingsByBufferWriter() => _work.ReadingsByBufferWriter();
}

/// <summary>Blocks of 4 bytes to 16 KiB, 4 MiB in all, into writers that were filled before.</summary>
[MemoryDiagnoser]
public class AppendBlockBenchmarks
{
    private const int Total = 4 << 20;

    private readonly SegmentList _list = new();
    private readonly ArrayPoolBufferWriter<byte> _pooled = new(Total);
    private byte[] _block = [];

    [Params(4, 16, 64, 256, 1024, 4096, 16_384)]
    public int Size { get; set; }

    [GlobalSetup]
    public void Setup() => _block = new byte[Size];

    [Benchmark(Baseline = true)]
    public long ArrayPoolBufferWriter()
    {
        _pooled.Clear();
        for (int i = 0; i < Total; i += Size)
        {
            _block.CopyTo(_pooled.GetSpan(Size));
            _pooled.Advance(Size);
        }
        return _pooled.WrittenCount;
    }

    [Benchmark]
    public long Appender()
    {
        _list.Clear();
        Appender to = new(_list);
        for (int i = 0; i < Total; i += Size) to.Write(_block);
        to.Commit();
        return _list.Length;
    }

    [Benchmark]
    public long ReservedAppender()
    {
        _list.Clear();
        ReservedAppender to = new(_list, Total);
        for (int i = 0; i < Total; i += Size) to.Write(_block);
        to.Commit();
        return _list.Length;
    }

    [Benchmark]
    public long UnsafeAppender()
    {
        _list.Clear();
        UnsafeAppender to = new(_list, Total);
        for (int i = 0; i < Total; i += Size) to.Write(_block);
        to.Commit();
        return _list.Length;
    }
}
