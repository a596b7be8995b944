namespace MemPrims.Benchmarks.Channels;

/// <summary>Round trips for the powers of two. MB/s counts both directions.</summary>
internal class TripTable : ChannelTable
{
    private readonly ChannelRow[] _rows;

    public TripTable(int from, int most) : this("round trips",
        "|    bytes | who                      |  p50 µs |  p99 µs | processor µs |    MB/s |",
        [.. Enumerable.Range(0, 24).Select(power => 1 << power).Where(size => size >= from && size <= most)
            .Select(size => new ChannelRow($"{size}", new(size)))])
    {
    }

    protected TripTable(string title, string columns, ChannelRow[] rows) : base(title, columns) => _rows = rows;

    protected override IEnumerable<ChannelRow> Rows => _rows;

    protected override IEnumerable<Driver> Drivers(Placement placement)
    {
        foreach (Way way in (Way[])[Way.Channel, Way.SpinningOff, Way.Fragments, Way.Socket, Way.Ring])
            yield return new ManagedDriver(way, placement);
        if (!CDriver.IsThere) yield break;
        yield return CDriver.SeqPacket(placement);
        yield return CDriver.Stream(placement);
        yield return CDriver.SpinningSeqPacket(placement);
        yield return CDriver.Ring(placement);
        yield return CDriver.FutexRing(placement);
    }

    protected override IEnumerable<string> Measure(ChannelRow row, Driver[] drivers)
    {
        const int enough = 300;
        List<(long[] Times, long Used)>[] blocks = [.. drivers.Select(_ => new List<(long[], long)>())];
        Interleave(drivers, (driver, count) =>
        {
            long[] times = new long[count];
            return (times, driver.RoundTrips(row.Exchange, times));
        }, block => block.Item1.Sum(time => time + (double)row.Exchange.SleepNanoseconds) / 1e9, 4, blocks);
        for (int i = 0; i < drivers.Length; i++)
        {
            long[] sorted = [.. blocks[i].SelectMany(block => block.Times).Order()];
            double p50 = sorted[sorted.Length / 2], p99 = sorted[sorted.Length * 99 / 100];
            double used = blocks[i].Sum(block => (double)block.Used);
            yield return Line(row, drivers[i].Name, p50, sorted.Length < enough ? "–" : Micro(p99), used / sorted.Length);
        }
    }

    protected virtual string Line(ChannelRow row, string who, double p50, string p99, double used) =>
        $"| {row.Name,8} | {who,-24} | {Micro(p50),7} | {p99,7} | {Micro(used),12} | {2e3 * row.Exchange.Size / p50,7:0} |";
}

/// <summary>
/// Round trips of 256 bytes with something to do in between. The server computes between receive and answer: its work is part of the
/// trip. The client computes, or sleeps, before each trip: that is not part of it. Work is half to one and a half of what the row says.
/// </summary>
internal sealed class WorkTable : TripTable
{
    private const int Size = 256;

    public WorkTable() : base("round trips of 256 B with work in between",
        "| in between                  | who                      |  p50 µs |  p99 µs | processor µs | of it work |",
        [Row(10, 0), Row(20, 0), Row(50, 0), Row(100, 0), Row(10, 10), Row(50, 50), Row(100, 100),
            new("client sleeps 300 µs", new(Size, 0, 0, 300_000))]) => Seconds = 0.3;

    private static ChannelRow Row(int server, int client) => new(
        client == 0 ? $"server {server} µs" : $"server {server}, client {client} µs", new(Size, Steps(server), Steps(client)));

    private static long Steps(int microseconds) => (long)(microseconds * Work.StepsPerMicrosecond);

    protected override IEnumerable<Driver> Drivers(Placement placement)
    {
        foreach (Way way in (Way[])[Way.Channel, Way.SpinningOff, Way.Socket, Way.Ring]) yield return new ManagedDriver(way, placement);
        if (!CDriver.IsThere) yield break;
        yield return CDriver.SeqPacket(placement);
        yield return CDriver.SpinningSeqPacket(placement);
        yield return CDriver.FutexRing(placement);
    }

    protected override string Line(ChannelRow row, string who, double p50, string p99, double used) =>
        $"| {row.Name,-27} | {who,-24} | {Micro(p50),7} | {p99,7} | {Micro(used),12} | " +
        $"{(row.Exchange.Server + row.Exchange.Client) / Work.StepsPerMicrosecond,10:0} |";
}

/// <summary>
/// Small messages one way, each of them sent by a call of its own. A block ends when the partner has taken all. The streams read as far as
/// bytes have come and take many messages out of one call. ns a message and messages a second: of the median block; best: of the fastest.
/// </summary>
internal sealed class StreamTable(int from, int most) : ChannelTable("one way",
    "|    bytes | who                      | ns a message | best ns | millions a second |    MB/s | processor ns |")
{
    protected override int Rounds => 9;

    protected override IEnumerable<ChannelRow> Rows => new[] { 64, 1024, 16384, 262144, 4194304 }
        .Where(size => size >= from && size <= most).Select(size => new ChannelRow($"{size}", new(size)));

    protected override IEnumerable<Driver> Drivers(Placement placement)
    {
        foreach (Way way in (Way[])[Way.Channel, Way.SpinningOff, Way.Socket, Way.SocketOf(1 << 20), Way.Ring])
            yield return new ManagedDriver(way, placement);
        if (!CDriver.IsThere) yield break;
        yield return CDriver.SeqPacket(placement);
        yield return CDriver.Stream(placement);
        yield return CDriver.Ring(placement);
        yield return CDriver.FutexRing(placement);
    }

    protected override IEnumerable<string> Measure(ChannelRow row, Driver[] drivers)
    {
        List<(double Elapsed, double Used, double All)>[] blocks = [.. drivers.Select(_ => new List<(double, double, double)>())];
        int size = row.Exchange.Size;
        Interleave(drivers, (driver, count) =>
        {
            (long elapsed, long used) = driver.OneWay(size, count);
            return (Elapsed: (double)elapsed / count, Used: (double)used / count, All: elapsed / 1e9);
        }, block => block.All, 20, blocks);
        for (int i = 0; i < drivers.Length; i++)
        {
            double[] sorted = [.. blocks[i].Select(block => block.Elapsed).Order()];
            double median = sorted[sorted.Length / 2], used = blocks[i].Select(block => block.Used).Order().ElementAt(sorted.Length / 2);
            yield return $"| {size,8} | {drivers[i].Name,-24} | {median,12:0} | {sorted[0],7:0} | {1e3 / median,17:0.00} | " +
                $"{1e3 * size / median,7:0} | {used,12:0} |";
        }
    }
}
