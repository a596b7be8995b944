using System.Reflection;
using System.Text.Json;
using Spectre.Console;

namespace MemPrims.Benchmarks.Ratio;

/// <summary>`ratio [filter] [--json] [--seconds S]`: measures the cases whose group, name or class has the filter in it, and tells the
/// table.</summary>
public static class RatioCommand
{
    private static readonly JsonSerializerOptions s_json = new() { WriteIndented = true };

    public static int Run(string? filter, bool json, double secondsPerCase)
    {
        List<RatioResult> results = [];
        foreach (RatioCase row in Cases(filter)) results.Add(Measure(row, secondsPerCase));
        if (results.Count == 0)
        {
            Console.Error.WriteLine($"No case has '{filter}' in its group, name or class. Without a filter all are run.");
            return 1;
        }
        if (json) Console.WriteLine(JsonSerializer.Serialize(new { Hardware = Hardware.Describe(), Cases = results }, s_json));
        else RatioTable.Write(AnsiConsole.Console, results);
        return 0;
    }

    /// <summary>Measures for a file of results: a case whose peer is not there is told, and does not end the others.</summary>
    public static (List<RatioResult> Results, List<string> NotMeasured) Measure(string[] filters, double secondsPerCase)
    {
        List<RatioResult> results = [];
        List<string> notMeasured = [];
        IEnumerable<RatioCase> chosen = filters.Length == 0 ? Cases(null) : filters.SelectMany(Cases);
        foreach (RatioCase row in chosen.DistinctBy(row => (row.Group, row.Name)))
        {
            try
            {
                results.Add(Measure(row, secondsPerCase));
            }
            catch (Exception e)
            {
                notMeasured.Add($"{row.Group} | {row.Name}: {e.GetBaseException().Message}");
                Console.Error.WriteLine(notMeasured[^1]);
            }
        }
        return (results, notMeasured);
    }

    public static bool Has(string filter) => Cases(filter).Any();

    /// <summary>The names of all cases, in the order of a page.</summary>
    public static IEnumerable<(string Group, string Name)> Names() => Cases(null).Select(row => (row.Group, row.Name));

    /// <summary>The folder of this project that has the cases of a group.</summary>
    public static IReadOnlyDictionary<string, string> Folders() => AllCases()
        .DistinctBy(row => row.Case.Group).ToDictionary(row => row.Case.Group, row => row.Of.Namespace!.Split('.')[^1]);

    private static RatioResult Measure(RatioCase row, double secondsPerCase)
    {
        RatioResult result = RatioRunner.Run(row, TimeSpan.FromSeconds(secondsPerCase));
        Console.Error.WriteLine($"{result.Group} | {result.Name}: {result.Ours.Minimum:0.00} ns; " +
            string.Join(", ",
                result.Peers.Select(p => $"{p.Peer} {p.RatioOfMinima:0.00}{(p.AtLeast > 0 ? $" of {p.AtLeast}" : "")}")));
        GC.Collect();
        return result;
    }

    private static IEnumerable<RatioCase> Cases(string? filter) => AllCases().Where(row => filter is null
        || $"{row.Of.Name} {row.Case.Group} {row.Case.Name}".Contains(filter, StringComparison.OrdinalIgnoreCase)
        || NameOnPages(row.Case).Contains(filter, StringComparison.OrdinalIgnoreCase)).Select(row => row.Case);

    private static string NameOnPages(RatioCase row) => $"{row.Group}: {row.Name}";

    private static IEnumerable<(Type Of, RatioCase Case)> AllCases()
    {
        foreach (Type type in typeof(RatioCommand).Assembly.GetTypes().Where(t => t.IsClass && typeof(IRatioCases).IsAssignableFrom(t))
            .OrderBy(t => t.FullName))
        {
            MethodInfo cases = type.GetMethod(nameof(IRatioCases.Cases), BindingFlags.Public | BindingFlags.Static)!;
            foreach (RatioCase row in (IEnumerable<RatioCase>)cases.Invoke(null, null)!) yield return (type, row);
        }
    }
}
