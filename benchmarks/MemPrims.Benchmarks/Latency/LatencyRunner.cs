using System.Diagnostics;

namespace MemPrims.Benchmarks.Latency;

/// <summary>
/// Times each call by itself, the contenders in turn, a block of calls each, so that what the disk does meanwhile falls on all alike. Allocations are
/// counted around a block, and so is what the process handed to the system to be written (`wchar` of /proc/self/io: it counts LMDB's and SQLite's
/// writes as it counts ours, on a disk and in memory, but no store through a map).
/// </summary>
internal static class LatencyRunner
{
    // So that three calls at least are above the p99 where a commit takes milliseconds.
    private const int CallsInBlock = 20, FewestCalls = 300;
    private const string Counters = "/proc/self/io", Wanted = "wchar: ";

    public static IEnumerable<LatencyResult> Run(LatencyCase row, TimeSpan budget)
    {
        LatencyContender[] contenders = row.Prepare();
        Tally[] tallies = [.. contenders.Select(contender => new Tally(contender.Once))];
        InterleavedRounds.Warm([.. contenders.Select(contender => contender.Once)]);
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
                tally.Allocated / operations, row.Writes && File.Exists(Counters) ? tally.Written / operations : null);
        }
    }

    private sealed class Tally(Func<long> once)
    {
        private long _sum;

        public List<long> Times { get; } = new(1 << 20);

        public long Allocated { get; private set; }

        public long Written { get; private set; }

        public void Block()
        {
            // Room for the block's times comes first, so that the list does not grow within.
            Times.EnsureCapacity(Times.Count + CallsInBlock);
            long written = WrittenSoFar(), allocated = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < CallsInBlock; i++)
            {
                long start = Stopwatch.GetTimestamp();
                _sum += once();
                Times.Add(Stopwatch.GetTimestamp() - start);
            }
            Allocated += GC.GetAllocatedBytesForCurrentThread() - allocated;
            Written += WrittenSoFar() - written;
            GC.KeepAlive(_sum);
        }

        private static long WrittenSoFar() =>
            File.Exists(Counters) ? long.Parse(File.ReadLines(Counters).First(line => line.StartsWith(Wanted, StringComparison.Ordinal)).AsSpan(Wanted.Length)) : 0;
    }
}
