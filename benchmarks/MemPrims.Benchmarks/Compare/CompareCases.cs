using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Compare;

/// <summary>
/// Order, equality and common prefix. The variants for short blocks on the machine of results/, at 3.9 GHz (ns a call, equal blocks at random offsets);
/// the first two of them stayed, and ShortBlocks chooses:
///
///                                              0–64   0–128   keys that differ
///   four masked windows of 32, first decides   1.88    1.86    1.19
///   two masked windows of 32, branch at 64     1.34    5.03    1.56   the branch costs 6 ns when it is mispredicted
///   four masked windows of 32, all at once     1.84    1.82    1.88
///   one masked window of 64, branch at 64      1.57    5.7     1.72
///   two masked windows of 64                   2.4     2.4     3.0    nearly every load crosses a cache line
///   two of 32 and one of 64                    2.18    2.18    2.13
///   BCL                                        9.4     9.2     2.2
/// </summary>
internal sealed class CompareCases : IRatioCases
{
    private static readonly int[] s_fixed = [0, 1, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 100, 128, 200, 256, 512, 1024, 4096, 16_384, 65_536, 1 << 20];

    public static IEnumerable<RatioCase> Cases()
    {
        yield return Order("compare, random, equal", "0–16", () => BlockPairs.Equal(Lengths.UpTo(16), 16));
        yield return Order("compare, random, equal", "0–64", () => BlockPairs.Equal(Lengths.UpTo(64), 64), 5.5, 2.3);
        yield return Order("compare, random, equal", "0–128", () => BlockPairs.Equal(Lengths.UpTo(128), 128), 3, 2);
        yield return Order("compare, random, equal", "0–256", () => BlockPairs.Equal(Lengths.UpTo(256), 256));
        yield return Order("compare, random, equal", "measured shape", () => BlockPairs.Equal(Lengths.Measured, Lengths.MeasuredLongest));
        yield return Order("compare, random, mixed results", "0–64", () => BlockPairs.Differing(Lengths.UpTo(64), 64));
        yield return Order("compare, random, mixed results", "0–128", () => BlockPairs.Differing(Lengths.UpTo(128), 128));
        yield return Order("compare, keys", "index insert, 11–13 bytes", BlockPairs.IndexInsertKeys, 1.8, 1.2);
        yield return Order("compare, long", "256 B–16 KiB", () => BlockPairs.Equal(Lengths.Between(256, 16_384), 16_384, 4_096), 1.4);
        yield return Equality("0–64", () => BlockPairs.Equal(Lengths.UpTo(64), 64), 3);
        yield return Equality("0–128", () => BlockPairs.Equal(Lengths.UpTo(128), 128));
        yield return Equality("measured shape", () => BlockPairs.Equal(Lengths.Measured, Lengths.MeasuredLongest));
        yield return new("common prefix", "1–16 KiB", () =>
        {
            BlockPairs pairs = BlockPairs.Equal(Lengths.Between(1024, 16_384), 16_384, 4_096);
            return new(pairs.Count, new("Block", () => Batch.Of<BlockCommonPrefix>(pairs)), new Contender("CommonPrefixLength", () => Batch.Of<BclCommonPrefix>(pairs), 3));
        });
        yield return Plain("0–64", () => BlockPairs.Equal(Lengths.UpTo(64), 64));
        yield return Plain("index insert, 11–13 bytes", BlockPairs.IndexInsertKeys);
        foreach (bool aligned in (bool[])[true, false])
            foreach (int length in s_fixed)
                yield return new(aligned ? "compare, fixed, aligned" : "compare, fixed, odd offsets", $"{length} B", () =>
                {
                    BlockPairs pairs = BlockPairs.Equal(Lengths.Fixed(length), length, BlockPairs.CallsFor(length), aligned);
                    return new(pairs.Count, new("Block", () => Batch.Of<BlockCompare>(pairs)),
                        new("SequenceCompareTo", () => Batch.Of<BclCompare>(pairs), 0.95), new("libc", () => Batch.Of<LibcCompare>(pairs), 0.95));
                });
    }

    private static RatioCase Order(string group, string name, Func<BlockPairs> prepare, double bcl = 0, double libc = 0) => new(group, name, () =>
    {
        BlockPairs pairs = prepare();
        return new(pairs.Count, new("Block", () => Batch.Of<BlockCompare>(pairs)),
            new("SequenceCompareTo", () => Batch.Of<BclCompare>(pairs), bcl), new("libc", () => Batch.Of<LibcCompare>(pairs), libc));
    });

    private static RatioCase Equality(string name, Func<BlockPairs> prepare, double bcl = 0) => new("equal, random", name, () =>
    {
        BlockPairs pairs = prepare();
        return new(pairs.Count, new("Block", () => Batch.Of<BlockEqual>(pairs)),
            new("SequenceEqual", () => Batch.Of<BclEqual>(pairs), bcl), new("libc", () => Batch.Of<LibcEqual>(pairs)));
    });

    private static RatioCase Plain(string name, Func<BlockPairs> prepare) => new("compare, plain variants", name, () =>
    {
        BlockPairs pairs = prepare();
        return new(pairs.Count, new("Block", () => Batch.Of<BlockCompare>(pairs)),
            new("for-loop", () => Batch.Of<CompareBytes>(pairs)), new("4-byte words", () => Batch.Of<CompareWords<uint>>(pairs)), new("8-byte words", () => Batch.Of<CompareWords<ulong>>(pairs)),
            new("branch table, then words", () => Batch.Of<CompareTableBeforeWords>(pairs)), new("words, then branch table", () => Batch.Of<CompareTableAfterWords>(pairs)));
    });
}
