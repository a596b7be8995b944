using System.Text;

namespace MemPrims.Benchmarks.Publish;

/// <summary>
/// The first page of a processor's folder: of each room a picture of all that was compared, the everyday cases, and the worst losses of
/// the groups that have the worst. The everyday cases are those of <see cref="PeerPlot"/>, the same whatever was measured.
/// </summary>
internal static class FrontPage
{
    private const int MostLosses = 3;

    public static string Of(Machine machine, string picture, IEnumerable<(Room Room, Comparison[] All)> rooms, IEnumerable<string> others)
    {
        StringBuilder page = new();
        page.AppendLine($"# {machine.Processor}").AppendLine().AppendLine(ResultPage.Measured(machine)).AppendLine("""

            This page and those of the rooms are made from results.json by `-- publish`; nothing in them is typed.
            A ratio is the peer's time divided by ours, here of medians: above 1 is in our favour, **bold** is a loss of more than 5 %.
            A room's table has everyday cases, always the same ones, then the worst losses, of a group each; its picture has all.
            """);
        if (others.Any()) page.AppendLine($"Beside it: {string.Join(", ", others.Select(name => $"[{name}]({name}.md)"))}.");
        page.AppendLine().AppendLine($"![times as fast as what one would otherwise use, a bar a case]({picture})");
        foreach ((Room room, Comparison[] all) in rooms)
        {
            HashSet<(string, string)> everyday = [.. PeerPlot.Cases.Select(c => ($"{c.Group}: {c.Name}", c.Peer))];
            Comparison[] usual = [.. all.Where(c => everyday.Contains((c.Case, c.Peer)))];
            Comparison[] losses = [.. all.Where(c => ResultPage.IsLoss(c.Ratio))];
            page.AppendLine().AppendLine($"## {room.Title}").AppendLine();
            page.AppendLine($"[All {all.Length} comparisons]({room.Name}.md). Lost by more than 5 %: {losses.Length}. "
                + $"Won by as much: {all.Count(c => ResultPage.IsLoss(1 / c.Ratio))}.");
            page.AppendLine().AppendLine($"![{room.Title}, a point a comparison]({room.Name}.svg)").AppendLine();
            page.AppendLine("| case, by its name in `ratio` | against | |").AppendLine("| --- | --- | --- |");
            foreach (Comparison c in (Comparison[])[.. usual, .. losses.Except(usual).GroupBy(c => c.Group)
                .Select(group => group.MinBy(c => c.Ratio)!).OrderBy(c => c.Ratio).Take(MostLosses)])
                page.AppendLine($"| {c.Case} | {c.Peer} | {ResultPage.Ratio(c.Ratio)} |");
        }
        return page.ToString();
    }
}
