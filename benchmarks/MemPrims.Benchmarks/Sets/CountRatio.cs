using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Counting intersections against a prebuilt HashSet, probed with the smaller side, and against CRoaring.
/// <para>
/// Tried and left, 100 k × 100 k sorted ids in 1 M, alone on the machine: one id at a time 520 µs. Over 16 different sets, so that no
/// branch is known by heart: 16 × 8 by minimum of exclusive-or 88 µs, 16 × 16 62 µs, two halves of 16 × 16 57 µs, four quarters
/// of 16 × 8 65 µs, two halves of 16 × 8 with indices and a population count for each meeting 38 µs; the same with references and
/// the count kept in a vector, the one kept, 34 µs; 256 bits 8 × 8 93 µs. (With one set, whose branches are learned, a branching 16
/// × 8 takes 26 µs: a figure of no use. Nor is one of clustered ids over 4 sets: HashSet's branches are learned then, and it takes
/// half the time.) 1 k × 1 M: brackets of 16 ids searched one after the other 52–83 µs, step by step together 19 µs. Runs against
/// runs, 1 M × 300 k in 2 M, clustered: 256 bits in lanes of 32, taken apart at every meeting, 17 µs; taken apart once, in lanes of
/// 16, 9 µs. One id in a short array, 1 × 1000: a binary search 71 ns, seven places at a time 40 ns, a window where the id should be
/// 24–44 ns. Sets of containers that are objects of their own: 10 × 10 in 10 M 240 ns, in one image 125–203 ns. Few keys in many
/// containers, 1 k × 100 k in 4 G: a binary search for each 356 µs, a window where the key should be 40–155 µs. On Zen 4 that
/// window takes 13 µs, and a gallop from the last key 35: the gallop stays, as real data does not tell the two apart. Of 1 k × 1 k in
/// 4 G, sixteen keys meet eight in 2.0 µs, and key by key it takes 7.1; counts of census1881 take 46 and 55 ns.
/// </para>
/// </summary>
public sealed class CountRatio : IRatioCases
{
    private const int M = 1_000_000;

    private delegate uint[] Sample(int count, long universe, int seed);

    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((string how, Sample sample) in new (string, Sample)[]
            { ("uniform", IdSamples.Uniform), ("clustered", IdSamples.Clustered) })
        {
            // Bitmaps have nothing to learn by heart; pairs of runs do, and arrays: on Zen 5 CRoaring takes 20 µs for one and the same
            // pair of 100 k × 100 k in 10 M, 70 for 16 and 104 for 64 in turn. Sets of 1000 in turn: 1.1, 3.1 and 3.7 µs.
            int pairs = how == "uniform" ? 1 : 16;
            yield return Arrays($"100 k × 100 k in 1 M, {how}", () => Of(sample, 16, 2, 100_000, 100_000, M), 16);
            yield return Arrays($"100 k × 100 k in 10 M, {how}", () => Of(sample, 16, 2, 100_000, 100_000, 10 * M), 1);
            yield return Sets($"100 k × 100 k in 1 M, {how}", () => Of(sample, pairs, 16 / pairs, 100_000, 100_000, M), 150, 3);
            yield return Sets($"100 k × 100 k in 10 M, {how}", () => Of(sample, 64, 1, 100_000, 100_000, 10 * M), 1, 1);
            yield return Sets($"1 M × 300 k in 2 M, {how}", () => Of(sample, pairs, 16 / pairs, 300_000, M, 2 * M), 600, 3);
            yield return Sets($"1 k × 100 k in 1 M, {how}", () => Of(sample, 256, 1, 1000, 100_000, M), 2.2, 1.1);
            yield return Sets($"1 k × 100 k in 10 M, {how}", () => Of(sample, 256, 1, 1000, 100_000, 10 * M), 2.2, 1.1);
            yield return Sets($"1 k × 1 M in 10 M, {how}", () => Of(sample, 256, 1, 1000, M, 10 * M), 2.2, 1.1);
        }
        yield return Linear("1 k × 1 M in 10 M, uniform", () => Of(IdSamples.Uniform, 40, 1, 1000, M, 10 * M), 20);
        foreach (int many in new[] { 4_000, 16_000, 64_000 })
            yield return Linear($"uneven, 1 k × {many / 1000} k", () => Of(IdSamples.Uniform, 40, 1, 1000, many, many * 10), 1);
    }

    /// <summary>Several sets of the one size, each with one and the same of the other.</summary>
    private static CountWork Of(Sample sample, int pairs, int repeat, int few, int many, long universe)
    {
        uint[] other = sample(many, universe, 1);
        return new(pairs, repeat, i => sample(few, universe, i + 2), _ => other);
    }

    private static RatioCase Sets(string name, Func<CountWork> make, double overHash, double overC) => new("Sets/IdSet count", name, () =>
    {
        CountWork work = make();
        List<Contender> peers = [new("HashSet", work.ByHashSet, overHash)];
        if (CRoaring.IsAvailable) peers.Add(new("CRoaring", work.ByCRoaring, overC));
        // Of clustered ids both forms. Without runs they are bitmaps, faster to combine than short runs, or arrays, which are slower.
        if (CRoaring.IsAvailable && name.EndsWith("clustered", StringComparison.Ordinal))
            peers.Add(new("CRoaring without runs", work.ByCRoaringWithoutRuns, 1));
        return new(work.Counts, new("IdSet", work.ByIdSet), [.. peers]);
    });

    private static RatioCase Arrays(string name, Func<CountWork> make, double overHash) => new("Sets/SortedIds count", name, () =>
    {
        CountWork work = make();
        return new(work.Counts, new("SortedIds", work.BySortedIds), new Contender("HashSet", work.ByHashSet, overHash));
    });

    private static RatioCase Linear(string name, Func<CountWork> make, double overMerge) => new("Sets/SortedIds count", name, () =>
    {
        CountWork work = make();
        return new(work.Counts, new("SortedIds", work.BySortedIds), new Contender("linear merge", work.ByLinearMerge, overMerge));
    });

    /// <summary>The shapes where something simpler could win: nothing may.</summary>
    public sealed class Shapes : IRatioCases
    {
        public static IEnumerable<RatioCase> Cases()
        {
            yield return Shape("10 × 10 in 100, 4096 pairs", () =>
                new(4096, 4, i => IdSamples.Uniform(10, 100, i), i => IdSamples.Uniform(10, 100, i + 5000)));
            yield return Shape("10 × 10 in 10 M, 4096 pairs", () =>
                new(4096, 4, i => IdSamples.Uniform(10, 10 * M, i), i => IdSamples.Uniform(10, 10 * M, i + 5000)));
            yield return Shape("1 × 1000 in 60 k, 512 pairs", () =>
                new(512, 4, i => IdSamples.Uniform(1, 60_000, i), i => IdSamples.Uniform(1000, 60_000, i + 5000)));
            yield return Shape("1 × 100 k in 10 M, 64 pairs", () =>
                new(64, 4, i => IdSamples.Uniform(1, 10 * M, i), i => IdSamples.Uniform(100_000, 10 * M, i + 5000)));
            yield return Shape("100 × 4000 in 60 k, 64 pairs", () =>
                new(64, 4, i => IdSamples.Uniform(100, 60_000, i), i => IdSamples.Uniform(4000, 60_000, i + 5000)));
            yield return Shape("1 k × 1 k in 4 G", () =>
                new(16, 2, i => IdSamples.Uniform(1000, 1L << 32, i + 10), _ => IdSamples.Uniform(1000, 1L << 32, 2)));
            yield return Shape("1 k × 100 k in 4 G", () =>
                new(16, 2, i => IdSamples.Uniform(1000, 1L << 32, i + 10), _ => IdSamples.Uniform(100_000, 1L << 32, 2)));
            yield return Shape("100 k × 100 k in 4 G", () =>
                new(16, 2, i => IdSamples.Uniform(100_000, 1L << 32, i + 10), _ => IdSamples.Uniform(100_000, 1L << 32, 2)));
            yield return Shape("runs × array, 30 k × 30 k in 1 M", () =>
                new(16, 2, i => IdSamples.Clustered(30_000, M, i + 10), _ => IdSamples.Uniform(30_000, M, 2)));
            yield return Shape("runs × bitmap, 30 k × 300 k in 1 M", () =>
                new(16, 2, i => IdSamples.Clustered(30_000, M, i + 10), _ => IdSamples.Uniform(300_000, M, 2)));
            yield return Shape("one run × array, 300 k × 30 k in 1 M", () =>
                new(1, 64, i => IdSamples.Range(200_000, 300_000), _ => IdSamples.Uniform(30_000, M, 2)));
            yield return Shape("one run × bitmap, 300 k × 300 k in 1 M", () =>
                new(1, 64, i => IdSamples.Range(200_000, 300_000), _ => IdSamples.Uniform(300_000, M, 2)));
            yield return Shape("one short run × runs, 64 pairs", () =>
                new(64, 4, i => IdSamples.Range((uint)i * 900, 6), i => IdSamples.Clustered(30_000, 60_000, i + 5000)));
            yield return Shape("no id shared, 100 k × 100 k", () =>
                new(1, 64, i => IdSamples.Range(0, 100_000), _ => IdSamples.Range(100_000, 100_000)));
        }

        private static RatioCase Shape(string name, Func<CountWork> make) => new("Sets/shapes", name, Sets("", make, 1, 1).Prepare);
    }
}
