using System.Runtime.InteropServices;
using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// Messages between two processes, against blocking C and .NET's Socket. Both ends of ours and of Socket are .NET; blocking.c is a pair
/// of C processes; a batch of its trips costs one line to it and one back. `channels` tells single trips, by its own clock.
/// </summary>
internal sealed class ChannelCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((int size, double c, double socket) in ((int, double, double)[])[(1, 5, 4), (64, 5, 4), (4096, 3.5, 2.5),
            (65536, 2.2, 2)])
        {
            yield return new("channels, round trip, two processors", $"{size} B", () => RoundTrips(size, Placement.Two, 20, c, socket));
            yield return new("channels, round trip, spinning off", $"{size} B", () => RoundTrips(size, Placement.Two, 0, 0.85, 0));
            yield return new("channels, round trip, one processor", $"{size} B", () => RoundTrips(size, Placement.One, 20, 0.85, 0));
            yield return new("channels, round trip, as placed", $"{size} B", () => RoundTrips(size, Placement.AsPlaced, 20, 0, 0));
        }
        foreach ((int size, double two) in ((int, double)[])[(65536, 1.5), (1 << 20, 3), (8 << 20, 1.3)])
        {
            yield return new("channels, one way, two processors", $"{size >> 10} KiB", () => OneWay(size, Placement.Two, two));
            yield return new("channels, one way, one processor", $"{size >> 10} KiB", () => OneWay(size, Placement.One, 0.9));
        }
        yield return new("channels, built and summed", "8 MiB in a segment", Segments);
        foreach (int count in (int[])[1, 64, 253])
            yield return new("channels, round trip with descriptors", $"{count}", () => Descriptors(count));
    }

    private static Contest Descriptors(int count)
    {
        const int trips = 200;
        ChannelDriver driver = new(Placement.Two, kind: "descriptors");
        SafeHandle[] files = [.. Enumerable.Repeat<SafeHandle>(File.OpenHandle("/dev/null"), count)];
        return new(trips, new("with descriptors", () => Trips(files)), new Contender("without", () => Trips([])));

        long Trips(SafeHandle[] sent)
        {
            long sum = 0;
            for (int i = 0; i < trips; i++) sum += driver.SendFiles(sent);
            return sum;
        }
    }

    private static Contest RoundTrips(int size, Placement placement, int spin, double c, double socket)
    {
        long[] times = new long[size > 10_000 ? 500 : 2000];
        List<Contender> peers = [Of(new SocketDriver(placement), socket)];
        if (CDriver.IsThere) peers.AddRange([Of(new CDriver('p', placement), c), Of(new CDriver('s', placement), c)]);
        return new(times.Length, Of(new ChannelDriver(placement, spin), 0), [.. peers]);

        Contender Of(Driver driver, double atLeast) => new(driver.Name, () => driver.RoundTrips(size, times), atLeast);
    }

    private static Contest OneWay(int size, Placement placement, double atLeast)
    {
        int count = Math.Max(4, (16 << 20) / size);
        return new(count, Of(new ChannelDriver(placement), 0), Of(new SocketDriver(placement, rows: true), atLeast),
            Of(new SocketDriver(placement, 1 << 20, true), atLeast),
            Of(new SocketDriver(placement, 4 << 20, true), atLeast), Of(new ChannelDriver(placement, kind: "fragments"), 0));

        Contender Of(Driver driver, double bound) => new(driver.Name, () => driver.OneWay(size, count), bound);
    }

    private static Contest Segments()
    {
        const int size = 8 << 20;
        SegmentDriver trusted = new(Placement.Two, size, trusted: true), copied = new(Placement.Two, size, trusted: false);
        ChannelDriver channel = new(Placement.Two);
        SocketDriver socket = new(Placement.Two), roomy = new(Placement.Two, 1 << 20);
        long seed = 0;
        return new(1, new("segment, trusted", () => trusted.FillAndSum(size, ++seed)),
            new("segment, copied by the receiver", () => copied.FillAndSum(size, ++seed), 0),
            new("no segment: Send", () => channel.FillAndSum(size, ++seed), 0),
            new(socket.Name, () => socket.FillAndSum(size, ++seed), 2.5),
            new(roomy.Name, () => roomy.FillAndSum(size, ++seed), 2.5));
    }
}
