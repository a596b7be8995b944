using System.Numerics;

namespace MemPrims.Sets;

/// <summary>Makes the columns of a container. An id that is in three facets needs three columns.</summary>
internal static class FacetColumns
{
    /// <summary>Makes the columns; null when they would take more bytes than <paramref name="most"/>.</summary>
    /// <param name="sets">The facets that have ids here.</param>
    /// <param name="places">Which of its containers this is to each of them.</param>
    /// <param name="names">The positions of these facets among all of the index.</param>
    /// <param name="identity">The positions of all facets; null when those are more than a byte can tell apart.</param>
    /// <param name="all">How many facets are in the index.</param>
    /// <param name="most">The bytes that the columns may take.</param>
    public static FacetColumn[]? Build(IdSet[] sets, int[] places, int[] names, int[]? identity, int all, long most)
    {
        // Where all containers number their facets alike, one set of tables serves all of them.
        FacetColumn[]? columns =
            identity is not null ? Build<byte>(sets, places, names, all, most, layer => new NarrowColumn(layer, identity))
            : names.Length <= byte.MaxValue
                ? Build<byte>(
                    sets, places, [.. Enumerable.Range(0, names.Length)], names.Length, most, layer => new NarrowColumn(layer, names))
            : all <= ushort.MaxValue ? Build<ushort>(sets, places, names, all, most, layer => new WideColumn<ushort>(layer))
            : Build<uint>(sets, places, names, all, most, layer => new WideColumn<uint>(layer));
        return columns is not null && columns.Sum(column => (long)column.Bytes) <= most ? columns : null;
    }

    private static FacetColumn[]? Build<T>(
        IdSet[] sets, int[] places, int[] ordinals, int none, long most, Func<OrdinalLayer<T>, FacetColumn> make)
        where T : unmanaged, IBinaryInteger<T>
    {
        List<T[]> layers = [];
        T without = T.CreateChecked(none);
        ushort[] ids = new ushort[Container.Universe];
        for (int facet = 0; facet < sets.Length; facet++)
        {
            SetView view = sets[facet].View();
            ContainerView container = view[places[facet]];
            Span<ushort> mine = ids.AsSpan(0, container.Cardinality);
            ContainerCheck.Cardinality(container, places[facet], view.Offset(places[facet]));
            ContainerOrder.Decode(container, (ushort)0, mine);
            GC.KeepAlive(sets[facet]);
            foreach (ushort id in mine)
            {
                int layer = 0;
                while (layer < layers.Count && layers[layer][id] != without) layer++;
                if (layer == layers.Count)
                {
                    if ((layer + 1L) * OrdinalLayer<T>.LeastBytes > most) return null;
                    layers.Add(new T[Container.Universe]);
                    layers[layer].AsSpan().Fill(without);
                }
                layers[layer][id] = T.CreateChecked(ordinals[facet]);
            }
        }
        return [.. layers.Select(layer => make(new OrdinalLayer<T>(layer, without)))];
    }
}
