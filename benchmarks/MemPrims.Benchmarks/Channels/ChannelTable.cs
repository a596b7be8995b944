using System.Diagnostics;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// A table of messages between two processes. For each row every contender runs several blocks; each round of blocks has a new order,
/// drawn at random. A contender that spins does so only while its block runs. Rows are printed when they are done, so that a run that is
/// cut loses only the rest.
/// How to read it. p50 and p99: of single trips, all blocks together, by CLOCK_MONOTONIC; one reading of the clock is in each of them, and
/// its cost stands above the table. p99 is left out below 300 trips. processor µs: of both processes for one message, by their own
/// processor clocks; it has the work in it, where there is work.
/// </summary>
internal abstract class ChannelTable(string title, string columns)
{
    private const int TripsOfWarmUp = 60, StepsOfWarmUp = 4;

    /// <summary>The pause after which the runtime compiles what was called often enough.</summary>
    private static readonly TimeSpan s_jitPause = TimeSpan.FromMilliseconds(130);

    /// <summary>What the start of all partners takes, and their warm-up.</summary>
    private static readonly TimeSpan s_toBegin = TimeSpan.FromSeconds(3);

    private readonly Stopwatch _running = Stopwatch.StartNew();

    /// <summary>Time for one contender in one row.</summary>
    public double Seconds { get; set; } = 0.1;

    protected virtual int Rounds => 7;

    protected abstract IEnumerable<ChannelRow> Rows { get; }

    protected abstract IEnumerable<Driver> Drivers(Placement placement);

    /// <summary>Measures all contenders in one row and tells a line for each.</summary>
    protected abstract IEnumerable<string> Measure(ChannelRow row, Driver[] drivers);

    public int Run(Placement[] placements, string[] who, TimeSpan limit)
    {
        List<string> left = [];
        if (!CDriver.IsThere) left.Add("the contenders in C, without gcc");
        Console.WriteLine($"A reading of the clock: {ClockCost():0} ns in .NET" +
            (CDriver.IsThere ? $", {CDriver.ClockCost():0} ns in C." : "."));
        foreach (Placement placement in placements) Run(placement, who, limit, left);
        Console.WriteLine(left.Count == 0 ? $"\nNothing was left out. {_running.Elapsed.TotalSeconds:0} s." :
            $"\nLEFT OUT: {string.Join("; ", left.Distinct())}. {_running.Elapsed.TotalSeconds:0} s of {limit.TotalSeconds:0}.");
        return 0;
    }

    private void Run(Placement placement, string[] who, TimeSpan limit, List<string> left)
    {
        if (_running.Elapsed > limit - s_toBegin)
        {
            left.Add($"for time: {placement.Name}, all");
            return;
        }
        List<Driver> drivers = [];
        try
        {
            foreach (Driver driver in Drivers(placement)) drivers.Add(driver);
            foreach (Driver other in drivers.Where(driver => who.Length > 0 && !who.Any(driver.Name.Contains)).ToArray())
            {
                drivers.Remove(other);
                other.Dispose();
            }
            Warm(drivers);
            Console.WriteLine($"\n{title}, {placement.Name}\n\n{columns}");
            Console.WriteLine(string.Concat(columns.Select(c => c == '|' ? '|' : '-')));
            TimeSpan longest = default;
            List<ChannelRow> missed = [];
            foreach (ChannelRow row in Rows)
            {
                TimeSpan start = _running.Elapsed;
                if (missed.Count > 0 || start + (longest * 1.3) > limit)
                {
                    missed.Add(row);
                    continue;
                }
                Driver[] able = [.. drivers.Where(driver => driver.Most >= row.Exchange.Size)];
                foreach (string line in Measure(row, able)) Console.WriteLine(line);
                left.AddRange(drivers.Except(able)
                    .Select(driver => $"{driver.Name} above {driver.Most} B, which it cannot carry"));
                longest = _running.Elapsed - start;
            }
            if (missed.Count > 0) left.Add($"for time: {placement.Name}, {string.Join(", ", missed.Select(row => row.Name))}");
        }
        finally
        {
            foreach (Driver driver in drivers) driver.Dispose();
        }
    }

    /// <summary>Runs every contender's rounds, each round in another order. How much one block has follows from a first one.</summary>
    protected void Interleave<TBlock>(Driver[] drivers, Func<Driver, int, TBlock> block, Func<TBlock, double> seconds, int least,
        List<TBlock>[] blocks)
    {
        int[] counts = [.. drivers.Select(driver =>
        {
            int count = least;
            // The first one may be slow for many reasons; the second is nearer to the truth.
            for (int i = 0; i < 2; i++)
                count = (int)Math.Clamp(Seconds / Rounds * count / Math.Max(seconds(block(driver, count)), 1e-9), least, 100_000);
            return count;
        })];
        int[] order = [.. Enumerable.Range(0, drivers.Length)];
        for (int round = 0; round < Rounds; round++)
        {
            Random.Shared.Shuffle(order);
            foreach (int i in order) blocks[i].Add(block(drivers[i], counts[i]));
        }
    }

    protected static string Micro(double nanoseconds) =>
        nanoseconds < 9995 ? $"{nanoseconds / 1e3:0.00}" : nanoseconds < 99950 ? $"{nanoseconds / 1e3:0.0}" : $"{nanoseconds / 1e3:0}";

    private static void Warm(List<Driver> drivers)
    {
        for (int step = 0; step < StepsOfWarmUp; step++)
        {
            foreach (Driver driver in drivers)
            {
                driver.RoundTrips(new(256), new long[TripsOfWarmUp]);
                driver.OneWay(64, TripsOfWarmUp);
            }
            Thread.Sleep(s_jitPause);
        }
    }

    /// <summary>Nanoseconds between two readings, one right after the other: the median of many.</summary>
    private static double ClockCost()
    {
        const int readings = 100_000;
        long[] differences = new long[readings];
        for (int i = 0; i < readings; i++) differences[i] = -Stopwatch.GetTimestamp() + Stopwatch.GetTimestamp();
        return differences.Order().ElementAt(readings / 2);
    }
}

/// <summary>A row: what it is called, and the exchange it measures.</summary>
internal sealed record ChannelRow(string Name, Exchange Exchange);
