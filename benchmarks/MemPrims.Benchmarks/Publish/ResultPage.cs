using System.Globalization;
using System.Text;
using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Publish;

/// <summary>The page of a room: all tables. There is one rule for bold: a loss of more than 5 %.</summary>
internal static class ResultPage
{
    private const double Loss = 0.95;

    public static string Of(Room room, PublishedRun run, IEnumerable<RatioResult> results, IEnumerable<string> plots)
    {
        StringBuilder page = new();
        string at = $"{run.Machine.Commit}, {run.Machine.Date}";
        page.AppendLine($"# {room.Title}: {run.Machine.Processor}").AppendLine().AppendLine(Measured(run.Machine)).AppendLine("""

            One page of [the results](README.md), made by `-- publish`. A ratio is the peer's time divided by ours,
            of the fastest batches and of the medians, measured as interleaved batches in one process with inputs drawn anew.
            A group that an earlier commit measured says so.
            Above 1 is in our favour. **Bold** is a loss of more than 5 %.
            """);
        page.AppendLine().AppendLine($"![{room.Title}, a point a comparison]({room.Name}.svg)");
        if (room == Room.Blocks)
        {
            foreach (string plot in plots.Where(name => name.EndsWith("widest.svg")))
                page.AppendLine().AppendLine($"![{Path.GetFileNameWithoutExtension(plot)}]({plot})");
            IEnumerable<string> others = plots.Where(name => !name.EndsWith("widest.svg"))
                .Select(name => $"[{Path.GetFileNameWithoutExtension(name)}]({name})");
            if (others.Any()) page.AppendLine().AppendLine($"Other tiers: {string.Join(", ", others)}.");
            Sizes(page, run.Sizes, run.SizesAt == at ? null : run.SizesAt);
        }
        foreach (IGrouping<string, RatioResult> group in results.GroupBy(row => row.Group))
        {
            page.AppendLine().AppendLine($"## {group.Key}").AppendLine();
            string?[] commits = [.. group.Select(row => row.At).Distinct()];
            if (commits is not [null] && !commits.SequenceEqual([at]))
                page.AppendLine($"Commit {string.Join("; ", commits)}.").AppendLine();
            page.AppendLine("| case | peer | ours ns | peer ns | ratio | of medians |");
            page.AppendLine("| --- | --- | ---: | ---: | ---: | ---: |");
            foreach (RatioResult row in group)
                foreach (PeerResult peer in row.Peers)
                    page.AppendLine($"| {row.Name} | {peer.Peer} | {Time(row.Ours.Minimum)} | {Time(peer.Time.Minimum)} " +
                        $"| {Ratio(peer.RatioOfMinima)} | {Ratio(peer.RatioOfMedians)} |");
            foreach (IGrouping<string, PeerResult> peer in group.SelectMany(row => row.Peers).GroupBy(peer => peer.Peer))
                page.AppendLine($"| geometric mean of {peer.Count()} | {peer.Key} | | " +
                    $"| {Ratio(Timing.GeometricMean(peer.Select(p => p.RatioOfMinima)))} " +
                    $"| {Ratio(Timing.GeometricMean(peer.Select(p => p.RatioOfMedians)))} |");
        }
        string[] notMeasured = [.. run.NotMeasured.Where(what => results.Any(row => what.StartsWith($"{row.Group} | ")))];
        if (notMeasured.Length > 0)
        {
            page.AppendLine().AppendLine("## Not measured").AppendLine();
            foreach (string what in notMeasured) page.AppendLine($"- {what}");
        }
        return page.ToString();
    }

    /// <summary>Who measured, with what.</summary>
    public static string Measured(Machine machine) => $"""
        Last run: commit {machine.Commit}, {machine.Date}; each table names its own.
        {machine.Processors} processors, {machine.Hardware}, {machine.System}.
        {(machine.Settings.Count == 0 ? "No settings of the runtime." : $"Settings: {string.Join(", ", machine.Settings)}.")}
        """ + (machine.Peers is { } peers ? $"\nPeers: {string.Join(", ", peers)}." : "");

    public static bool IsLoss(double ratio) => ratio < Loss;

    // Lengths down, tiers across; in each cell our nanoseconds and the ratios to the BCL and to libc.
    private static void Sizes(StringBuilder page, IReadOnlyList<SizePoint> points, string? commit)
    {
        string[] tiers = [.. points.Select(p => p.Tier).Distinct()];
        foreach (IGrouping<string, SizePoint> routine in points.GroupBy(p => p.Routine))
        {
            page.AppendLine().AppendLine($"## {routine.Key} by size: ns; BCL; libc").AppendLine();
            page.AppendLine("A point is the middle of three processes: where code falls in memory moves one by up to 25 %.").AppendLine();
            if (commit is not null) page.AppendLine($"Commit {commit}.").AppendLine();
            page.AppendLine($"| bytes | {string.Join(" | ", tiers)} |");
            page.AppendLine($"| ---: |{string.Concat(tiers.Select(_ => " ---: |"))}");
            foreach (IGrouping<int, SizePoint> length in routine.GroupBy(p => p.Length))
            {
                page.Append($"| {length.Key} |");
                foreach (string tier in tiers)
                {
                    Dictionary<string, Timing> times = length.Where(p => p.Tier == tier).ToDictionary(p => p.Method, p => p.Time);
                    double ours = times["MemPrims"].Median;
                    page.Append($" {Time(ours)}; {Ratio(times["BCL"].Median / ours)}; {Ratio(times["libc"].Median / ours)} |");
                }
                page.AppendLine();
            }
        }
    }

    public static string Ratio(double ratio) => IsLoss(ratio) ? $"**{RatioAxis.Figure(ratio)}**" : RatioAxis.Figure(ratio);

    private static string Time(double ns) => ns.ToString(ns < 100 ? "0.00" : "0", CultureInfo.InvariantCulture);
}
