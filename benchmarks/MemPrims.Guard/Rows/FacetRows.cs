using MemPrims.Sets;

namespace MemPrims.Guard;

/// <summary>Facets of 200,000 documents with 100 values; the peer is an array from document to value.</summary>
internal sealed class FacetRows : IRows
{
    private const int Documents = 200_000, Values = 100;

    public IEnumerable<Row> All =>
    [
        Of("2 % are hits", Documents / 50, static (facets, hits, counts) => facets.Count(hits, counts)),
        Of("half are hits", Documents / 2, static (facets, hits, counts) => facets.Count(hits, counts)),
        Of("2 % are hits, top 10", Documents / 50, static (facets, hits, counts) => counts[0] = facets.Top(hits, 10)[0].Count),
    ];

    private static Row Of(string name, int hits, Action<FacetField, IdSet, int[]> ours) => new($"facets: {name}", () =>
    {
        FacetField facets = new();
        int[] valueOf = new int[Documents], counts = new int[Values];
        Random random = new(5);
        byte[][] names = [.. Enumerable.Range(0, Values).Select(value => Draw.Text($"value {value}"))];
        for (int i = 0; i < Documents; i++) facets.Add((uint)i, names[valueOf[i] = i < Values ? i : random.Next(Values)]);
        uint[] ids = Draw.Ids(9, hits, Documents);
        IdSet query = IdSet.FromSorted(ids);
        return new(hits, () =>
        {
            ours(facets, query, counts);
            return counts[0];
        }, "int[]", () =>
        {
            Array.Clear(counts);
            foreach (uint id in ids) counts[valueOf[id]]++;
            return counts[0];
        })
        { Redraw = () => Array.Clear(counts) };
    });
}
