using MemPrims.Tool.Measure;

namespace MemPrims.Tool.Sweep;

/// <summary>
/// What one operation took, beside the BCL's own. A ratio above 1 is in our favour. <paramref name="Length"/> is the longest block; null
/// where lengths vary widely.
/// </summary>
internal sealed record SweepResult(string Operation, string Case, string Peer, int? Length, Timing Ours, Timing Theirs)
{
    public double RatioOfMinima => Theirs.Minimum / Ours.Minimum;

    public double RatioOfMedians => Theirs.Median / Ours.Median;
}
