using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
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

/// <summary>Who measured. <paramref name="Settings"/>: the settings of the runtime that were on. <paramref name="Peers"/>: what it was
/// measured against, with releases; null in files of before.</summary>
public sealed record Machine(string Processor, string Folder, string Hardware, int Processors, string System, string Date, string Commit,
    IReadOnlyList<string> Settings, IReadOnlyList<string>? Peers = null)
{
    // Family and model of processors that a name alone does not tell: hosts call them all "AMD EPYC" or "Intel Xeon Processor".
    private static readonly Dictionary<(int Family, int Model), string> s_names = new()
    {
        [(25, 17)] = "AMD EPYC 9004 (Zen 4)",
        [(26, 2)] = "AMD EPYC 9005 (Zen 5)",
        [(6, 85)] = "Intel Cascade Lake",
    };

    public static Machine Here()
    {
        string processor = NameOfProcessor();
        string folder = string.Join('-', processor.Split('(')[0].ToLowerInvariant().Split(
            [' ', '/', '@', '.', ',', ')'], StringSplitOptions.RemoveEmptyEntries));
        string[] settings = [.. Environment.GetEnvironmentVariables().Keys.Cast<string>().Where(name => name.StartsWith("DOTNET_Enable")
            || name is "DOTNET_PreferredVectorBitWidth" or "DOTNET_TieredPGO" or "DOTNET_TieredCompilation")
            .Order().Select(name => $"{name}={Environment.GetEnvironmentVariable(name)}")];
        return new(processor, folder, MemPrims.Hardware.Describe(), Environment.ProcessorCount, RuntimeInformation.OSDescription,
            DateTime.UtcNow.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture), CommitHere(), settings,
            Publish.Peers.Here());
    }

    /// <summary>What another run must share with this one for their results to stand on one page: null, or how that differs.</summary>
    public string? DiffersFrom(Machine other) =>
        (Processor, Processors, Hardware) == (other.Processor, other.Processors, other.Hardware) && Settings.SequenceEqual(other.Settings)
            ? null : $"{other.Processor}, {other.Processors} processors, {other.Hardware} {string.Join(' ', other.Settings)}".Trim();

    private static string NameOfProcessor()
    {
        if (!File.Exists("/proc/cpuinfo")) return RuntimeInformation.ProcessArchitecture.ToString();
        ILookup<string, string> lines = File.ReadLines("/proc/cpuinfo").Select(line => line.Split(':', 2))
            .Where(parts => parts.Length == 2).ToLookup(parts => parts[0].Trim(), parts => parts[1].Trim());
        if (int.TryParse(lines["cpu family"].FirstOrDefault(), out int family)
            && int.TryParse(lines["model"].FirstOrDefault(), out int model) && s_names.TryGetValue((family, model), out string? name))
            return name;
        return lines["model name"].FirstOrDefault() ?? RuntimeInformation.ProcessArchitecture.ToString();
    }

    private static string CommitHere()
    {
        try
        {
            using Process git = Process.Start(new ProcessStartInfo("git", "describe --always --dirty --abbrev=8")
                { RedirectStandardOutput = true, RedirectStandardError = true })!;
            string said = git.StandardOutput.ReadToEnd().Trim();
            return said.Length > 0 ? said : "unknown";
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return "unknown";
        }
    }
}
