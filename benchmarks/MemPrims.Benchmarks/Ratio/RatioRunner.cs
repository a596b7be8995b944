namespace MemPrims.Benchmarks.Ratio;

/// <summary>Measures a case: ours and its peers as interleaved rounds.</summary>
public static class RatioRunner
{
    public static RatioResult Run(RatioCase row, TimeSpan budget)
    {
        Contest contest = row.Prepare();
        Func<long>[] batches = [contest.Ours.Batch, .. contest.Peers.Select(peer => peer.Batch)];
        InterleavedRounds.Warm(contest.Redraw, batches);
        Timing[] timings = InterleavedRounds.Measure(contest.Operations, budget, contest.Redraw, batches);
        contest.Close();
        return new(row.Group, row.Name, timings[0], [.. contest.Peers.Select((peer, i) => PeerResult.Of(peer, timings[i + 1], timings[0]))]);
    }
}

public sealed record RatioResult(string Group, string Name, Timing Ours, PeerResult[] Peers);

public sealed record PeerResult(string Peer, Timing Time, double RatioOfMinima, double RatioOfMedians, double AtLeast)
{
    public bool? Reached => AtLeast == 0 ? null : RatioOfMinima >= AtLeast;

    public static PeerResult Of(Contender peer, Timing time, Timing ours) =>
        new(peer.Name, time, time.Minimum / ours.Minimum, time.Median / ours.Median, peer.AtLeast);
}
