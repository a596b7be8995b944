using System.Diagnostics;

namespace MemPrims.Benchmarks.Ratio;

/// <summary>
/// Measures a case as interleaved rounds, ours then each peer, A B C A B C …, in this process and on this thread. What disturbs the machine
/// disturbs all of them alike, so the ratio of the minima is stable where the times are not. The median is told beside it.
/// </summary>
public static class RatioRunner
{
    // Tier-0 code is left after 30 calls and a pause of 100 ms in which nothing new is jitted; instrumented code takes a second such step.
    private const int WarmupSteps = 4, CallsPerStep = 34, MaxWarmupMillisecondsPerStep = 400;
    private static readonly TimeSpan s_jitPause = TimeSpan.FromMilliseconds(130);

    private const int MinRounds = 11;

    public static RatioResult Run(RatioCase row, TimeSpan budget)
    {
        Contest contest = row.Prepare();
        Contender[] all = [contest.Ours, .. contest.Peers];
        Warm(all);
        List<double>[] times = [.. all.Select(_ => new List<double>())];
        Stopwatch total = Stopwatch.StartNew();
        while (times[0].Count < MinRounds || total.Elapsed < budget)
        {
            for (int i = 0; i < all.Length; i++)
            {
                long start = Stopwatch.GetTimestamp();
                Sink += all[i].Batch();
                times[i].Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds / contest.Operations);
            }
        }
        Timing ours = Timing.Of(times[0]);
        return new(row.Group, row.Name, ours, [.. contest.Peers.Select((peer, i) => PeerResult.Of(peer, Timing.Of(times[i + 1]), ours))]);
    }

    /// <summary>What keeps every batch's result in use.</summary>
    public static long Sink { get; private set; }

    private static void Warm(Contender[] all)
    {
        for (int step = 0; step < WarmupSteps; step++)
        {
            Stopwatch spent = Stopwatch.StartNew();
            for (int call = 0; call < CallsPerStep && (call < 3 || spent.ElapsedMilliseconds < MaxWarmupMillisecondsPerStep); call++)
                foreach (Contender one in all) Sink += one.Batch();
            Thread.Sleep(s_jitPause);
        }
    }
}

public sealed record RatioResult(string Group, string Name, Timing Ours, PeerResult[] Peers);

public sealed record PeerResult(string Peer, Timing Time, double RatioOfMinima, double RatioOfMedians, double AtLeast)
{
    public bool? Reached => AtLeast == 0 ? null : RatioOfMinima >= AtLeast;

    public static PeerResult Of(Contender peer, Timing time, Timing ours) =>
        new(peer.Name, time, time.Minimum / ours.Minimum, time.Median / ours.Median, peer.AtLeast);
}

/// <summary>Nanoseconds per operation.</summary>
public readonly record struct Timing(double Minimum, double Median)
{
    public static Timing Of(List<double> times)
    {
        times.Sort();
        return new(times[0], times[times.Count / 2]);
    }
}
