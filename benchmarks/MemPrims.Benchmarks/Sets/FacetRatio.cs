using MemPrims.Benchmarks.Ratio;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>100 facets over a result of a share of a million documents, against a dictionary count per hit and against one call of CRoaring per facet.</summary>
public sealed class FacetRatio : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((double share, double overDictionary) in new[] { (0.01, 4.0), (0.1, 5), (1, 1000) })
            yield return Case("FacetIndex", $"100 facets, {share:P0} of 1 M", share, false, work => work.ByIndex, overDictionary, 5);
        foreach (double share in new[] { 0.5, 0.9 })
            yield return Case("FacetIndex", $"100 facets, {share:P0} of 1 M", share, false, work => work.ByIndex, 1, 1);
        foreach (double share in new[] { 0.01, 0.1, 1 })
        {
            yield return Case("FacetIndex", $"100 facets, two values each, {share:P0} of 1 M", share, true, work => work.ByIndex, 1, 1);
            yield return Case("Facets.Count", $"100 facets, {share:P0} of 1 M", share, false, work => work.ByFacets, 0, 1);
        }
    }

    private static RatioCase Case(string contender, string name, double share, bool two, Func<FacetWork, Func<long>> ours, double overDictionary, double overC) =>
        new("Sets/facets", $"{contender}, {name}", () =>
        {
            FacetWork work = new(share, two);
            Contender dictionary = new("dictionary per hit", Repeated(work.ByDictionary), overDictionary);
            return new(Repeats, new(contender, Repeated(ours(work))), CRoaring.IsAvailable ? [dictionary, new("CRoaring per facet", Repeated(work.ByCRoaring), overC)] : [dictionary]);
        });

    // The caches that the other contenders have filled are won back.
    private static Func<long> Repeated(Func<long> count) => () =>
    {
        long sum = 0;
        for (int i = 0; i < Repeats; i++) sum += count();
        return sum;
    };

    private const int Repeats = 8;

    /// <summary>Opening a set where its bytes lie: the same few hundred nanoseconds for every number of ids. The peer reads and checks it all.</summary>
    public sealed class Frozen : IRatioCases
    {
        public static IEnumerable<RatioCase> Cases()
        {
            foreach (int count in new[] { 100_000, 1_000_000, 10_000_000 })
                yield return new("Sets/open frozen", $"{count:N0} ids in 100 M", () =>
                {
                    byte[] bytes = IdSet.From([.. Enumerable.Range(0, count).Select(i => (uint)(i * 2654435761L % 100_000_000))]).ToByteArray();
                    return new(100, new("OpenFrozen", () => Repeat(() => IdSet.OpenFrozen(bytes))), new Contender("Deserialize", () => 100 * Repeat(() => IdSet.Deserialize(bytes), 1)));
                });
        }

        private static long Repeat(Func<IdSet> open, int times = 100)
        {
            long sum = 0;
            for (int i = 0; i < times; i++) sum += open().Contains(5) ? 1 : 2;
            return sum;
        }
    }
}
