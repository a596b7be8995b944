using Spectre.Console;
using Spectre.Console.Rendering;

namespace MemPrims.Tool.Sweep;

// The results as tables, a chart of the ratio in the last column: to the right of the line ours is faster.
internal static class SweepView
{
    // From a quarter of their speed to eight times it; each step of the chart is a fifth of a doubling.
    private const double StepsPerDoubling = 5;
    private const int StepsOfLoss = 10, StepsOfWin = 15;

    public static IRenderable Of(IReadOnlyList<SweepResult> results) =>
        new Rows(results.GroupBy(result => (result.Operation, result.Peer))
            .Select(group => Of(group.Key.Operation, group.Key.Peer, [.. group])));

    private static Table Of(string operation, string peer, SweepResult[] rows)
    {
        Table table = new Table().Title($"{operation} against {peer}, ns").MinimalBorder().AddColumn(new TableColumn("case").NoWrap());
        foreach (string header in (string[])["ours (min)", "median", "theirs (min)", "median", "ratio (min)", "median"])
            table.AddColumn(new TableColumn(header).RightAligned());
        table.AddColumn(new TableColumn($"{"slower ",StepsOfLoss}│ faster").NoWrap());
        foreach (SweepResult row in rows)
            table.AddRow(row.Case, $"{row.Ours.Minimum:N2}", $"{row.Ours.Median:N2}", $"{row.Theirs.Minimum:N2}",
                $"{row.Theirs.Median:N2}", $"{row.RatioOfMinima:0.00}", $"{row.RatioOfMedians:0.00}", Bar(row.RatioOfMedians));
        double minima = Timing.GeometricMean(rows.Select(row => row.RatioOfMinima)),
            medians = Timing.GeometricMean(rows.Select(row => row.RatioOfMedians));
        return table.AddRow("[bold]geometric mean[/]", "", "", "", "", $"[bold]{minima:0.00}[/]", $"{medians:0.00}", Bar(medians));
    }

    private static string Bar(double ratio)
    {
        int steps = Math.Clamp((int)Math.Round(Math.Log2(ratio) * StepsPerDoubling), -StepsOfLoss, StepsOfWin);
        return steps < 0 ? new string(' ', StepsOfLoss + steps) + $"[red]{new string('█', -steps)}[/]│"
            : new string(' ', StepsOfLoss) + $"│[green]{new string('█', steps)}[/]";
    }
}
