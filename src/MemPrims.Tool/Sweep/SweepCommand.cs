using Spectre.Console;

namespace MemPrims.Tool.Sweep;

// Where results go, besides the terminal. Null: nowhere.
internal sealed record SweepOutputs(bool Json, string? CsvPath, string? SvgFolder);

// `sweep`: measures, shows the tables as they grow, and writes the files.
internal static class SweepCommand
{
    private const int FileColumns = 140;

    public static int Run(string? only, double seconds, SweepOutputs outputs)
    {
        // Before a minute is spent.
        if (outputs.SvgFolder is { } folder) Directory.CreateDirectory(folder);
        if (outputs.CsvPath is { } csv) File.WriteAllText(csv, "");
        IAnsiConsole console = AnsiConsole.Console;
        PlainTables.Prepare(console, FileColumns);
        List<SweepResult> results = !outputs.Json && console.Profile.Capabilities.Ansi && !Console.IsOutputRedirected
            ? MeasureLive(console, only, seconds)
            : [.. new SweepRun(only, seconds, what => Failure.Line($"measuring {what} …")).Results()];
        if (results.Count == 0)
            throw new UsageException($"No case has '{only}' in its operation or name. Without --only all are measured.");
        if (outputs.CsvPath is { } path) File.WriteAllText(path, SweepFiles.Csv(results));
        if (outputs.SvgFolder is { } to)
            foreach ((string name, string svg) in SweepFiles.Plots(results)) File.WriteAllText(Path.Combine(to, name), svg);
        if (outputs.Json)
        {
            Console.WriteLine(SweepFiles.Json(results));
            return Exit.Ok;
        }
        console.Write(SweepView.Of(results));
        console.WriteLine(
            $"{Hardware.Describe()}. Blocks are equal, at random offsets. "
            + "A search is one whole binary search; three of four find their key.");
        console.WriteLine("The ratio is their time divided by ours: above 1 is in our favour.");
        return Exit.Ok;
    }

    // Of tables longer than the screen, the newest rows show; all of it is written at the end.
    private static List<SweepResult> MeasureLive(IAnsiConsole console, string? only, double seconds)
    {
        List<SweepResult> results = [];
        console.Live(new Text("")).AutoClear(true).Overflow(VerticalOverflow.Crop).Cropping(VerticalOverflowCropping.Top).Start(live =>
        {
            SweepRun run = new(only, seconds,
                what => live.UpdateTarget(new Rows(SweepView.Of(results), new Text($"measuring {what} …"))));
            foreach (SweepResult result in run.Results()) results.Add(result);
        });
        return results;
    }
}
