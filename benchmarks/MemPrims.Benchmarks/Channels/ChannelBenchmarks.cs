using BenchmarkDotNet.Attributes;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// Messages between two processes on two processors, for 1 B to 8 MiB in powers of two: ours with and without shared memory, and .NET's
/// Socket over a Unix stream. `ratio "channels"` and `channels` compare with C too, and tell other placements, p99 and processor time.
/// </summary>
[MemoryDiagnoser]
public class ChannelBenchmarks
{
    private ManagedDriver _channel = null!, _fragments = null!, _socket = null!;

    public static IEnumerable<int> Sizes => Enumerable.Range(0, 24).Select(power => 1 << power);

    [ParamsSource(nameof(Sizes))]
    public int Bytes { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        _channel = new ChannelDriver(Placement.Two);
        _fragments = new ChannelDriver(Placement.Two, kind: "fragments");
        _socket = new SocketDriver(Placement.Two);
    }

    [GlobalCleanup]
    public void Cleanup()
    {
        _channel.Dispose();
        _fragments.Dispose();
        _socket.Dispose();
    }

    [Benchmark(Baseline = true)]
    public int Channel() => _channel.Trip(Bytes);

    [Benchmark]
    public int Fragments() => _fragments.Trip(Bytes);

    [Benchmark]
    public int Socket() => _socket.Trip(Bytes);
}
