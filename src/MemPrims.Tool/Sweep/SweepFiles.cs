namespace MemPrims.Tool.Sweep;

// The results for other programs: JSON, CSV, and a plot of time against size for each operation.
internal static class SweepFiles
{
    private static readonly JsonSerializerOptions s_json = new() { WriteIndented = true };

    public static string Json(IReadOnlyList<SweepResult> results) =>
        JsonSerializer.Serialize(new { Hardware = Hardware.Describe(), Results = results }, s_json);

    public static string Csv(IReadOnlyList<SweepResult> results)
    {
        StringBuilder csv = new("operation,case,peer,ours_min_ns,ours_median_ns,peer_min_ns,peer_median_ns,ratio_min,ratio_median\n");
        foreach (SweepResult row in results)
            csv.Append(CultureInfo.InvariantCulture, $"{row.Operation},\"{row.Case}\",{row.Peer},")
                .Append(CultureInfo.InvariantCulture, $"{row.Ours.Minimum:0.000},{row.Ours.Median:0.000},")
                .Append(CultureInfo.InvariantCulture, $"{row.Theirs.Minimum:0.000},{row.Theirs.Median:0.000},")
                .Append(CultureInfo.InvariantCulture, $"{row.RatioOfMinima:0.000},{row.RatioOfMedians:0.000}\n");
        return csv.ToString();
    }

    // The plots, by the name of their file. An operation of one size has none.
    public static IEnumerable<(string Name, string Svg)> Plots(IReadOnlyList<SweepResult> results)
    {
        string tier = Hardware.Tier.ToString();
        foreach (IGrouping<string, SweepResult> operation in results.Where(row => row.Length is not null).GroupBy(row => row.Operation))
        {
            List<SizePoint> points = [];
            foreach (SweepResult row in operation)
            {
                points.Add(new(tier, operation.Key, "MemPrims", row.Length!.Value, row.Ours));
                points.Add(new(tier, operation.Key, "BCL", row.Length.Value, row.Theirs));
            }
            if (points.Count > 2)
                yield return ($"{operation.Key.ToLowerInvariant()}.svg", SizePlot.Of($"{operation.Key}, equal blocks, {tier}", points));
        }
    }
}
