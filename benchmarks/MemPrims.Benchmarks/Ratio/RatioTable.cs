using Spectre.Console;

namespace MemPrims.Benchmarks.Ratio;

/// <summary>The table of results, with the geometric mean of each peer per group. A ratio above 1 is in our favour.</summary>
public static class RatioTable
{
    public static void Write(IAnsiConsole console, IReadOnlyList<RatioResult> results)
    {
        PlainTables.Prepare(console, 160);
        foreach (IGrouping<string, RatioResult> group in results.GroupBy(r => r.Group))
        {
            Table table = new Table().Title(Markup.Escape(group.Key)).MinimalBorder()
                .AddColumns("case", "peer").AddColumn(Right("ours ns")).AddColumn(Right("peer ns"))
                .AddColumn(Right("ratio (min)")).AddColumn(Right("ratio (median)")).AddColumn(Right("at least"));
            foreach (RatioResult row in group)
                foreach (PeerResult peer in row.Peers)
                    table.AddRow(Markup.Escape(row.Name), Markup.Escape(peer.Peer), $"{row.Ours.Minimum:0.00}",
                        $"{peer.Time.Minimum:0.00}",
                        Colored(peer.RatioOfMinima, peer.Reached), $"{peer.RatioOfMedians:0.00}", peer.AtLeast == 0 ? ""
                            : $"{peer.AtLeast}");
            foreach (IGrouping<string, PeerResult> peer in group.SelectMany(r => r.Peers).GroupBy(p => p.Peer))
                table.AddRow("[bold]geometric mean[/]", Markup.Escape(peer.Key), "", "",
                    $"[bold]{Timing.GeometricMean(peer.Select(p => p.RatioOfMinima)):0.00}[/]",
                        $"{Timing.GeometricMean(peer.Select(p => p.RatioOfMedians)):0.00}", "");
            console.Write(table);
        }
        int bounds = results.Sum(r => r.Peers.Count(p => p.Reached is not null)),
            reached = results.Sum(r => r.Peers.Count(p => p.Reached is true));
        console.WriteLine($"{Hardware.Describe()}; {reached} of {bounds} bounds reached.");
    }

    private static TableColumn Right(string header) => new TableColumn(header).RightAligned();

    private static string Colored(double ratio, bool? reached) =>
        reached switch { true => $"[green]{ratio:0.00}[/]", false => $"[red]{ratio:0.00} ✗[/]", null => $"{ratio:0.00}" };
}
