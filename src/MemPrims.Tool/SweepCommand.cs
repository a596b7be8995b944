using System.Text.Json;
using MemPrims.Tool.Measure;
using Spectre.Console;

namespace MemPrims.Tool;

/// <summary>What one operation took, beside the BCL's own. A ratio above 1 is in our favour.</summary>
internal sealed record SweepResult(string Operation, string Case, string Peer, Timing Ours, Timing Theirs)
{
    public double RatioOfMinima => Theirs.Minimum / Ours.Minimum;

    public double RatioOfMedians => Theirs.Median / Ours.Median;
}

/// <summary>
/// `sweep [--json]`: the README's cases, each interleaved with the routine of the BCL that it replaces. Searches come first, for that is
/// what order is for; then random lengths, then sizes. Keys, lengths and offsets are drawn anew before every timed batch.
/// </summary>
internal static class SweepCommand
{
    // Some 90 measurements of this, and their warm-up, take under a minute.
    private static readonly TimeSpan s_budget = TimeSpan.FromSeconds(0.12);

    private static readonly JsonSerializerOptions s_json = new() { WriteIndented = true };

    private static readonly (string Name, string Peer, Func<BlockPairs, long> Ours, Func<BlockPairs, long> Theirs)[] s_operations =
    [
        ("Compare", "SequenceCompareTo", Batch.Of<BlockCompare>, Batch.Of<BclCompare>),
        ("Equal", "SequenceEqual", Batch.Of<BlockEqual>, Batch.Of<BclEqual>),
        ("Copy", "Buffer.MemoryCopy", Batch.Of<BlockCopy>, Batch.Of<BufferMemoryCopy>),
    ];

    public static int Run(bool json)
    {
        List<SweepResult> results = [.. Searches(), .. Blocks()];
        if (json) Console.WriteLine(JsonSerializer.Serialize(new { Hardware = Hardware.Describe(), Results = results }, s_json));
        else Write(AnsiConsole.Console, results);
        return 0;
    }

    private static IEnumerable<SweepResult> Searches()
    {
        using (KeySearch warm = new(KeyShape.Random8To60, 1_000))
            InterleavedRounds.Warm(warm.Redraw, warm.Run<BlockSpanOrder>, warm.Run<BclKeyOrder>);
        foreach (int keys in (int[])[100, 1_000, 20_000])
            foreach (KeyShape shape in KeyShapes.All)
            {
                Console.Error.WriteLine($"measuring searches, {KeyShapes.Name(shape)}, {keys:N0} keys …");
                using KeySearch search = new(shape, keys);
                Timing[] timings =
                    InterleavedRounds.Measure(search.Count, s_budget, search.Redraw, search.Run<BlockSpanOrder>, search.Run<BclKeyOrder>);
                yield return new("Compare in a binary search", $"{KeyShapes.Name(shape)}, {keys:N0} keys", "SequenceCompareTo",
                    timings[0], timings[1]);
            }
    }

    private static IEnumerable<SweepResult> Blocks()
    {
        // Warm over the shape that programs have, not over each shape of the sweep: what was compiled is then alike for all of them, as
        // in a program.
        using (BlockPairs pairs = BlockPairs.Equal(Lengths.Measured, Lengths.MeasuredLongest))
            InterleavedRounds.Warm(pairs.Redraw,
                [.. s_operations.SelectMany(operation => (Func<long>[])[() => operation.Ours(pairs), () => operation.Theirs(pairs)])]);
        foreach ((string blocks, Func<BlockPairs> prepare) in Shapes())
        {
            Console.Error.WriteLine($"measuring blocks, {blocks} …");
            using BlockPairs pairs = prepare();
            foreach ((string name, string peer, Func<BlockPairs, long> ours, Func<BlockPairs, long> theirs) in s_operations)
            {
                Timing[] timings = InterleavedRounds.Measure(pairs.Count, s_budget, pairs.Redraw, () => ours(pairs), () => theirs(pairs));
                yield return new(name, blocks, peer, timings[0], timings[1]);
            }
        }
    }

    private static IEnumerable<(string Blocks, Func<BlockPairs> Prepare)> Shapes()
    {
        foreach (int longest in (int[])[16, 64, 128, 256])
            yield return ($"random 0–{longest} B", () => BlockPairs.Equal(Lengths.UpTo(longest), longest));
        yield return ("0 B", () => BlockPairs.Equal(Lengths.Fixed(0), 0));
        foreach (int length in Lengths.Sizes)
            yield return (Lengths.NameOfAround(length), () =>
                BlockPairs.Equal(Lengths.Around(length), length, BlockPairs.CallsFor(length)));
        foreach (int kibibytes in (int[])[16, 64, 1024, 16 << 10])
            yield return (kibibytes < 1024 ? $"{kibibytes} KiB" : $"{kibibytes >> 10} MiB", () =>
                BlockPairs.Equal(Lengths.Fixed(kibibytes << 10), kibibytes << 10, BlockPairs.CallsFor(kibibytes << 10)));
    }

    private static void Write(IAnsiConsole console, IReadOnlyList<SweepResult> results)
    {
        PlainTables.Prepare(console, 120);
        foreach (IGrouping<(string Operation, string Peer),
            SweepResult> group in results.GroupBy(result => (result.Operation, result.Peer)))
        {
            Table table = new Table().Title($"{group.Key.Operation} against {group.Key.Peer}, ns").MinimalBorder()
                .AddColumn(new TableColumn("case").NoWrap());
            foreach (string header in (string[])["ours (min)", "ours (median)", "theirs (min)", "theirs (median)", "ratio (min)",
                "ratio (median)"])
                table.AddColumn(new TableColumn(header).RightAligned());
            foreach (SweepResult row in group)
                table.AddRow(row.Case, $"{row.Ours.Minimum:N2}", $"{row.Ours.Median:N2}", $"{row.Theirs.Minimum:N2}",
                    $"{row.Theirs.Median:N2}",
                    $"{row.RatioOfMinima:0.00}", $"{row.RatioOfMedians:0.00}");
            table.AddRow("[bold]geometric mean[/]", "", "", "", "",
                $"[bold]{Timing.GeometricMean(group.Select(row => row.RatioOfMinima)):0.00}[/]",
                    $"{Timing.GeometricMean(group.Select(row => row.RatioOfMedians)):0.00}");
            console.Write(table);
        }
        console.WriteLine(
            $"{Hardware.Describe()}. Blocks are equal, at random offsets. "
            + "A search is one whole binary search; three of four find their key.");
        console.WriteLine("The ratio is their time divided by ours: above 1 is in our favour.");
    }
}
