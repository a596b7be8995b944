using System.Runtime.InteropServices;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>How the values lie over the documents.</summary>
internal enum Spread
{
    Uniform,

    /// <summary>The value of rank n is as frequent as 1 / n.</summary>
    Zipf,

    /// <summary>Documents of one import have one value: stretches of up to 2000.</summary>
    Imports,

    /// <summary>One document in twenty has a value.</summary>
    Rare,
}

/// <summary>
/// A million documents with so many values each: as facets, as an index of them, and as an array from document to value, which is what a
/// dictionary counts by.
/// </summary>
internal sealed class FacetDocuments
{
    public const int Count = 1_000_000;
    private const int None = -1;

    private static readonly Dictionary<(int, Spread, int), WeakReference<FacetDocuments>> s_made = [];

    private FacetDocuments(int values, Spread spread, int each)
    {
        Values = values;
        ValueOf = [.. Enumerable.Range(0, each).Select(layer => Assign(values, spread, 3 + layer))];
        List<uint>[] ids = [.. Enumerable.Range(0, values).Select(_ => new List<uint>())];
        for (int document = 0; document < Count; document++)
        {
            for (int layer = 0; layer < each; layer++)
            {
                // A second value is another one.
                ref int value = ref ValueOf[layer][document];
                if (layer > 0 && value == ValueOf[0][document]) value = (value + 1) % values;
                if (value != None) ids[value].Add((uint)document);
            }
        }
        Facets = [.. ids.Select(list => IdSet.FromSorted(CollectionsMarshal.AsSpan(list)))];
        Index = new(Facets);
        if (CRoaring.IsAvailable) RoaringFacets = [.. ids.Select(list => new CRoaring(CollectionsMarshal.AsSpan(list)))];
    }

    public int Values { get; }

    /// <summary>The value of every document, once for each that it has; below 0 for none.</summary>
    public int[][] ValueOf { get; }

    public IdSet[] Facets { get; }

    public FacetIndex Index { get; }

    public CRoaring[] RoaringFacets { get; } = [];

    /// <summary>Made once for all cases that use them.</summary>
    public static FacetDocuments Of(int values, Spread spread = Spread.Uniform, int each = 1)
    {
        if (!s_made.TryGetValue((values, spread, each), out WeakReference<FacetDocuments>? made)
            || !made.TryGetTarget(out FacetDocuments? documents))
            s_made[(values, spread, each)] = new(documents = new(values, spread, each));
        return documents;
    }

    private static int[] Assign(int values, Spread spread, int seed)
    {
        Random random = new(seed);
        int[] valueOf = new int[Count];
        double[] upTo = new double[values];
        for (int rank = 0; rank < values; rank++) upTo[rank] = (rank == 0 ? 0 : upTo[rank - 1]) + 1.0 / (rank + 1);
        for (int document = 0, left = 0; document < Count; document++)
        {
            valueOf[document] = spread switch
            {
                Spread.Zipf => Math.Min(values - 1, ~Array.BinarySearch(upTo, random.NextDouble() * upTo[^1]) & int.MaxValue),
                Spread.Imports when left-- > 0 => valueOf[document - 1],
                Spread.Rare when random.Next(20) != 0 => None,
                _ => random.Next(values),
            };
            if (left < 0) left = random.Next(2000);
        }
        return valueOf;
    }
}
