using System.Diagnostics;

namespace MemPrims.Benchmarks.Ratio;

/// <summary>Measures a case: ours and its peers as interleaved rounds.</summary>
public static class RatioRunner
{
    private static long s_sink;

    public static RatioResult Run(RatioCase row, TimeSpan budget)
    {
        Contest contest = row.Prepare();
        Func<long>[] batches = [contest.Ours.Batch, .. contest.Peers.Select(peer => peer.Batch)];
        Timing[] timings = contest.Rounds > 0 ? MeasureLong(contest, batches) : MeasureShort(contest, budget, batches);
        contest.Close();
        return new(row.Group, row.Name, timings[0],
            [.. contest.Peers.Select((peer, i) => PeerResult.Of(peer, timings[i + 1], timings[0]))]);
    }

    private static Timing[] MeasureShort(Contest contest, TimeSpan budget, Func<long>[] batches)
    {
        InterleavedRounds.Warm(contest.Redraw, batches);
        return InterleavedRounds.Measure(contest.Operations, budget, contest.Redraw, batches);
    }

    private static Timing[] MeasureLong(Contest contest, Func<long>[] batches)
    {
        List<double>[] times = [.. batches.Select(_ => new List<double>())];
        for (int round = -1; round < contest.Rounds; round++)
        {
            contest.Redraw();
            for (int i = 0; i < batches.Length; i++)
            {
                GC.Collect();
                long start = Stopwatch.GetTimestamp();
                s_sink += batches[i]();
                if (round >= 0) times[i].Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds / contest.Operations);
            }
        }
        return [.. times.Select(Timing.Of)];
    }
}

/// <summary>A measured case. <paramref name="At"/>: the commit and date, in a file that several runs have made.</summary>
public sealed record RatioResult(string Group, string Name, Timing Ours, PeerResult[] Peers, string? At = null);

public sealed record PeerResult(string Peer, Timing Time, double RatioOfMinima, double RatioOfMedians, double AtLeast)
{
    public bool? Reached => AtLeast == 0 ? null : RatioOfMinima >= AtLeast;

    public static PeerResult Of(Contender peer, Timing time, Timing ours) =>
        new(peer.Name, time, time.Minimum / ours.Minimum, time.Median / ours.Median, peer.AtLeast);
}
