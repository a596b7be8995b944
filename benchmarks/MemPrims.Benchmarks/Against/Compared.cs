using System.Globalization;
using MemPrims.Guard;

namespace MemPrims.Benchmarks.Against;

/// <summary>
/// A row of both sides: what their processes measured in turn, round by round. A process may be slow as a whole, by where its code and
/// memory came to lie: a round is judged by its fastest batch. A host may be slow for minutes: where there is a peer, which was timed in
/// turn with ours, what counts is our time in the peer's. Judged by the times of pairs, scans that were 12 % slower went unnoticed.
/// </summary>
internal sealed class Compared(List<Measured> before, List<Measured> after)
{
    /// <summary>Processes of either side in a round.</summary>
    public const int Round = 3;

    // What differs by less is noise.
    public const double Noise = 0.05;

    // A batch in which a buffer grows once allocates a little, and an operation nothing.
    private const double NoiseBytes = 0.5;

    public string Name { get; } = before[0].Row;

    /// <summary>By more than noise in every round.</summary>
    public bool IsSlower => Rounds.All(round => Cost(round.After) > Cost(round.Before) * (1 + Noise));

    public bool AllocatesMore => Rounds.All(round => Bytes(round.After) > Bytes(round.Before) * (1 + Noise) + NoiseBytes);

    public bool IsLost => IsSlower || AllocatesMore;

    private IEnumerable<(Measured[] Before, Measured[] After)> Rounds => before.Chunk(Round).Zip(after.Chunk(Round));

    public override string ToString()
    {
        double old = Least(before), now = Least(after);
        string verdict = (IsSlower ? "**slower** " : "") + (AllocatesMore ? "**allocates**" : "");
        string peer = before[0].PeerLeast == 0 ? "| | " : string.Create(CultureInfo.InvariantCulture,
            $"{before[0].Peer} | {Ratio(before):0.00} | {Ratio(after):0.00}");
        return string.Create(CultureInfo.InvariantCulture,
            $"| {Name} | {old:0.0} | {now:0.0} | {now / old - 1:+0%;-0%} | {peer} "
            + $"| {Bytes(before):0.#} | {Bytes(after):0.#} | {verdict.Trim()} |");
    }

    private static double Least(IEnumerable<Measured> runs) => runs.Min(run => run.Least);

    private static double Bytes(IEnumerable<Measured> runs) => runs.Min(run => run.Bytes);

    private static double Ratio(IEnumerable<Measured> runs) => runs.Min(run => run.PeerLeast) / Least(runs);

    private double Cost(IEnumerable<Measured> runs) => before[0].PeerLeast == 0 ? Least(runs) : 1 / Ratio(runs);
}
