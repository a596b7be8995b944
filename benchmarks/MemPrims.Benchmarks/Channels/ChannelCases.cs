using System.Runtime.InteropServices;
using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// Messages between two processes. Ours, Socket and one of the bare rings are two .NET processes, the others two C processes. A ratio is
/// the peer's time by ours, of whole batches: 2,000 round trips, 500 from 10,000 bytes on. A batch begins by one line through a pipe to
/// the partner, which wakes it: some 50 µs for every contender, so that the ratio of two fast ones comes out up to 5 % too near to 1.
/// The peers' order is the same in each round. `channels` tells single trips by a clock inside, in shuffled order, and their processor
/// time.
/// </summary>
internal sealed class ChannelCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((int size, double c, double socket) in ((int, double, double)[])[(1, 5, 4), (64, 5, 4), (4096, 3.5, 2.5),
            (65536, 2, 2)])
        {
            yield return new("channels, round trip, two processors", $"{size} B", () => RoundTrips(size, Placement.Two, 20, c, socket));
            yield return new("channels, round trip, spinning off", $"{size} B", () => RoundTrips(size, Placement.Two, 0, 0.85, 0));
            yield return new("channels, round trip, one processor", $"{size} B", () => RoundTrips(size, Placement.One, 20, 0.85, 0));
            yield return new("channels, round trip, as placed", $"{size} B", () => RoundTrips(size, Placement.AsPlaced, 20, 0, 0));
        }
        foreach ((int size, double two, double one) in ((int, double, double)[])[(64, 0, 0), (1024, 0, 0), (65536, 1.5, 0.9),
            (1 << 20, 3, 0.9), (8 << 20, 1.3, 0.9)])
        {
            yield return new("channels, one way, two processors", $"{size} B", () => OneWay(size, Placement.Two, two));
            yield return new("channels, one way, one processor", $"{size} B", () => OneWay(size, Placement.One, one));
        }
        yield return new("channels, built and summed", "8 MiB", BuiltAndSummed);
        yield return new("channels, eight busy ones", "20 µs of work", Crowds);
        foreach (int count in (int[])[1, 64, 253])
            yield return new("channels, round trip with descriptors", $"{count}", () => Descriptors(count));
    }

    private static Contest RoundTrips(int size, Placement placement, int spin, double c, double socket)
    {
        int trips = size > 10_000 ? 500 : 2000;
        List<(Driver Driver, double AtLeast)> all = [(new ManagedDriver(spin > 0 ? Way.Channel : Way.SpinningOff, placement), 0),
            (new ManagedDriver(Way.Socket, placement), socket)];
        // With spinning off nobody may spin.
        if (spin > 0) all.Add((new ManagedDriver(Way.Ring, placement), 0));
        if (CDriver.IsThere)
        {
            all.AddRange([(CDriver.SeqPacket(placement), c), (CDriver.Stream(placement), c)]);
            all.Add((spin > 0 ? CDriver.Ring(placement) : CDriver.FutexRing(placement), 0));
        }
        return Of(trips, all, driver => driver.Batch(size, trips));
    }

    private static Contest OneWay(int size, Placement placement, double atLeast)
    {
        int count = Math.Clamp((16 << 20) / size, 4, 20_000);
        List<(Driver Driver, double AtLeast)> all = [(new ManagedDriver(Way.Channel, placement), 0),
            (new ManagedDriver(Way.Socket, placement), atLeast),
            (new ManagedDriver(Way.SocketOf(1 << 20), placement), atLeast),
            (new ManagedDriver(Way.SocketOf(4 << 20), placement), atLeast),
            (new ManagedDriver(Way.Fragments, placement), 0), (new ManagedDriver(Way.Ring, placement), 0)];
        if (CDriver.IsThere) all.AddRange([(CDriver.Stream(placement), 0), (CDriver.Ring(placement), 0)]);
        if (CDriver.IsThere && size <= 65536) all.Add((CDriver.SeqPacket(placement), 0));
        return Of(count, all, driver => driver.OneWay(size, count).Elapsed);
    }

    private static Contest BuiltAndSummed()
    {
        const int size = 8 << 20, messages = 5;
        ManagedDriver[] all = [new(Way.Channel, Placement.Two), new(Way.Socket, Placement.Two), new(Way.SocketOf(1 << 20), Placement.Two)];
        long seed = 0;
        Contender[] contenders = [.. all.Select((driver, i) =>
            new Contender(driver.Name, () => driver.FillAndSum(size, messages, seed += messages), i == 0 ? 0 : 2))];
        return new(messages, contenders[0], contenders[1..]) { Close = () => Dispose(all) };
    }

    private static Contest Crowds()
    {
        const int trips = 200;
        long steps = (long)(20 * Work.StepsPerMicrosecond);
        Crowd[] all = [new(Way.Channel), new(Way.Socket), new(Way.SpinningOff)];
        double[] atLeast = [0, 0.95, 0];
        Contender[] contenders = [.. all.Select((crowd, i) => new Contender(crowd.Name, () => crowd.Batch(trips, steps), atLeast[i]))];
        return new(trips, contenders[0], contenders[1..]) { Close = () => Dispose(all) };
    }

    private static Contest Descriptors(int count)
    {
        const int trips = 200;
        ManagedDriver driver = new(Way.Channel with { Handles = 253 }, Placement.Two);
        SafeHandle[] files = [.. Enumerable.Repeat<SafeHandle>(File.OpenHandle("/dev/null"), count)];
        return new(trips, new("with descriptors", () => driver.SendFiles(files, trips)),
            new Contender("without", () => driver.SendFiles([], trips)))
        {
            Close = () => Dispose([driver, files[0]]),
        };
    }

    private static Contest Of(int operations, List<(Driver Driver, double AtLeast)> all, Func<Driver, long> batch)
    {
        Contender[] contenders = [.. all.Select(one => new Contender(one.Driver.Name, () => batch(one.Driver), one.AtLeast))];
        return new(operations, contenders[0], contenders[1..]) { Close = () => Dispose(all.Select(one => one.Driver)) };
    }

    private static void Dispose(IEnumerable<IDisposable> all)
    {
        foreach (IDisposable one in all) one.Dispose();
    }
}
