using MemPrims.Benchmarks.Ratio;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// FacetIndex against what people write by hand: an array of counts by ordinal, over the array of hits, with the ordinals of a million
/// documents in an array of int or of byte. Many queries of one size, asked in an order that is drawn anew for every batch. The
/// hand-written count has its hits ready as an array.
/// </summary>
public sealed class FacetArrayRatio : IRatioCases
{
    private const int M = FacetDocuments.Count, Values = 100;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((string name, int hits, int queries, double atLeast) in new[]
        {
            ("10 documents", 10, 256, 0.2), ("100 documents", 100, 256, 0.6), ("1 %", M / 100, 64, 1.5), ("10 %", M / 10, 16, 2),
                ("100 %", M, 2, 100),
        })
            foreach (Spread spread in new[] { Spread.Uniform, Spread.Zipf })
                yield return new("Sets/facets by array", $"100 facets, {spread}, {name}", () => Prepare(hits, queries, spread, atLeast));
    }

    private static Contest Prepare(int hits, int queries, Spread spread, double atLeast)
    {
        FacetDocuments documents = FacetDocuments.Of(Values, spread);
        uint[][] ids = [.. Enumerable.Range(0, queries).Select(seed => Hits(hits, seed))];
        IdSet[] sets = [.. ids.Select(some => IdSet.FromSorted(some))];
        int[] ordinals = documents.ValueOf[0], order = [.. Enumerable.Range(0, queries)], byOrdinal = new int[Values];
        byte[] narrow = [.. ordinals.Select(ordinal => (byte)ordinal)];
        long[] counts = new long[Values];
        Random random = new(8);
        return new(queries, new("FacetIndex", ByIndex), new Contender("int[] by int", ByInt, atLeast),
            new Contender("int[] by byte", ByByte, atLeast))
        {
            Redraw = () => random.Shuffle(order),
        };

        long ByIndex()
        {
            long sum = 0;
            foreach (int query in order)
            {
                documents.Index.Count(sets[query], counts);
                sum += counts[7];
            }
            return sum;
        }

        long ByInt()
        {
            long sum = 0;
            foreach (int query in order)
            {
                Array.Clear(byOrdinal);
                foreach (uint document in ids[query]) byOrdinal[ordinals[document]]++;
                sum += byOrdinal[7];
            }
            return sum;
        }

        long ByByte()
        {
            long sum = 0;
            foreach (int query in order)
            {
                Array.Clear(byOrdinal);
                foreach (uint document in ids[query]) byOrdinal[narrow[document]]++;
                sum += byOrdinal[7];
            }
            return sum;
        }
    }

    private static uint[] Hits(int hits, int seed)
    {
        if (hits == M) return IdSamples.Range(0, M);
        if (hits < M / 100) return IdSamples.Uniform(hits, M, seed);
        Random random = new(seed);
        return [.. Enumerable.Range(0, M).Where(_ => random.Next(M) < hits).Select(id => (uint)id)];
    }
}
