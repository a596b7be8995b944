using System.Diagnostics;
using System.Runtime.InteropServices;
using MemPrims.Channels;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// One contender: a way of exchanging messages, with its partner. Times are in nanoseconds; processor time is that of both ends.
/// </summary>
internal abstract class Driver(string name) : IDisposable
{
    public string Name => name;

    /// <summary>The longest message that it can carry.</summary>
    public virtual int Most => Buffers.Most;

    /// <summary>Round trips, each timed for itself, after a few that do not count. Returns the processor time.</summary>
    public abstract long RoundTrips(in Exchange exchange, long[] times);

    /// <summary>Round trips, timed by the caller. Returns what depends on all of them.</summary>
    public abstract long Batch(int size, int count);

    /// <summary>
    /// Messages one way. The time runs from the partner's first byte, which says that it is there, to its last one, which says that it
    /// has taken every message.
    /// </summary>
    public abstract (long Elapsed, long Used) OneWay(int size, int count);

    public abstract void Dispose();
}

/// <summary>
/// A round trip: its size; the steps of work (see <see cref="Work"/>) of the server and the client; and how long the client sleeps before
/// each.
/// </summary>
internal readonly record struct Exchange(int Size, long Server = 0, long Client = 0, int SleepNanoseconds = 0);

/// <summary>Where both ends run.</summary>
internal sealed record Placement(string Name, string Word, int Own, int Partners)
{
    public static readonly Placement Two = new("two processors", "two", 0, Environment.ProcessorCount > 1 ? 1 : 0),
        One = new("one processor", "one", 0, 0),
        AsPlaced = new("as placed", "free", Affinity.AsPlaced, Affinity.AsPlaced);

    public static IEnumerable<Placement> All => [Two, One, AsPlaced];
}

/// <summary>A contender whose two ends are .NET. Its partner is another process, or a thread of this one.</summary>
internal sealed class ManagedDriver : Driver
{
    private const int Uncounted = 20;

    private readonly Placement _placement;
    private readonly Process? _partner;
    private readonly Link _link;

    public ManagedDriver(Way way, Placement placement, bool sameProcess = false) : base(way.Name)
    {
        _placement = placement;
        string address = Path.Combine(Path.GetTempPath(), $"memprims-{Guid.NewGuid():N}");
        Func<Link> accept = Link.Listen(way, address);
        if (sameProcess) StartThread(way, address);
        else _partner = Partner.Start(way, address);
        try
        {
            _link = accept();
        }
        catch
        {
            End();
            throw;
        }
    }

    private IpcChannel Channel => ((ChannelLink)_link).Channel;

    public override long RoundTrips(in Exchange exchange, long[] times)
    {
        Begin(Errand.Echo, exchange.Size, times.Length + Uncounted, exchange.Server);
        for (int i = 0; i < Uncounted; i++) Trip(exchange.Size, i);
        long used = Used();
        for (int i = 0; i < times.Length; i++)
        {
            if (exchange.SleepNanoseconds > 0) Affinity.Sleep(exchange.SleepNanoseconds);
            Work.Do(exchange.Client);
            long start = Stopwatch.GetTimestamp();
            Trip(exchange.Size, i);
            times[i] = Stopwatch.GetTimestamp() - start;
        }
        used = Used() - used;
        Affinity.Pin(Affinity.AsPlaced);
        return used;
    }

    public override long Batch(int size, int count)
    {
        Begin(Errand.Echo, size, count);
        long sum = 0;
        for (int i = 0; i < count; i++) sum += Trip(size, i);
        Affinity.Pin(Affinity.AsPlaced);
        return sum;
    }

    public override (long Elapsed, long Used) OneWay(int size, int count)
    {
        byte[] buffer = Buffers.Ours;
        Begin(Errand.Take, size, count);
        _link.Get(buffer);
        long used = Used(), start = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            buffer[0] = (byte)i;
            _link.Put(buffer, size);
        }
        _link.Get(buffer);
        long elapsed = Stopwatch.GetTimestamp() - start;
        used = Used() - used;
        Affinity.Pin(Affinity.AsPlaced);
        return (elapsed, used);
    }

    /// <summary>Round trips without end follow, which are made by <see cref="Trip"/>.</summary>
    public void BeginTrips(int size) => Begin(Errand.Echo, size, long.MaxValue);

    /// <summary>One message there and back. Its first and last byte are looked at.</summary>
    public int Trip(int size, int number)
    {
        byte[] buffer = Buffers.Ours;
        buffer[0] = buffer[size - 1] = (byte)number;
        _link.Put(buffer, size);
        int length = _link.Get(buffer);
        if (length != size || buffer[0] != (byte)number || buffer[size - 1] != (byte)number)
            throw new InvalidOperationException($"{Name}: the echo of {size} bytes has another length or content.");
        return length;
    }

    /// <summary>Messages built here and summed by the partner, each after the answer to the one before.</summary>
    public long FillAndSum(int size, int count, long seed)
    {
        Begin(Errand.Sum, size, count);
        long sum = 0;
        for (int i = 0; i < count; i++)
        {
            Pieces.Fill(Buffers.Ours.AsSpan(0, size), seed + i);
            _link.Put(Buffers.Ours, size);
            sum += Answer();
        }
        Affinity.Pin(Affinity.AsPlaced);
        return sum;
    }

    /// <summary>One byte with descriptors there, which the partner closes, and one byte back.</summary>
    public long SendFiles(ReadOnlySpan<SafeHandle> files, int count)
    {
        Begin(Errand.Echo, 1, count);
        long sum = 0;
        for (int i = 0; i < count; i++)
        {
            Buffers.Ours[0] = (byte)i;
            Channel.Send(Buffers.Ours.AsSpan(0, 1), files);
            sum += _link.Get(Buffers.Ours);
        }
        Affinity.Pin(Affinity.AsPlaced);
        return sum;
    }

    private long Answer()
    {
        _link.Get(Buffers.Ours);
        return BitConverter.ToInt64(Buffers.Ours);
    }

    private void Begin(Errand errand, int size, long count, long steps = 0)
    {
        Affinity.Pin(_placement.Own);
        if (_partner is null) return;
        Order order = new(errand, _placement.Partners, size, count, steps);
        Stream orders = _partner.StandardInput.BaseStream;
        orders.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<Order>(in order)));
        orders.Flush();
    }

    /// <summary>The partner in this process echoes whatever comes, until the end.</summary>
    private void StartThread(Way way, string address) => new Thread(() =>
    {
        using Link link = Link.Connect(way, address);
        Affinity.Pin(_placement.Partners);
        byte[] buffer = Buffers.Theirs;
        for (int length; (length = link.Get(buffer)) > 0;) link.Put(buffer, length);
    })
    { IsBackground = true }.Start();

    private long Used() => Affinity.ProcessorTime(Environment.ProcessId) + (_partner is null ? 0 : Affinity.ProcessorTime(_partner.Id));

    public override void Dispose()
    {
        _link.Dispose();
        End();
    }

    private void End()
    {
        if (_partner is null) return;
        _partner.StandardInput.Close();
        if (!_partner.WaitForExit(TimeSpan.FromSeconds(2))) _partner.Kill();
        _partner.Dispose();
    }
}
