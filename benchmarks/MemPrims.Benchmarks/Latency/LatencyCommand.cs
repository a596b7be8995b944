using MemPrims.Benchmarks.Records;
using Spectre.Console;

namespace MemPrims.Benchmarks.Latency;

/// <summary>`latency [filter] [--seconds S]`: the median and the 99th percentile of single calls, what they allocate, and what a commit
/// writes.</summary>
internal static class LatencyCommand
{
    public static int Run(string? filter, double secondsPerContender)
    {
        List<LatencyResult> results = [];
        foreach (LatencyCase row in RecordsLatency.Cases()
            .Where(row => filter is null || row.Name.Contains(filter, StringComparison.OrdinalIgnoreCase)))
        {
            foreach (LatencyResult result in LatencyRunner.Run(row, TimeSpan.FromSeconds(secondsPerContender)))
            {
                results.Add(result);
                Console.Error.WriteLine($"{result.Case} | {result.Contender}: p50 {Time(result.P50)}, p99 {Time(result.P99)}");
            }
            GC.Collect();
        }
        if (results.Count == 0)
        {
            Console.Error.WriteLine($"No case has '{filter}' in its name. Without a filter all are run.");
            return 1;
        }
        Write(AnsiConsole.Console, results);
        return 0;
    }

    private static void Write(IAnsiConsole console, List<LatencyResult> results)
    {
        Table table = new();
        if (console.Profile.Out.IsTerminal) table.MinimalBorder();
        else
        {
            // Where it goes into a file, as the published results are written.
            console.Profile.Width = 200;
            table.MarkdownBorder();
        }
        table.AddColumns("case", "who").AddColumn(Right("p50")).AddColumn(Right("p99")).AddColumn(Right("bytes allocated"))
            .AddColumn(Right("bytes written")).AddColumn(Right("calls"));
        foreach (LatencyResult r in results)
            table.AddRow(Markup.Escape(r.Case), Markup.Escape(r.Contender), Time(r.P50), Time(r.P99), $"{r.Allocated:N0}",
                r.Written is { } bytes ? $"{bytes:N0}" : "", $"{r.Calls:N0}");
        console.Write(table);
        console.WriteLine(Hardware.Describe());
    }

    private static string Time(double nanoseconds) => nanoseconds switch
    {
        < 1_000 => $"{nanoseconds:0.0} ns",
        < 1_000_000 => $"{nanoseconds / 1_000:0.0} µs",
        _ => $"{nanoseconds / 1_000_000:0.00} ms",
    };

    private static TableColumn Right(string header) => new TableColumn(header).RightAligned();
}
