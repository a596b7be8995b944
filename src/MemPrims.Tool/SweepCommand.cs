using System.Text.Json;
using MemPrims.Tool.Measure;
using Spectre.Console;

namespace MemPrims.Tool;

/// <summary>What one operation took over one shape of blocks, beside the BCL's own. A ratio above 1 is in our favour.</summary>
internal sealed record SweepResult(string Operation, string Blocks, string Peer, Timing Ours, Timing Theirs)
{
    public double RatioOfMinima => Theirs.Minimum / Ours.Minimum;

    public double RatioOfMedians => Theirs.Median / Ours.Median;
}

/// <summary>`sweep [--json]`: Compare, Equal and Copy over all sizes, each interleaved with the routine of the BCL that it replaces.</summary>
internal static class SweepCommand
{
    // 69 measurements of this make about 20 seconds; the longest blocks take a little more on a slow machine.
    private static readonly TimeSpan s_budget = TimeSpan.FromSeconds(0.25);

    private static readonly JsonSerializerOptions s_json = new() { WriteIndented = true };

    private static readonly (string Name, string Peer, Func<BlockPairs, long> Ours, Func<BlockPairs, long> Theirs)[] s_operations =
    [
        ("Compare", "SequenceCompareTo", Batch.Of<BlockCompare>, Batch.Of<BclCompare>),
        ("Equal", "SequenceEqual", Batch.Of<BlockEqual>, Batch.Of<BclEqual>),
        ("Copy", "Buffer.MemoryCopy", Batch.Of<BlockCopy>, Batch.Of<BufferMemoryCopy>),
    ];

    public static int Run(bool json)
    {
        // Warm over the shape that programs have, not over each shape of the sweep: what was compiled is then alike for all of them, as in a program.
        using (BlockPairs pairs = BlockPairs.Equal(Lengths.Measured, Lengths.MeasuredLongest))
            InterleavedRounds.Warm([.. s_operations.SelectMany(operation => (Func<long>[])[() => operation.Ours(pairs), () => operation.Theirs(pairs)])]);

        List<SweepResult> results = [];
        foreach ((string blocks, Func<BlockPairs> prepare) in Shapes())
        {
            Console.Error.WriteLine($"measuring {blocks} …");
            using BlockPairs pairs = prepare();
            foreach ((string name, string peer, Func<BlockPairs, long> ours, Func<BlockPairs, long> theirs) in s_operations)
            {
                Timing[] timings = InterleavedRounds.Measure(pairs.Count, s_budget, () => ours(pairs), () => theirs(pairs));
                results.Add(new(name, blocks, peer, timings[0], timings[1]));
            }
        }
        if (json) Console.WriteLine(JsonSerializer.Serialize(new { Hardware = Hardware.Describe(), Results = results }, s_json));
        else Write(AnsiConsole.Console, results);
        return 0;
    }

    private static IEnumerable<(string Blocks, Func<BlockPairs> Prepare)> Shapes()
    {
        foreach (int longest in (int[])[16, 64, 128, 256])
            yield return ($"random 0–{longest} B", () => BlockPairs.Equal(Lengths.UpTo(longest), longest));
        foreach (int length in (int[])[0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20])
            yield return (Size(length), () => BlockPairs.Equal(Lengths.Fixed(length), length, BlockPairs.CallsFor(length)));
    }

    private static string Size(int bytes) => bytes switch
    {
        >= 1 << 20 => $"{bytes >> 20} MiB",
        >= 1 << 10 => $"{bytes >> 10} KiB",
        _ => $"{bytes} B",
    };

    private static void Write(IAnsiConsole console, IReadOnlyList<SweepResult> results)
    {
        if (!console.Profile.Out.IsTerminal) console.Profile.Width = 120;
        foreach (IGrouping<(string Operation, string Peer), SweepResult> group in results.GroupBy(result => (result.Operation, result.Peer)))
        {
            Table table = new Table().Title($"Block.{group.Key.Operation} against {group.Key.Peer}, ns a call").MinimalBorder().AddColumn("blocks");
            foreach (string header in (string[])["ours (min)", "ours (median)", "theirs (min)", "theirs (median)", "ratio (min)", "ratio (median)"])
                table.AddColumn(new TableColumn(header).RightAligned());
            foreach (SweepResult row in group)
                table.AddRow(row.Blocks, $"{row.Ours.Minimum:N2}", $"{row.Ours.Median:N2}", $"{row.Theirs.Minimum:N2}", $"{row.Theirs.Median:N2}",
                    $"{row.RatioOfMinima:0.00}", $"{row.RatioOfMedians:0.00}");
            table.AddRow("[bold]geometric mean[/]", "", "", "", "",
                $"[bold]{Timing.GeometricMean(group.Select(row => row.RatioOfMinima)):0.00}[/]", $"{Timing.GeometricMean(group.Select(row => row.RatioOfMedians)):0.00}");
            console.Write(table);
        }
        console.WriteLine($"{Hardware.Describe()}; blocks at random offsets; a ratio above 1 is in our favour.");
    }
}
