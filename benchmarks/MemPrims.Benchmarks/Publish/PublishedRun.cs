using System.Text.Json;
using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Publish;

/// <summary>What was measured, where and with what: the file results.json of a processor's folder. Pages, plots and comparisons are made
/// from it. <paramref name="SizesAt"/>: the commit and date of the sweeps by size.</summary>
public sealed record PublishedRun(Machine Machine, IReadOnlyList<RatioResult> Ratios, IReadOnlyList<string> NotMeasured,
    IReadOnlyList<SizePoint> Sizes, string? SizesAt = null)
{
    private static readonly JsonSerializerOptions s_json = new() { WriteIndented = true };

    public static PublishedRun Load(string path) =>
        JsonSerializer.Deserialize<PublishedRun>(File.ReadAllBytes(path), s_json) ?? throw new JsonException("The file holds no run.");

    /// <summary>This run where it measured, an earlier one elsewhere. Of that, only cases that there still are, in the order of
    /// <paramref name="names"/>.</summary>
    public PublishedRun Over(PublishedRun before, IReadOnlyList<(string Group, string Name)> names)
    {
        string ran = $"{before.Machine.Commit}, {before.Machine.Date}";
        Dictionary<(string, string), RatioResult> rows = [];
        foreach (RatioResult row in before.Ratios) rows[(row.Group, row.Name)] = row with { At = row.At ?? ran };
        foreach (RatioResult row in Ratios) rows[(row.Group, row.Name)] = row;
        bool sizes = Sizes.Count > 0;
        return this with
        {
            Ratios = [.. names.Where(rows.ContainsKey).Select(name => rows[name])],
            NotMeasured = [.. NotMeasured, .. before.NotMeasured.Except(NotMeasured)
                .Where(what => names.Any(name => !rows.ContainsKey(name) && what.StartsWith($"{name.Group} | {name.Name}: ")))],
            Sizes = sizes ? Sizes : before.Sizes,
            SizesAt = sizes ? SizesAt : before.SizesAt ?? ran,
        };
    }

    public void Save(string path) => File.WriteAllText(path, JsonSerializer.Serialize(this, s_json) + "\n");
}
