using System.Diagnostics;

namespace MemPrims.Guard;

/// <summary>Times batches, ours and the peer's in turn.</summary>
internal static class Timing
{
    // The runtime compiles a method anew after 30 calls and 100 ms without other news, then once more. With 250 ms the first row that
    // copied 4 KiB was timed before that: 5,500 ns a message in place of 330.
    private const int WarmBatches = 80, FewestBatches = 7;
    private static readonly TimeSpan s_warm = TimeSpan.FromMilliseconds(700), s_measured = TimeSpan.FromMilliseconds(120);

    private static long s_sink;

    public static Measured Measure(Row row)
    {
        Work work = row.Prepare();
        Stopwatch clock = Stopwatch.StartNew();
        for (int i = 0; clock.Elapsed < s_warm || (i < WarmBatches && clock.Elapsed < 4 * s_warm); i++)
        {
            work.Redraw();
            s_sink += work.Ours() + (work.Theirs?.Invoke() ?? 0);
        }
        // Garbage of the rows before is not this row's.
        GC.Collect();
        List<double> ours = [], theirs = [];
        long bytes = long.MaxValue;
        for (double left = s_measured.TotalNanoseconds; left > 0 || ours.Count < FewestBatches;)
        {
            work.Redraw();
            long before = GC.GetAllocatedBytesForCurrentThread();
            left -= Time(work.Ours, ours);
            bytes = Math.Min(bytes, GC.GetAllocatedBytesForCurrentThread() - before);
            if (work.Theirs is { } peer) Time(peer, theirs);
        }
        work.Close();
        ours.Sort();
        theirs.Sort();
        double each = 1.0 / work.Operations;
        return new(row.Name, ours[0] * each, ours[ours.Count / 2] * each, bytes * each, work.Peer,
            theirs.FirstOrDefault() * each, theirs.ElementAtOrDefault(theirs.Count / 2) * each);
    }

    private static double Time(Func<long> batch, List<double> times)
    {
        long start = Stopwatch.GetTimestamp();
        s_sink += batch();
        times.Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds);
        return times[^1];
    }
}
