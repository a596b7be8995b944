using System.Globalization;
using System.Text;
using System.Text.Json;

namespace DocumentStore.Twins;

/// <summary>A page of results: the figures of clusters as one table, and what clients saw around a leader's end as a picture.</summary>
internal static class ClusterPage
{
    private const string Style = "text { fill: #333 } @media (prefers-color-scheme: dark) { text { fill: #ddd } }";
    private const int Width = 760, Height = 240, Left = 60, Bottom = 30;

    /// <summary>Writes cluster.md and cluster.svg into a folder.</summary>
    public static void Write(IEnumerable<Dictionary<string, JsonElement>> lines, string folder)
    {
        Dictionary<string, JsonElement>[] all = [.. lines], rows = [.. all.Where(static row => row.ContainsKey("nodes"))];
        Dictionary<string, JsonElement> away = all.Single(static row => row.ContainsKey("documents missed"));
        double[] timeline = [.. rows.First(static row => row.ContainsKey("timeline"))["timeline"].EnumerateArray()
            .Select(static at => at.GetDouble())];
        StringBuilder page = new($"""
            # A document store over several nodes

            {rows[0]["machine"]}.
            All nodes and the client share it. Made by [`DocumentStore.Twins`](../../DocumentStore.Twins);
            nothing here is typed. Orders of about 190 bytes, two indexes and three facets, one client. What it is, and what limits it:
            [the document store](../../../tests/DocumentStore/README.md#several-machines).

            | nodes | {string.Join(" | ", rows.Select(static row => row["nodes"].ToString()))} |
            | --- |{string.Concat(Enumerable.Repeat(" ---: |", rows.Length))}

            """);
        foreach (string figure in rows[^1].Keys.Where(static key => key is not ("nodes" or "machine" or "timeline")))
            page.AppendLine($"| {figure} | {string.Join(" | ", rows.Select(row => row.TryGetValue(figure, out JsonElement value)
                ? Text(value.GetDouble()) : ""))} |");
        page.Append($"""

            A node of three that was away while {Text(away["documents missed"].GetDouble())} documents were put in had all of them
            {Text(away["catch-up, s"].GetDouble())} s after its start.

            ![Documents acknowledged a second, three nodes, whose leader is killed](cluster.svg)

            Three nodes, documents acknowledged in each quarter of a second; the leader is killed after a third of them.

            """);
        File.WriteAllText(Path.Combine(folder, "cluster.md"), page.ToString());
        File.WriteAllText(Path.Combine(folder, "cluster.svg"), Picture(timeline));
    }

    private static string Picture(double[] acknowledged)
    {
        const double bin = 0.25;
        const int batch = 500;
        double[] rates = new double[(int)(acknowledged[^1] / bin)];
        foreach (double at in acknowledged)
            if (at < rates.Length * bin) rates[(int)(at / bin)] += batch / bin;
        double most = Math.Ceiling(rates.Max() / 10_000) * 10_000;
        StringBuilder svg = new($"""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {Width} {Height}" font-family="sans-serif" font-size="12"
              role="img" aria-label="Documents acknowledged a second by three nodes, whose leader is killed">
            <style>{Style}</style>

            """);
        for (double rate = 0; rate <= most; rate += 10_000)
            svg.AppendLine($"""
                <path d="M{Left} {Y(rate)}H{Width}" stroke="#8884"/><text x="4" y="{Y(rate)}" dy="4">{rate / 1000:0} k/s</text>
                """);
        // The last seconds have no room for a label.
        for (int second = 0; second < rates.Length * bin - 0.5; second += 2)
            svg.AppendLine($"""<text x="{X(second)}" y="{Height - 10}">{second} s</text>""");
        svg.AppendLine($"""<path fill="none" stroke="#0a7dd6" stroke-width="2" d="M{string.Join('L', rates.Select((rate, i) =>
            $"{X((i + 0.5) * bin)} {Y(rate)}"))}"/>""");
        return svg.AppendLine("</svg>").ToString();

        string X(double second) => Number(Left + second / (rates.Length * bin) * (Width - Left - 10));

        string Y(double rate) => Number(Height - Bottom - rate / most * (Height - Bottom - 15));
    }

    private static string Text(double value) => value.ToString(value >= 100 ? "N0" : value >= 10 ? "0.0" : "0.00",
        CultureInfo.InvariantCulture);

    private static string Number(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);
}
