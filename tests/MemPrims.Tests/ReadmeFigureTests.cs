using System.Globalization;
using System.Text.Json;

namespace MemPrims.Tests;

/// <summary>The table of figures in README.md repeats what `-- publish` has measured: names of cases and medians of ratios.</summary>
public class ReadmeFigureTests
{
    private const string Heading = "| case, by its name in `ratio` | against | |";

    private const string Results = """
        { "Ratios": [ { "Group": "copy", "Name": "8 B", "Peers": [ { "Peer": "memcpy", "RatioOfMedians": 0.944 },
          { "Peer": "loop", "RatioOfMedians": 12.4 } ] } ] }
        """;

    [Fact]
    public void Every_figure_of_the_page_is_one_of_the_results()
    {
        string page = Repository.Read("README.md");
        Assert.Equal(10, Rows(page).Count());
        Assert.Empty(Differences(page, Repository.Read("benchmarks/results/amd-epyc-9004/results.json")));
    }

    [Fact]
    public void Right_figures_pass() =>
        Assert.Empty(Differences($"{Heading}\n| --- | --- | --- |\n| copy: 8 B | memcpy | **0.94** |\n| copy: 8 B | loop | 12 |\n",
            Results));

    [Theory]
    [InlineData("| copy: 8 B | memcpy | **0.95** |", "the results say **0.94**")]
    [InlineData("| copy: 8 B | memcpy | 0.94 |", "the results say **0.94**")]
    [InlineData("| copy: 9 B | memcpy | **0.94** |", "no such case")]
    [InlineData("| copy: 8 B | memmove | **0.94** |", "no such case")]
    public void A_figure_that_was_changed_is_found(string row, string because) =>
        Assert.Contains(because, Assert.Single(Differences($"{Heading}\n| --- | --- | --- |\n{row}\n", Results)));

    private static IEnumerable<string> Rows(string page) => page.Split('\n').SkipWhile(static line => line != Heading).Skip(2)
        .TakeWhile(static line => line.StartsWith('|'));

    private static List<string> Differences(string page, string results)
    {
        Dictionary<(string Case, string Peer), string> figures = [];
        using JsonDocument run = JsonDocument.Parse(results);
        foreach (JsonElement row in run.RootElement.GetProperty("Ratios").EnumerateArray())
            foreach (JsonElement peer in row.GetProperty("Peers").EnumerateArray())
                figures[($"{row.GetProperty("Group")}: {row.GetProperty("Name")}", $"{peer.GetProperty("Peer")}")] =
                    Written(peer.GetProperty("RatioOfMedians").GetDouble());
        List<string> differences = [];
        foreach (string row in Rows(page))
        {
            string[] cells = [.. row.Trim('|').Split('|').Select(static cell => cell.Trim())];
            if (!figures.TryGetValue((cells[0], cells[1]), out string? figure)) differences.Add($"{row}: the results have no such case");
            else if (figure != cells[2]) differences.Add($"{row}: the results say {figure}");
        }
        return differences;
    }

    // As on the pages of results: a loss of more than 5 % is bold.
    private static string Written(double ratio)
    {
        string figure = ratio.ToString(ratio < 9.95 ? "0.00" : "0", CultureInfo.InvariantCulture);
        return ratio < 0.95 ? $"**{figure}**" : figure;
    }
}
