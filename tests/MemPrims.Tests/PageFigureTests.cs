using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace MemPrims.Tests;

// The tables of figures in pages repeat what `-- publish` has measured: names of cases and medians of ratios. With
// MEMPRIMS_RENEW_FIGURES=1 they are written anew.
public class PageFigureTests
{
    private const string Heading = "| case, by its name in `ratio` | against | |";
    private const string Folder = "benchmarks/results/intel-emerald-rapids", Zen5 = "benchmarks/results/amd-epyc-9005",
        Zen4 = "benchmarks/results/amd-epyc-9004";
    private const string Published = $"{Folder}/results.json";

    private const string Results = """
        { "Ratios": [ { "Group": "copy", "Name": "8 B", "Peers": [ { "Peer": "memcpy", "RatioOfMedians": 0.944 },
          { "Peer": "loop", "RatioOfMedians": 12.4 } ] } ] }
        """;

    [Theory]
    [InlineData("src/INSTEAD-OF.md", 55)]
    [InlineData($"{Folder}/README.md", 40)]
    [InlineData("src/MemPrims/Pages/README.md", 12)]
    [InlineData("src/MemPrims.Records/README.md", 8)]
    [InlineData("src/MemPrims.Channels/README.md", 8)]
    [InlineData("src/MemPrims.Wire/README.md", 8)]
    public void Every_figure_of_a_page_is_one_of_the_results(string path, int figures)
    {
        string page = Repository.Read(path), results = Repository.Read(Published);
        if (Environment.GetEnvironmentVariable("MEMPRIMS_RENEW_FIGURES") is "1")
        {
            foreach ((string row, string right) in Differences(page, results)) page = page.Replace(row, right);
            File.WriteAllText(Path.Combine(Repository.Root, path), page);
        }
        Assert.Equal(figures, Rows(page).Count());
        Assert.Empty(Differences(page, results));
        HashSet<(string, string)> published =
            [.. Rooms(Folder).SelectMany(room => Table(Folder, room.Name)).Select(row => (row.Case, row.Peer))];
        Assert.All(Rows(page), row => Assert.Contains((Cells(row)[0], Cells(row)[1]), published));
    }

    [Theory]
    [InlineData(Folder)]
    [InlineData(Zen5)]
    [InlineData(Zen4)]
    public void The_first_page_of_a_processor_is_short_and_leads_to_all_and_tells_the_worst(string folder)
    {
        Assert.InRange(Repository.Read($"{folder}/README.md").Split('\n').Length - 1, 60, 120);
        (string Name, string Section)[] rooms = [.. Rooms(folder)];
        Assert.Equal(["records", "sets", "pages", "channels", "wire", "buffers", "blocks"], rooms.Select(room => room.Name));
        foreach ((string name, string section) in rooms)
        {
            List<(string Case, string Peer, string Ratio)> all = Table(folder, name);
            double[] ratios = [.. all.Select(row => double.Parse(row.Ratio.Trim('*'), CultureInfo.InvariantCulture))];
            int losses = all.Count(row => row.Ratio.StartsWith('*'));
            Assert.Contains($"[All {all.Count} comparisons]({name}.md). Lost by more than 5 %: {losses}.", section);
            Assert.Contains($"]({name}.svg)", section);
            Assert.Equal(all.Count, Regex.Count(Repository.Read($"{folder}/{name}.svg"), "<circle "));
            string worst = ratios.Min().ToString("0.00", CultureInfo.InvariantCulture);
            Assert.True(losses == 0 || Rows(section).Any(row => Cells(row)[2].Trim('*') == worst), $"{name} does not tell {worst}.");
        }
    }

    [Theory]
    [InlineData(Folder)]
    [InlineData(Zen5)]
    [InlineData(Zen4)]
    public void Every_bar_of_the_picture_is_one_of_the_results(string folder)
    {
        Dictionary<(string Case, string Peer), string> figures = Figures(Repository.Read($"{folder}/results.json"));
        string picture = Repository.Read($"{folder}/peers.svg");
        MatchCollection bars = Regex.Matches(picture, @"<title>(.*) \| (.*)</title></rect>\n<text [^>]*>([0-9.]+)</text>");
        Assert.Equal(Regex.Count(picture, "<rect "), bars.Count);
        Assert.InRange(bars.Count, 15, 30);
        Assert.All(bars, bar => Assert.Equal(figures[(bar.Groups[1].Value, bar.Groups[2].Value)].Trim('*'), bar.Groups[3].Value));
        // A picture without losses would be one that somebody chose.
        Assert.Contains("class=\"slower\"", picture);
    }

    [Fact]
    public void Right_figures_pass() =>
        Assert.Empty(Differences($"{Heading}\n| --- | --- | --- |\n| copy: 8 B | memcpy | **0.94** |\n| copy: 8 B | loop | 12 |\n",
            Results));

    [Theory]
    [InlineData("| copy: 8 B | memcpy | **0.95** |", "| copy: 8 B | memcpy | **0.94** |")]
    [InlineData("| copy: 8 B | memcpy | 0.94 |", "| copy: 8 B | memcpy | **0.94** |")]
    [InlineData("| copy: 9 B | memcpy | **0.94** |", "| copy: 9 B | memcpy | no such case |")]
    [InlineData("| copy: 8 B | memmove | **0.94** |", "| copy: 8 B | memmove | no such case |")]
    public void A_figure_that_was_changed_is_found(string row, string right) =>
        Assert.Equal((row, right), Assert.Single(Differences($"{Heading}\n| --- | --- | --- |\n{row}\n", Results)));

    // The rows of all tables that have the heading.
    private static IEnumerable<string> Rows(string page)
    {
        string[] lines = page.Split('\n');
        return from table in lines.Index()
               where table.Item == Heading
               from line in lines.Skip(table.Index + 2).TakeWhile(static line => line.StartsWith('|'))
               select line;
    }

    private static string[] Cells(string row) => [.. row.Trim('|').Split('|').Select(static cell => cell.Trim())];

    // The rooms of a processor's first page, with what it says of each.
    private static IEnumerable<(string Name, string Section)> Rooms(string folder) =>
        from section in Repository.Read($"{folder}/README.md").Split("\n## ").Skip(1)
        select (Regex.Match(section, @"\((\w+)\.md\)").Groups[1].Value, $"## {section}\n");

    // What a room's page compares, with the ratios of medians.
    private static List<(string Case, string Peer, string Ratio)> Table(string folder, string room)
    {
        List<(string, string, string)> rows = [];
        string group = "";
        foreach (string line in Repository.Read($"{folder}/{room}.md").Split('\n'))
        {
            if (line.StartsWith("## ")) group = line[3..];
            if (Cells(line) is [var name, var peer, not "", var time, _, var ratio] && double.TryParse(time, out _))
                rows.Add(($"{group}: {name}", peer, ratio));
        }
        return rows;
    }

    // Rows that differ, and what they should be.
    private static List<(string Row, string Right)> Differences(string page, string results)
    {
        Dictionary<(string Case, string Peer), string> figures = Figures(results);
        List<(string, string)> differences = [];
        foreach (string row in Rows(page))
        {
            string[] cells = Cells(row);
            string right = $"| {cells[0]} | {cells[1]} | {figures.GetValueOrDefault((cells[0], cells[1]), "no such case")} |";
            if (row != right) differences.Add((row, right));
        }
        return differences;
    }

    private static Dictionary<(string Case, string Peer), string> Figures(string results)
    {
        Dictionary<(string Case, string Peer), string> figures = [];
        using JsonDocument run = JsonDocument.Parse(results);
        foreach (JsonElement row in run.RootElement.GetProperty("Ratios").EnumerateArray())
            foreach (JsonElement peer in row.GetProperty("Peers").EnumerateArray())
                figures[($"{row.GetProperty("Group")}: {row.GetProperty("Name")}", $"{peer.GetProperty("Peer")}")] =
                    Written(peer.GetProperty("RatioOfMedians").GetDouble());
        return figures;
    }

    // As on the pages of results: a loss of more than 5 % is bold.
    private static string Written(double ratio)
    {
        string figure = ratio.ToString(ratio < 9.95 ? "0.00" : "0", CultureInfo.InvariantCulture);
        return ratio < 0.95 ? $"**{figure}**" : figure;
    }
}
