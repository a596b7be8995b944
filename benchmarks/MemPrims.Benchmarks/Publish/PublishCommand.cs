using System.CommandLine;
using System.Text.Json;
using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Publish;

/// <summary>`publish` measures and writes a processor's folder of results. `compare` tells what became slower between two of
/// them.</summary>
internal static class PublishCommand
{
    // The better reading of the new run is this far below the worse reading of the old one: more than what the clock does to either.
    private const double Slower = 0.95;

    // Chooses the sweeps by size, as a word among those that choose cases.
    private const string Sizes = "sizes";

    private const string Picture = "peers.svg";

    public static Command Create()
    {
        Argument<string[]> filters = new("filter")
        {
            Description = "Parts of a case's group, name or class, or \"sizes\" for the sweeps: "
                + "measures these anew and leaves the other results of the folder. Without one: all.",
            Arity = ArgumentArity.ZeroOrMore
        };
        Option<double> seconds = new("--seconds")
        {
            Description = "Seconds measured per case, after the warm-up.",
            DefaultValueFactory = _ => 0.1
        };
        Option<DirectoryInfo> folder = new("--to")
        {
            Description = "The folder of all processors' results.",
            DefaultValueFactory = _ => new("benchmarks/results")
        };
        Option<bool> noSizes = new("--no-sizes") { Description = "Leave out the sweeps by size, which take ten minutes." };
        Option<FileInfo> only = new("--pages-of")
        { Description = "Measures nothing: makes the pages and the plots beside this results.json anew." };
        only.AcceptExistingOnly();
        Command publish = new("publish", "Measures the cases and the sweeps by size; writes results.json, pages and plots.")
            { filters, seconds, folder, noSizes, only };
        publish.SetAction(parsed => parsed.GetValue(only) is { } file ? WritePages(PublishedRun.Load(file.FullName), file.DirectoryName!)
            : Publish(parsed.GetValue(filters)!, parsed.GetValue(seconds), parsed.GetValue(folder)!.FullName,
            parsed.GetValue(noSizes)));
        return publish;
    }

    public static Command CreateCompare()
    {
        Argument<FileInfo> before = new("before") { Description = "A results.json." };
        Argument<FileInfo> after = new("after") { Description = "A later one." };
        before.AcceptExistingOnly();
        after.AcceptExistingOnly();
        Command compare = new("compare", "Lists the cases of two runs that became slower beyond noise; ends with 1 where there are any.")
            { before, after };
        compare.SetAction(parsed => Compare(parsed.GetValue(before)!.FullName, parsed.GetValue(after)!.FullName));
        return compare;
    }

    private static int Publish(string[] filters, double seconds, string folder, bool noSizes)
    {
        string[] cases = [.. filters.Where(filter => filter != Sizes)];
        // A mistyped word would otherwise measure nothing and look like a success.
        if (cases.FirstOrDefault(filter => !RatioCommand.Has(filter)) is string unknown)
        {
            Console.Error.WriteLine($"No case has \"{unknown}\" in its group, name or class. Nothing was measured or written.");
            return 1;
        }
        Machine machine = Machine.Here(Peers.Here());
        string to = Path.Combine(folder, machine.Folder), file = Path.Combine(to, "results.json");
        bool all = filters.Length == 0;
        PublishedRun? before = (!all || noSizes) && File.Exists(file) ? PublishedRun.Load(file) : null;
        if (before is not null && machine.DiffersFrom(before.Machine) is { } other)
        {
            Console.Error.WriteLine($"The results in {to} are of {other}. Measure all anew, or --to another folder.");
            return 1;
        }
        string at = $"{machine.Commit}, {machine.Date}";
        (List<RatioResult> ratios, List<string> notMeasured) = all || cases.Length > 0 ? RatioCommand.Measure(cases, seconds) : ([], []);
        IReadOnlyList<SizePoint> sizes = all && !noSizes || filters.Contains(Sizes) ? SizeSweep.AllTiers(seconds) : [];
        PublishedRun run = new(machine, [.. ratios.Select(row => row with { At = at })], notMeasured, sizes, at);
        if (before is not null) run = run.Over(before, [.. RatioCommand.Names()]);
        Directory.CreateDirectory(to);
        run.Save(file);
        WritePages(run, to);
        Console.WriteLine($"{ratios.Count} of {run.Ratios.Count} cases and {sizes.Count} of {run.Sizes.Count} points by size measured, " +
            $"{notMeasured.Count} not: {to}");
        return 0;
    }

    private static int WritePages(PublishedRun run, string to)
    {
        List<string> plots = [];
        foreach (IGrouping<(string Routine, string Tier), SizePoint> plot in run.Sizes.GroupBy(p => (p.Routine, p.Tier)))
        {
            plots.Add($"{plot.Key.Routine}-{plot.Key.Tier.Replace(' ', '-').ToLowerInvariant()}.svg");
            File.WriteAllText(Path.Combine(to, plots[^1]),
                SizePlot.Of($"{plot.Key.Routine}, equal blocks, {plot.Key.Tier}: {run.Machine.Processor}", [.. plot]));
        }
        File.WriteAllText(Path.Combine(to, Picture), PeerPlot.Of(run.Machine.Processor, run.Ratios));
        (Room Room, Comparison[] All)[] rooms = [.. Room.Of(run.Ratios).Select(of => (of.Room, Comparison.Of(of.Results)))];
        foreach ((Room room, RatioResult[] results) in Room.Of(run.Ratios))
            File.WriteAllText(Path.Combine(to, $"{room.Name}.md"), ResultPage.Of(room, run, results, plots));
        foreach ((Room room, Comparison[] all) in rooms)
            File.WriteAllText(Path.Combine(to, $"{room.Name}.svg"), RoomPlot.Of(room.Title, run.Machine.Processor, all));
        // Pages that other commands have written.
        IEnumerable<string> others = Directory.GetFiles(to, "*.md").Select(path => Path.GetFileNameWithoutExtension(path)!)
            .Except(["README", .. Room.All.Select(room => room.Name)]).Order(StringComparer.Ordinal);
        File.WriteAllText(Path.Combine(to, "README.md"), FrontPage.Of(run.Machine, Picture, rooms, others));
        return 0;
    }

    private static int Compare(string before, string after)
    {
        PublishedRun old, now;
        try
        {
            (old, now) = (PublishedRun.Load(before), PublishedRun.Load(after));
        }
        catch (Exception e) when (e is JsonException or IOException)
        {
            Console.Error.WriteLine($"No run of `publish` can be read: {e.Message}");
            return 2;
        }
        if (old.Machine.Processor != now.Machine.Processor)
        {
            Console.Error.WriteLine(
                $"Two processors, {old.Machine.Processor} and {now.Machine.Processor}: ratios to peers may differ for that.");
        }
        Dictionary<string, (double Worse, double Better)> was = Readings(old), isNow = Readings(now);
        int slower = 0;
        foreach ((string name, (double worse, _)) in was)
            if (isNow.TryGetValue(name, out (double Worse, double Better) then) && then.Better < Slower * worse)
            {
                Console.WriteLine($"{name}: {worse:0.00} → {then.Better:0.00}");
                slower++;
            }
        int both = was.Keys.Count(isNow.ContainsKey);
        Console.WriteLine($"{slower} of {both} became slower beyond noise; {was.Count - both} are gone, {isNow.Count - both} are new.");
        return slower > 0 ? 1 : 0;
    }

    // Ratios to peers, so that the clock of the machine falls out. Two readings of each: fastest batches and medians.
    private static Dictionary<string, (double Worse, double Better)> Readings(PublishedRun run)
    {
        Dictionary<string, (double, double)> all = [];
        foreach (RatioResult row in run.Ratios)
            foreach (PeerResult peer in row.Peers)
                all[$"{row.Group} | {row.Name} | {peer.Peer}"] = Ordered(peer.RatioOfMinima, peer.RatioOfMedians);
        foreach (var size in run.Sizes.GroupBy(p => (p.Tier, p.Routine, p.Length)))
        {
            Timing ours = size.Single(p => p.Method == "MemPrims").Time;
            foreach (SizePoint peer in size.Where(p => p.Method != "MemPrims"))
                all[$"{size.Key.Routine} of {size.Key.Length} B, {size.Key.Tier} | {peer.Method}"] =
                    Ordered(peer.Time.Minimum / ours.Minimum, peer.Time.Median / ours.Median);
        }
        return all;

        static (double, double) Ordered(double one, double other) => (Math.Min(one, other), Math.Max(one, other));
    }
}
