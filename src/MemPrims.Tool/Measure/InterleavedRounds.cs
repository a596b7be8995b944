using System.Diagnostics;

namespace MemPrims.Tool.Measure;

// Measures batches as interleaved rounds, A B C A B C …, in this process and on this thread. What disturbs the machine disturbs all of
// them alike, so the ratio of the minima is stable where the times are not. The median is told beside it.
public static class InterleavedRounds
{
    // Tier-0 code is left after 30 calls and a pause of 100 ms in which nothing new is jitted; instrumented code takes a second such step.
    private const int WarmupSteps = 4, CallsPerStep = 34, MaxWarmupMillisecondsPerStep = 400;
    private static readonly TimeSpan s_jitPause = TimeSpan.FromMilliseconds(130);

    // Eleven rounds in any case, but where they would take longer than this, three are enough.
    private const int UsualRounds = 11, FewestRounds = 3;
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(3);

    // What keeps every batch's result in use.
    public static long Sink { get; private set; }

    // Runs batches until they are compiled for good, on inputs that are drawn anew in each round. Each returns a number that depends on
    // all results in it.
    public static void Warm(Action redraw, params Func<long>[] batches)
    {
        for (int step = 0; step < WarmupSteps; step++)
        {
            Stopwatch spent = Stopwatch.StartNew();
            for (int call = 0; call < CallsPerStep && (call < 3 || spent.ElapsedMilliseconds < MaxWarmupMillisecondsPerStep); call++)
            {
                redraw();
                foreach (Func<long> batch in batches) Sink += batch();
            }
            Thread.Sleep(s_jitPause);
        }
    }

    // Measures batches that are warm, for some rounds and as long as the budget lasts. The inputs are drawn anew before every timed batch:
    // a branch predictor learns 32,768 lengths by heart. Times are told for each of the operations in a batch; the drawing is not counted.
    public static Timing[] Measure(long operations, TimeSpan budget, Action redraw, params Func<long>[] batches)
    {
        List<double>[] times = [.. batches.Select(_ => new List<double>())];
        Stopwatch total = Stopwatch.StartNew();
        while (times[0].Count < FewestRounds || total.Elapsed < budget || (times[0].Count < UsualRounds && total.Elapsed < s_longest))
        {
            for (int i = 0; i < batches.Length; i++)
            {
                redraw();
                long start = Stopwatch.GetTimestamp();
                Sink += batches[i]();
                times[i].Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds / operations);
            }
        }
        return [.. times.Select(Timing.Of)];
    }
}
