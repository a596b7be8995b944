using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Filters;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// Round trips for 1 B to 8 MiB in powers of two, on two processors: ours with and without spinning and shared memory, .NET's Socket over
/// a Unix stream, and a bare ring in shared memory. The other end is another process, or a thread of the same one. Allocated tells this
/// process's bytes for one send and one receive into a span; where the other end is a thread, it has both ends' bytes.
/// `ratio "channels"` and `channels` compare with C too, and tell other placements, p99 and processor time.
/// </summary>
[MemoryDiagnoser]
[Config(typeof(OneTier))]
public class ChannelBenchmarks
{
    private ManagedDriver _driver = null!;
    private int _number;

    public static IEnumerable<int> Sizes => Enumerable.Range(0, 24).Select(power => 1 << power);

    [ParamsSource(nameof(Sizes))]
    public int Bytes { get; set; }

    [Params(false, true)]
    public bool SameProcess { get; set; }

    [GlobalSetup(Target = nameof(Channel))]
    public void SetupChannel() => Setup(Way.Channel);

    [GlobalSetup(Target = nameof(SpinningOff))]
    public void SetupSpinningOff() => Setup(Way.SpinningOff);

    [GlobalSetup(Target = nameof(Fragments))]
    public void SetupFragments() => Setup(Way.Fragments);

    [GlobalSetup(Target = nameof(Socket))]
    public void SetupSocket() => Setup(Way.Socket);

    [GlobalSetup(Target = nameof(BareRing))]
    public void SetupBareRing() => Setup(Way.Ring);

    [GlobalCleanup]
    public void Cleanup()
    {
        _driver.Dispose();
        Affinity.Pin(Affinity.AsPlaced);
    }

    [Benchmark(Baseline = true)]
    public int Channel() => _driver.Trip(Bytes, ++_number);

    [Benchmark]
    public int SpinningOff() => _driver.Trip(Bytes, ++_number);

    [Benchmark]
    public int Fragments() => _driver.Trip(Bytes, ++_number);

    [Benchmark]
    public int Socket() => _driver.Trip(Bytes, ++_number);

    [Benchmark]
    public int BareRing() => _driver.Trip(Bytes, ++_number);

    private void Setup(Way way)
    {
        _driver = new(way, Placement.Two, SameProcess);
        _driver.BeginTrips(Bytes);
    }

    /// <summary>Channels have no code that depends on the instruction tier: one of the four jobs is enough.</summary>
    private sealed class OneTier : ManualConfig
    {
        public OneTier() => AddFilter(new SimpleFilter(benchmark => benchmark.Job.ResolvedId == "widest"));
    }
}
