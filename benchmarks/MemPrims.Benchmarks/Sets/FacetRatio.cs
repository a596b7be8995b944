using MemPrims.Benchmarks.Ratio;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Facets over a result of a million documents, against a dictionary count per hit and against one call of CRoaring per facet.
/// <para>
/// Tried and left, 10 % of 1 M, 100 facets, alone on the machine: seven planes of bits and-ed for each facet 337 µs; pairs of ordinals
/// counted in one table 39–47 µs (100–160 when cold); eight tables 38–50; a word of eight ordinals taken apart by shifts 47–56; ordinals
/// loaded byte by byte before they are counted in four tables, the one kept, 38–47 µs. 1 %: every ordinal loaded just before it is
/// counted 9–12 µs, eight together 5–8.
/// </para>
/// </summary>
public sealed class FacetRatio : IRatioCases
{
    private const int M = FacetDocuments.Count, Repeats = 8;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((double share, double overDictionary) in new[] { (0.01, 4.0), (0.1, 5), (1, 1000) })
            yield return Case("FacetIndex, 100 facets", share, each: 1, work => work.ByIndex, overDictionary, 5);
        foreach (double share in new[] { 0.01, 0.1, 1 })
        {
            yield return Case("FacetIndex, 100 facets, two values each", share, each: 2, work => work.ByIndex, 1, 1);
            yield return Case("Facets.Count, 100 facets", share, each: 1, work => work.ByFacets, 1, 1);
        }
    }

    private static RatioCase Case(
        string name, double share, int each, Func<FacetWork, Func<long>> ours, double overDictionary, double overC) =>
        new("Sets/facets", $"{name}, {share:P0} of 1 M", () =>
            Contest(new(FacetDocuments.Of(100, each: each), Repeats, Hits(share)), ours, overDictionary, overC));

    private static Contest Contest(FacetWork work, Func<FacetWork, Func<long>> ours, double overDictionary, double overC)
    {
        Contender dictionary = new("dictionary per hit", work.ByDictionary, overDictionary);
        return new(work.Counts, new("MemPrims", ours(work)), CRoaring.IsAvailable
            ? [dictionary, new("CRoaring per facet", work.ByCRoaring, overC)] : [dictionary]);
    }

    private static uint[] Hits(double share, int seed = 7) =>
        share == 1 ? IdSamples.Range(0, M) : IdSamples.Uniform((int)(share * M), M, seed);

    /// <summary>
    /// The shapes where something simpler could win: nothing may. Where a query has a few hits, many queries are asked, so that no branch
    /// is learned by heart.
    /// </summary>
    public sealed class Shapes : IRatioCases
    {
        public static IEnumerable<RatioCase> Cases()
        {
            yield return Shape("100 facets, no hits", () => new(FacetDocuments.Of(100), 256, [[]]));
            foreach (int few in new[] { 10, 100, 1000 }) yield return Shape(
                $"100 facets, {few} hits", () => new(FacetDocuments.Of(100), Repeats, Few(few)));
            foreach (double share in new[] { 0.25, 0.5, 0.9, 0.99 }) yield return Shape(
                $"100 facets, {share:P0}", () => new(FacetDocuments.Of(100), Repeats, Hits(share)));
            yield return Shape("100 facets, one run of 300 k", () =>
                new(FacetDocuments.Of(100), Repeats, IdSamples.Range(250_000, 300_000)));
            yield return Shape("100 facets, 100 k clustered hits", () =>
                new(FacetDocuments.Of(100), Repeats, IdSamples.Clustered(100_000, M, 5)));
            yield return Shape("100 facets, 2000 hits in one place", () =>
                new(FacetDocuments.Of(100), Repeats, [.. Enumerable.Range(0, 16).Select(i => IdSamples.Uniform(2000, 20_000, i))]));
            yield return Shape("10 facets, 10 hits", () => new(FacetDocuments.Of(10), Repeats, Few(10)));
            yield return Shape("10 facets, 30 %", () => new(FacetDocuments.Of(10), Repeats, Hits(0.3)));
            yield return Shape("1000 facets, 1 %", () => new(FacetDocuments.Of(1000), Repeats, Hits(0.01)));
            yield return Shape("10,000 facets by Zipf, 10 hits", () => new(FacetDocuments.Of(10_000, Spread.Zipf), Repeats, Few(10)));
            yield return Shape("10,000 facets by Zipf, 30 %", () => new(FacetDocuments.Of(10_000, Spread.Zipf), 1, Hits(0.3)));
            yield return Shape("100 facets by import, 1 %", () => new(FacetDocuments.Of(100, Spread.Imports), Repeats, Hits(0.01)));
            yield return Shape("100 facets of one document in 20, 10 hits", () =>
                new(FacetDocuments.Of(100, Spread.Rare), Repeats, Few(10)));
            yield return Shape("100 facets of one document in 20, 1 %", () =>
                new(FacetDocuments.Of(100, Spread.Rare), Repeats, Hits(0.01)));
            yield return Shape("100 facets of one document in 20, 30 %", () =>
                new(FacetDocuments.Of(100, Spread.Rare), Repeats, Hits(0.3)));
        }

        private static RatioCase Shape(string name, Func<FacetWork> make) =>
            new("Sets/facet shapes", $"FacetIndex, {name}", () => Contest(make(), work => work.ByIndex, 1, 1));

        private static uint[][] Few(int hits) => [.. Enumerable.Range(0, 32).Select(i => IdSamples.Uniform(hits, M, i))];
    }

    /// <summary>
    /// Opening a set where its bytes lie: three to four microseconds for 1,526 containers, however many ids. The peer reads and checks it
    /// all.
    /// </summary>
    public sealed class Frozen : IRatioCases
    {
        public static IEnumerable<RatioCase> Cases()
        {
            foreach (int count in new[] { 100_000, 1_000_000, 10_000_000 })
                yield return new("Sets/open frozen", $"{count:N0} ids in 100 M", () =>
                {
                    byte[] bytes = IdSet.From(
                        [.. Enumerable.Range(0, count).Select(i => (uint)(i * 2654435761L % 100_000_000))]).ToByteArray();
                    return new(Opens, new("OpenFrozen", () => Repeat(() => IdSet.OpenFrozen(bytes))),
                        new Contender("Deserialize", () => Repeat(() => IdSet.Deserialize(bytes))));
                });
        }

        private const int Opens = 20;

        private static long Repeat(Func<IdSet> open)
        {
            long sum = 0;
            for (int i = 0; i < Opens; i++) sum += open().Contains(5) ? 1 : 2;
            return sum;
        }
    }
}
