using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Publish;

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
        [(6, 207)] = "Intel Emerald Rapids",
    };

    public static Machine Here(IReadOnlyList<string>? peers = null)
    {
        string processor = NameOfProcessor();
        string folder = string.Join('-', processor.Split('(')[0].ToLowerInvariant().Split(
            [' ', '/', '@', '.', ',', ')'], StringSplitOptions.RemoveEmptyEntries));
        string[] settings = [.. Environment.GetEnvironmentVariables().Keys.Cast<string>().Where(name => name.StartsWith("DOTNET_Enable")
            || name is "DOTNET_PreferredVectorBitWidth" or "DOTNET_TieredPGO" or "DOTNET_TieredCompilation")
            .Order().Select(name => $"{name}={Environment.GetEnvironmentVariable(name)}")];
        return new(processor, folder, MemPrims.Hardware.Describe(), Environment.ProcessorCount, RuntimeInformation.OSDescription,
            DateTime.UtcNow.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture), CommitHere(), settings, peers);
    }

    /// <summary>The first line of a page of results.</summary>
    public override string ToString() => $"Commit {Commit}, {Date}, {Processor}, {Processors} processors, {Hardware}, {System}";

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
