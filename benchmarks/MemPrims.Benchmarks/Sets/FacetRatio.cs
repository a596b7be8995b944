using System.Text;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// FacetField against what people write by hand: <c>counts[valueOf[hit]]++</c> over an array of hits. Both get the same array; "as set" is
/// our count of the same hits as an IdSet, which the hand-written loop would have to decode. Many queries of one size are asked in an
/// order that is drawn anew for every batch.
/// </summary>
public sealed class FacetRatio : IRatioCases
{
    private const int M = FacetDocuments.Count;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int values in (int[])[100, 1000])
            foreach (bool skewed in (bool[])[false, true])
                foreach (int each in (int[])[1, 3])
                {
                    string field = $"{values:N0} values, {(skewed ? "skewed" : "even")}, {(each == 1 ? "one" : "three")} each";
                    foreach ((string name, int hits, int queries, double atLeast) in new[]
                    {
                        ("10 hits", 10, 256, 0.95), ("100 hits", 100, 256, 0.95), ("1,000 hits", 1000, 64, 0.95),
                        ("1 %", M / 100, 64, 1.5), ("10 %", M / 10, 16, 1.5), ("100 %", M, 2, 100),
                    })
                    {
                        yield return new("Sets/facet field", $"{field}, {name}",
                            () => Count(values, skewed, each, hits, queries, atLeast, false));
                        yield return new("Sets/facet field, as set", $"{field}, {name}",
                            () => Count(values, skewed, each, hits, queries, atLeast, true));
                    }
                    if (each == 1) yield return new("Sets/facet field, changes", field, () => Change(values, skewed));
                }
        foreach (int values in (int[])[2, 8])
            yield return new("Sets/facet field, few values", $"{values} values, even, one each, 10 %",
                () => Count(values, false, 1, M / 10, 16, 1.5, asSet: true));
    }

    private static Contest Count(int values, bool skewed, int each, int hits, int queries, double atLeast, bool asSet)
    {
        FacetDocuments documents = FacetDocuments.Of(values, skewed, each);
        uint[][] ids = [.. Enumerable.Range(0, queries).Select(seed => Hits(hits, seed))];
        IdSet[] sets = asSet ? [.. ids.Select(some => IdSet.FromSorted(some))] : [];
        int[] order = [.. Enumerable.Range(0, queries)], byHand = new int[values], counts = new int[values];
        Random random = new(8);
        // All hits are a set: nobody lists them.
        asSet |= hits == M;
        if (sets.Length == 0 && asSet) sets = [.. ids.Select(some => IdSet.FromSorted(some))];
        return new(queries, new("FacetField", asSet ? BySet : ByHits), new Contender("int[] by hand", ByHand, atLeast))
        {
            Redraw = () => random.Shuffle(order),
        };

        long ByHits()
        {
            long sum = 0;
            foreach (int query in order)
            {
                documents.Field.Count(ids[query], counts);
                sum += counts[1];
            }
            return sum;
        }

        long BySet()
        {
            long sum = 0;
            foreach (int query in order)
            {
                documents.Field.Count(sets[query], counts);
                sum += counts[1];
            }
            return sum;
        }

        long ByHand()
        {
            long sum = 0;
            foreach (int query in order)
            {
                CountByHand(documents.ValueOf, each, ids[query], byHand);
                sum += byHand[1];
            }
            return sum;
        }
    }

    // A thousand documents get another value by its name, then a count of 1 %. By hand a dictionary knows the names, and the array is
    // changed in place.
    private static Contest Change(int values, bool skewed)
    {
        FacetDocuments documents = FacetDocuments.Of(values, skewed, 1);
        uint[] hits = Hits(M / 100, 3), changed = new uint[1000];
        HashSet<uint> everChanged = [];
        Random random = new(9);
        byte[][] names = [.. Enumerable.Range(0, values).Select(value => Encoding.UTF8.GetBytes($"value {value}"))];
        Dictionary<string, int> ordinals = Enumerable.Range(0, values).ToDictionary(value => $"value {value}");
        string[] texts = [.. ordinals.Keys];
        int[] counts = new int[values], byHand = new int[values], valueOf = [.. documents.ValueOf];
        int round = 0;
        return new(1, new("FacetField", Ours), new Contender("changed by hand", ByHand, 0.1))
        {
            Redraw = () =>
            {
                foreach (ref uint id in changed.AsSpan()) everChanged.Add(id = (uint)random.Next(M));
            },
            // What the case leaves behind is the field as it was.
            Close = () =>
            {
                foreach (uint id in everChanged) documents.Field.Set(id, names[documents.ValueOf[id]]);
            },
        };

        long Ours()
        {
            round++;
            foreach (uint id in changed) documents.Field.Set(id, names[(id + round) % values]);
            documents.Field.Count(hits, counts);
            return counts[1];
        }

        long ByHand()
        {
            round++;
            foreach (uint id in changed) valueOf[id] = ordinals[texts[(id + round) % values]];
            CountByHand(valueOf, 1, hits, byHand);
            return byHand[1];
        }
    }

    internal static void CountByHand(int[] valueOf, int each, uint[] hits, int[] counts)
    {
        Array.Clear(counts);
        if (each == 1)
        {
            foreach (uint hit in hits) counts[valueOf[hit]]++;
            return;
        }
        foreach (uint hit in hits)
            for (int n = 0; n < 3; n++) counts[valueOf[hit * 3 + n]]++;
    }

    private static uint[] Hits(int hits, int seed)
    {
        if (hits == M) return IdSamples.Range(0, M);
        if (hits < M / 100) return IdSamples.Uniform(hits, M, seed);
        Random random = new(seed);
        return [.. Enumerable.Range(0, M).Where(_ => random.Next(M) < hits).Select(id => (uint)id)];
    }
}
