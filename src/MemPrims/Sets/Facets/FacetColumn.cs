using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// The facets of every id of a container, as ordinals: a layer holds one for each id, so ids in several facets take several layers; where an id has none,
/// the ordinal after the last. A byte each up to 255 facets, else two.
/// </summary>
internal sealed class FacetColumn
{
    private readonly Array[] _layers;

    private FacetColumn(Array[] layers) => _layers = layers;

    public int Layers => _layers.Length;

    /// <summary>The bytes of a layer for that many facets.</summary>
    public static int Size(int facets) => Container.Universe * (facets <= byte.MaxValue ? sizeof(byte) : sizeof(ushort));

    /// <summary>Makes the column; null when an id is in more facets than <paramref name="maxLayers"/>.</summary>
    public static FacetColumn? Build(IdSet[] sets, int[] places, int maxLayers) =>
        places.Length <= byte.MaxValue ? Build<byte>(sets, places, maxLayers)
        : places.Length <= ushort.MaxValue ? Build<ushort>(sets, places, maxLayers) : null;

    /// <summary>What counting the hits of a container costs, in units of testing a bit: measured by Sets/facets.</summary>
    public long Cost(int hits, bool inBitmap) =>
        Layers * (inBitmap && IsNarrow && FacetTally.CanCompress ? CostOfCompressing + hits : CostOfId * (long)hits);

    /// <summary>Adds one for every facet of every id of the query; the last count takes those without.</summary>
    public void Count(in ContainerView query, Span<int> counts)
    {
        if (!IsNarrow)
        {
            CountInto(query, counts);
            return;
        }
        Span<int> tables = stackalloc int[FacetTally.Room];
        tables.Clear();
        CountInto(query, tables);
        FacetTally.Sum(tables, counts);
    }

    private const int CostOfId = 3, CostOfCompressing = 3000;

    private bool IsNarrow => _layers[0] is byte[];

    private void CountInto(in ContainerView query, Span<int> counts)
    {
        if (query.Kind == ContainerKind.Array)
        {
            CountIds(query.Ids, counts);
            return;
        }
        Span<ulong> room = stackalloc ulong[query.Kind == ContainerKind.Bitmap ? 0 : Bitmap.WordCount];
        if (query.Kind == ContainerKind.Run) Bitmap.Expand(room, query);
        ref ulong words = ref query.Kind == ContainerKind.Bitmap ? ref query.Words : ref room[0];
        if (FacetTally.CanCompress && IsNarrow)
        {
            foreach (Array layer in _layers) FacetTally.AddBits((byte[])layer, ref words, counts);
            return;
        }
        const int chunk = 64;
        Span<ushort> ids = stackalloc ushort[chunk * 64];
        for (int word = 0; word < Bitmap.WordCount; word += chunk) CountIds(ids[..Bitmap.Decode(ref words, word, word + chunk, (ushort)0, ids)], counts);
    }

    private void CountIds(ReadOnlySpan<ushort> ids, Span<int> counts)
    {
        foreach (Array layer in _layers)
        {
            if (layer is byte[] bytes) FacetTally.AddIds(bytes, ids, counts);
            else
            {
                // An ordinal is at most the facets' number, and there is a count for that too.
                ref ushort first = ref MemoryMarshal.GetArrayDataReference((ushort[])layer);
                foreach (ushort id in ids) counts[Unsafe.Add(ref first, id)]++;
            }
        }
    }

    private static FacetColumn? Build<T>(IdSet[] sets, int[] places, int maxLayers) where T : unmanaged, System.Numerics.IBinaryInteger<T>
    {
        List<T[]> layers = [];
        T none = T.CreateChecked(places.Length);
        ushort[] ids = new ushort[Container.Universe];
        for (int facet = 0; facet < places.Length; facet++)
        {
            ContainerView container = sets[facet].View()[places[facet]];
            Span<ushort> mine = ids.AsSpan(0, container.Cardinality);
            ContainerOrder.Decode(container, places[facet], (ushort)0, mine);
            foreach (ushort id in mine)
            {
                int layer = 0;
                while (layer < layers.Count && layers[layer][id] != none) layer++;
                if (layer == maxLayers) return null;
                if (layer == layers.Count)
                {
                    layers.Add(new T[Container.Universe]);
                    layers[layer].AsSpan().Fill(none);
                }
                layers[layer][id] = T.CreateChecked(facet);
            }
        }
        return new([.. layers]);
    }
}
