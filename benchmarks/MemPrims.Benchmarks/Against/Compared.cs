using System.Globalization;
using MemPrims.Guard;

namespace MemPrims.Benchmarks.Against;

/// <summary>A row of both sides: what the pairs of processes measured, in turn.</summary>
internal sealed class Compared(List<Measured> before, List<Measured> after)
{
    // What differs by less is noise.
    public const double Noise = 0.05;

    // A batch in which a buffer grows once allocates a little, and an operation nothing.
    private const double NoiseBytes = 0.5;

    public string Name { get; } = before[0].Row;

    /// <summary>By more than noise in every pair.</summary>
    public bool IsSlower => before.Zip(after).All(pair => pair.Second.Least > pair.First.Least * (1 + Noise));

    public bool AllocatesMore => before.Zip(after).All(pair => pair.Second.Bytes > pair.First.Bytes * (1 + Noise) + NoiseBytes);

    public bool IsLost => IsSlower || AllocatesMore;

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

    private static double Least(List<Measured> runs) => runs.Min(run => run.Least);

    private static double Bytes(List<Measured> runs) => runs.Min(run => run.Bytes);

    private static double Ratio(List<Measured> runs) => runs.Min(run => run.PeerLeast) / Least(runs);
}
