using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Compare;

/// <summary>
/// Order, equality and common prefix of equal blocks. Searches are in SearchCases. Lengths and offsets are drawn anew before every timed
/// batch. "sizes" goes up to the named length from a sixth below it.
///
/// The designs of Equal up to 64 bytes on Zen 5, AVX-512 tier, ns a call (random 0–64; 17–20; 34–40; 0–64 scattered over 64 MiB):
///
///   SequenceEqual                                     7.5   1.5   1.4   22
///   two windows of 32, page test                      2.5   2.2   2.2   30
///   two windows of 32, page test, short way out       2.3   2.0   2.0   28
///   one masked load of 64, page test by xor           2.6   2.2   2.2   23
///   one masked load of 64, two comparisons (stayed)   2.5   2.1   2.1   21
///   branch at 32, then masked 32 or two windows       4.7   1.3   1.1   16
///   one masked load of 64, no page test               1.8   1.7   1.7   18
///
/// Without the page test, a block that ends less than 64 bytes before a page that is not there takes 320 ns. Mapped files have
/// such pages, so the test stayed.
/// </summary>
internal sealed class CompareCases : IRatioCases
{
    private static readonly int[] s_fixed =
        [0, 1, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 100, 128, 200, 256, 512, 1024, 4096, 16_384, 65_536, 1 << 20];

    public static IEnumerable<RatioCase> Cases()
    {
        yield return Order("compare, random, equal", "0–16", () => BlockPairs.Equal(Lengths.UpTo(16), 16));
        yield return Order("compare, random, equal", "0–64", () => BlockPairs.Equal(Lengths.UpTo(64), 64), 2, 1.1);
        yield return Order("compare, random, equal", "0–128", () => BlockPairs.Equal(Lengths.UpTo(128), 128), 1.3, 0.9);
        yield return Order("compare, random, equal", "0–256", () => BlockPairs.Equal(Lengths.UpTo(256), 256));
        yield return Order("compare, random, equal", "0–64, scattered over 64 MiB", () =>
            CasePairs.Scattered(Lengths.UpTo(64), 64, 64 << 20));
        yield return Order("compare, random, equal", "measured shape", () => BlockPairs.Equal(Lengths.Measured, Lengths.MeasuredLongest));
        yield return Order("compare, random, mixed results", "0–64", () => CasePairs.Differing(Lengths.UpTo(64), 64));
        yield return Order("compare, random, mixed results", "0–128", () => CasePairs.Differing(Lengths.UpTo(128), 128));
        yield return Order("compare, keys", "index insert, 11–13 bytes", CasePairs.IndexInsertKeys);
        yield return Order("compare, long", "256 B–16 KiB", () => BlockPairs.Equal(CasePairs.Between(256, 16_384), 16_384, 4_096));
        yield return Equality("equal, random", "0–64", () => BlockPairs.Equal(Lengths.UpTo(64), 64), 3);
        yield return Equality("equal, random", "0–128", () => BlockPairs.Equal(Lengths.UpTo(128), 128));
        yield return Equality("equal, random", "0–64, scattered over 64 MiB", () => CasePairs.Scattered(Lengths.UpTo(64), 64, 64 << 20));
        yield return Equality("equal, random", "measured shape", () => BlockPairs.Equal(Lengths.Measured, Lengths.MeasuredLongest));
        yield return new("equal, random", "0–64, spans", () => Of(BlockPairs.Equal(Lengths.UpTo(64), 64), pairs =>
            new(pairs.Count, new("Block", () => Batch.Of<BlockEqualSpans>(pairs)),
                new Contender("SequenceEqual", () => Batch.Of<BclEqual>(pairs), 3))));
        yield return Order("empty", "compare", () => BlockPairs.Equal(Lengths.Fixed(0), 0), 0.5);
        yield return Equality("empty", "equal", () => BlockPairs.Equal(Lengths.Fixed(0), 0), 0.5);
        yield return Order("empty", "compare, null", CasePairs.Null, 0.5);
        yield return Equality("empty", "equal, null", CasePairs.Null, 0.5);
        foreach (int length in Lengths.Sizes)
        {
            (double bcl, double libc) = length <= 80 ? (0.9, 0.8) : (0.95, 0.95);
            yield return Order("compare, sizes", Lengths.NameOfAround(length), () =>
                BlockPairs.Equal(Lengths.Around(length), length, BlockPairs.CallsFor(length)), bcl, libc);
            yield return Equality("equal, sizes", Lengths.NameOfAround(length), () =>
                BlockPairs.Equal(Lengths.Around(length), length, BlockPairs.CallsFor(length)), bcl, libc);
        }
        yield return new("common prefix", "1–16 KiB", () =>
        {
            BlockPairs pairs = BlockPairs.Equal(CasePairs.Between(1024, 16_384), 16_384, 4_096);
            return Of(pairs, _ => new(pairs.Count, new("Block", () => Batch.Of<BlockCommonPrefix>(pairs)),
                new Contender("CommonPrefixLength", () => Batch.Of<BclCommonPrefix>(pairs), 3)));
        });
        yield return new("common prefix", "0–64", () => Of(BlockPairs.Equal(Lengths.UpTo(64), 64), pairs =>
            new(pairs.Count, new("Block", () => Batch.Of<BlockCommonPrefix>(pairs)),
                new Contender("CommonPrefixLength", () => Batch.Of<BclCommonPrefix>(pairs)))));
        yield return Plain("0–64", () => BlockPairs.Equal(Lengths.UpTo(64), 64));
        yield return Plain("index insert, 11–13 bytes", CasePairs.IndexInsertKeys);
        foreach (bool aligned in (bool[])[true, false])
            foreach (int length in s_fixed)
                yield return new(aligned ? "compare, fixed, aligned" : "compare, fixed, odd offsets", $"{length} B", () =>
                    Of(BlockPairs.Equal(Lengths.Fixed(length), length, BlockPairs.CallsFor(length), aligned), pairs =>
                        new(pairs.Count, new("Block", () => Batch.Of<BlockCompare>(pairs)),
                            new("SequenceCompareTo", () => Batch.Of<BclCompare>(pairs)),
                                new("libc", () => Batch.Of<LibcCompare>(pairs)))));
    }

    private static RatioCase Order(string group, string name, Func<BlockPairs> prepare, double bcl = 0, double libc = 0) =>
        new(group, name, () => Of(prepare(), pairs =>
        new(pairs.Count, new("Block", () => Batch.Of<BlockCompare>(pairs)),
            new("SequenceCompareTo", () => Batch.Of<BclCompare>(pairs), bcl), new("libc", () => Batch.Of<LibcCompare>(pairs), libc))));

    private static RatioCase Equality(string group, string name, Func<BlockPairs> prepare, double bcl = 0, double libc = 0) =>
        new(group, name, () => Of(prepare(), pairs =>
        new(pairs.Count, new("Block", () => Batch.Of<BlockEqual>(pairs)),
            new("SequenceEqual", () => Batch.Of<BclEqual>(pairs), bcl), new("libc", () => Batch.Of<LibcEqual>(pairs), libc))));

    private static RatioCase Plain(string name, Func<BlockPairs> prepare) =>
        new("compare, plain variants", name, () => Of(prepare(), pairs =>
        new(pairs.Count, new("Block", () => Batch.Of<BlockCompare>(pairs)),
            new("for-loop", () => Batch.Of<CompareBytes>(pairs)), new("4-byte words", () => Batch.Of<CompareWords<uint>>(pairs)),
                new("8-byte words", () => Batch.Of<CompareWords<ulong>>(pairs)),
            new("branch table, then words", () => Batch.Of<CompareTableBeforeWords>(pairs)),
                new("words, then branch table", () => Batch.Of<CompareTableAfterWords>(pairs)))));

    private static Contest Of(BlockPairs pairs, Func<BlockPairs, Contest> contest) =>
        contest(pairs) with { Redraw = pairs.Redraw, Close = pairs.Dispose };
}
