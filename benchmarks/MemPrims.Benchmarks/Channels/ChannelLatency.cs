using Spectre.Console;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// `channels [filter]`: p50, p99 and processor time of round trips between two processes for 1 B to 8 MiB, contenders in turn, blocks of
/// a few thousand trips. Processor time is that of both processes, for one round trip.
/// </summary>
internal static class ChannelLatency
{
    private const int Blocks = 5;

    public static int Run(string? filter, int most)
    {
        foreach (Placement placement in (Placement[])[Placement.Two, Placement.One, Placement.AsPlaced])
        {
            if (filter is not null && !placement.Name.Contains(filter, StringComparison.OrdinalIgnoreCase)) continue;
            List<Driver> drivers = [new ChannelDriver(placement), new ChannelDriver(placement, spin: 0),
                new ChannelDriver(placement, kind: "fragments"), new SocketDriver(placement)];
            if (CDriver.IsThere) drivers.AddRange([new CDriver('p', placement), new CDriver('s', placement),
                new CDriver('p', placement, spins: true)]);
            Table table = new Table().Title(Markup.Escape($"round trips, {placement.Name}")).MarkdownBorder().AddColumns("bytes", "who",
                "p50 µs", "p99 µs", "processor µs", "MB/s");
            AnsiConsole.Console.Profile.Width = 160;
            for (int size = 1; size <= most; size = size < 64 ? 64 : size * 4) Measure(table, drivers, size);
            AnsiConsole.Console.Write(table);
            foreach (Driver driver in drivers) driver.Dispose();
        }
        return 0;
    }

    private static void Measure(Table table, List<Driver> drivers, int size)
    {
        int count = Math.Clamp((32 << 20) / size, 10, 400);
        List<long>[] times = [.. drivers.Select(_ => new List<long>())];
        long[] used = new long[drivers.Count], block = new long[count];
        for (int turn = 0; turn <= Blocks; turn++)
            for (int i = 0; i < drivers.Count; i++)
            {
                // One packet of C's holds no more than its send buffer.
                if (drivers[i].Name.EndsWith("SEQPACKET", StringComparison.Ordinal) && size > 1 << 16) continue;
                // C's blocking receive waits for ever where both are pinned to one processor and it spins: a slice of the scheduler each.
                if (drivers[i].Name.Contains("spinning,") && drivers[i].Name.StartsWith("C ") && size > 1 << 16) continue;
                long taken = drivers[i].RoundTrips(size, block);
                // The first turn compiles and warms up.
                if (turn == 0) continue;
                times[i].AddRange(block);
                used[i] += taken;
            }
        for (int i = 0; i < drivers.Count; i++)
        {
            List<long> sorted = times[i];
            if (sorted.Count == 0) continue;
            sorted.Sort();
            double p50 = sorted[sorted.Count / 2] / 1e3;
            table.AddRow($"{size}", drivers[i].Name, $"{p50:0.0}", $"{sorted[sorted.Count * 99 / 100] / 1e3:0.0}",
                $"{used[i] / 1e3 / sorted.Count:0.0}", $"{2 * size / p50:0}");
        }
    }
}
