using System.Diagnostics;

namespace MemPrims.Benchmarks.Latency;

/// <summary>
/// Times each call by itself, the contenders in turn, a block of calls each, so that what the disk does meanwhile falls on all alike.
/// Allocations are counted around a block, and so is what is written: by the contender itself, or as what the process handed to the
/// system (`wchar` of /proc/self/io: it counts LMDB's and SQLite's writes, on a disk and in memory, but no store through a map).
/// </summary>
internal static class LatencyRunner
{
    // So that three calls at least are above the p99 where a commit takes milliseconds.
    private const int CallsInBlock = 20, FewestCalls = 300;
    private const string Counters = "/proc/self/io", Wanted = "wchar: ";

    public static IEnumerable<LatencyResult> Run(LatencyCase row, TimeSpan budget)
    {
        LatencyContender[] contenders = row.Prepare();
        Tally[] tallies = [.. contenders.Select(contender => new Tally(contender.Once, contender.Written ?? WrittenByCalls))];
        InterleavedRounds.Warm(() => { }, [.. contenders.Select(contender => contender.Once)]);
        long began = Stopwatch.GetTimestamp();
        do
            foreach (Tally tally in tallies) tally.Block();
        while (tallies[0].Times.Count < FewestCalls || Stopwatch.GetElapsedTime(began) < budget * tallies.Length);
        foreach ((LatencyContender contender, Tally tally) in contenders.Zip(tallies))
        {
            List<long> times = tally.Times;
            times.Sort();
            double operations = (double)times.Count * row.Group, tick = 1e9 / Stopwatch.Frequency / row.Group;
            yield return new(row.Name, contender.Name, times.Count, times[times.Count / 2] * tick, times[times.Count * 99 / 100] * tick,
                tally.Allocated / operations, row.Writes && (contender.Written is not null || File.Exists(Counters))
                    ? tally.Written / operations : null);
        }
    }

    private static long WrittenByCalls() =>
        File.Exists(Counters) ? long.Parse(File.ReadLines(Counters).First(line => line.StartsWith(Wanted, StringComparison.Ordinal))
            .AsSpan(Wanted.Length)) : 0;

    private sealed class Tally(Func<long> once, Func<long> writtenSoFar)
    {
        private long _sum;

        public List<long> Times { get; } = new(1 << 20);

        public long Allocated { get; private set; }

        public long Written { get; private set; }

        public void Block()
        {
            // Room for the block's times comes first, so that the list does not grow within.
            Times.EnsureCapacity(Times.Count + CallsInBlock);
            long written = writtenSoFar(), allocated = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < CallsInBlock; i++)
            {
                long start = Stopwatch.GetTimestamp();
                _sum += once();
                Times.Add(Stopwatch.GetTimestamp() - start);
            }
            Allocated += GC.GetAllocatedBytesForCurrentThread() - allocated;
            Written += writtenSoFar() - written;
            GC.KeepAlive(_sum);
        }
    }
}
