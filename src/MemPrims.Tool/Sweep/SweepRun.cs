namespace MemPrims.Tool.Sweep;

// What one operation took, beside the BCL's own; a ratio above 1 is in our favour. `Length`: the longest block, null where they vary.
internal sealed record SweepResult(string Operation, string Case, string Peer, int? Length, Timing Ours, Timing Theirs)
{
    public double RatioOfMinima => Theirs.Minimum / Ours.Minimum;

    public double RatioOfMedians => Theirs.Median / Ours.Median;
}

// The cases of the README, each interleaved with the routine of the BCL that it replaces. Searches come first, for that is what order is
// for; then random lengths, then sizes. Keys, lengths and offsets are drawn anew before every timed batch.
// only: a part of an operation's or a case's name; null for all.
// seconds: how long a case is measured. 0.12 makes a minute of all.
// begins: is told what is measured next.
internal sealed class SweepRun(string? only, double seconds, Action<string> begins)
{
    private const string SearchOperation = "Compare in a binary search";

    private static readonly (string Name, string Peer, Func<BlockPairs, long> Ours, Func<BlockPairs, long> Theirs)[] s_operations =
    [
        ("Compare", "SequenceCompareTo", Batch.Of<BlockCompare>, Batch.Of<BclCompare>),
        ("Equal", "SequenceEqual", Batch.Of<BlockEqual>, Batch.Of<BclEqual>),
        ("Copy", "Buffer.MemoryCopy", Batch.Of<BlockCopy>, Batch.Of<BufferMemoryCopy>),
    ];

    private readonly TimeSpan _budget = TimeSpan.FromSeconds(seconds);

    public IEnumerable<SweepResult> Results() => Searches().Concat(Blocks());

    private bool IsWanted(string operation, string name) =>
        only is null || $"{operation} {name}".Contains(only, StringComparison.OrdinalIgnoreCase);

    private IEnumerable<SweepResult> Searches()
    {
        bool isWarm = false;
        foreach (int keys in (int[])[100, 1_000, 20_000])
            foreach (KeyShape shape in KeyShapes.All)
            {
                string name = $"{KeyShapes.Name(shape)}, {keys:N0} keys";
                if (!IsWanted(SearchOperation, name)) continue;
                if (!isWarm) WarmSearches();
                isWarm = true;
                begins($"searches, {name}");
                using KeySearchWork search = new(shape, keys);
                Timing[] timings =
                    InterleavedRounds.Measure(search.Count, _budget, search.Redraw, search.Run<BlockSpanOrder>, search.Run<BclKeyOrder>);
                yield return new(SearchOperation, name, "SequenceCompareTo", null, timings[0], timings[1]);
            }
    }

    private static void WarmSearches()
    {
        using KeySearchWork warm = new(KeyShape.Random8To60, 1_000);
        InterleavedRounds.Warm(warm.Redraw, warm.Run<BlockSpanOrder>, warm.Run<BclKeyOrder>);
    }

    private IEnumerable<SweepResult> Blocks()
    {
        bool isWarm = false;
        foreach ((string blocks, int? length, Func<BlockPairs> prepare) in Shapes())
        {
            var wanted = s_operations.Where(operation => IsWanted(operation.Name, blocks)).ToArray();
            if (wanted.Length == 0) continue;
            if (!isWarm) WarmBlocks();
            isWarm = true;
            begins($"blocks, {blocks}");
            using BlockPairs pairs = prepare();
            foreach ((string name, string peer, Func<BlockPairs, long> ours, Func<BlockPairs, long> theirs) in wanted)
            {
                Timing[] timings = InterleavedRounds.Measure(pairs.Count, _budget, pairs.Redraw, () => ours(pairs), () => theirs(pairs));
                yield return new(name, blocks, peer, length, timings[0], timings[1]);
            }
        }
    }

    // Over the shape that programs have, not each of the sweep: what is compiled is then alike for all, as in a program.
    private static void WarmBlocks()
    {
        using BlockPairs pairs = BlockPairs.Equal(Lengths.Measured, Lengths.MeasuredLongest);
        InterleavedRounds.Warm(pairs.Redraw,
            [.. s_operations.SelectMany(operation => (Func<long>[])[() => operation.Ours(pairs), () => operation.Theirs(pairs)])]);
    }

    private static IEnumerable<(string Blocks, int? Length, Func<BlockPairs> Prepare)> Shapes()
    {
        foreach (int longest in (int[])[16, 64, 128, 256])
            yield return ($"random 0–{longest} B", null, () => BlockPairs.Equal(Lengths.UpTo(longest), longest));
        yield return ("0 B", 0, () => BlockPairs.Equal(Lengths.Fixed(0), 0));
        foreach (int length in Lengths.Sizes)
            yield return (Lengths.NameOfAround(length), length, () =>
                BlockPairs.Equal(Lengths.Around(length), length, BlockPairs.CallsFor(length)));
        foreach (int bytes in (int[])[16 << 10, 64 << 10, 1 << 20, 16 << 20])
            yield return (bytes < 1 << 20 ? $"{bytes >> 10} KiB" : $"{bytes >> 20} MiB", bytes, () =>
                BlockPairs.Equal(Lengths.Fixed(bytes), bytes, BlockPairs.CallsFor(bytes)));
    }
}
