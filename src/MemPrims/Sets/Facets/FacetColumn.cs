using System.Numerics;

namespace MemPrims.Sets;

/// <summary>
/// The facets of every id of a container, as ordinals: a layer holds one for each id, so ids in several facets take several layers; where an id has none,
/// the ordinal after the last. What a query has is counted and added, or what it lacks is counted and subtracted, whichever is less.
/// </summary>
internal abstract class FacetColumn(int limit)
{
    /// <summary>One past the last id that has a facet, as a multiple of 64.</summary>
    public int Limit { get; } = limit;

    /// <summary>The bytes of an ordinal.</summary>
    public static int Size(int facetsHere, int facets) =>
        facetsHere <= byte.MaxValue ? sizeof(byte) : facets <= ushort.MaxValue ? sizeof(ushort) : sizeof(uint);

    /// <summary>Makes the column of a container's facets; null when an id is in more of them than <paramref name="maxLayers"/>.</summary>
    /// <param name="sets">The facets that have ids here.</param>
    /// <param name="places">Which of its containers this is to each of them.</param>
    /// <param name="names">The positions of these facets among all of the index.</param>
    /// <param name="identity">The positions of all facets; null when those are more than a byte can tell apart.</param>
    /// <param name="facets">How many there are in the index.</param>
    /// <param name="maxLayers">The most layers to make.</param>
    /// <param name="limit">See <see cref="Limit"/>.</param>
    public static FacetColumn? Build(IdSet[] sets, int[] places, int[] names, int[]? identity, int facets, int maxLayers, int limit)
    {
        switch (Size(names.Length, facets))
        {
            case sizeof(byte):
                // Tables can stay open from container to container where all of them number their facets alike.
                byte[][]? bytes = identity is not null
                    ? Layers<byte>(sets, places, names, identity.Length, maxLayers)
                    : Layers<byte>(sets, places, [.. Enumerable.Range(0, names.Length)], names.Length, maxLayers);
                return bytes is null ? null : new NarrowColumn(bytes, identity ?? names, limit);
            case sizeof(ushort):
                return Layers<ushort>(sets, places, names, facets, maxLayers) is { } shorts ? new WideColumn<ushort>(shorts, limit) : null;
            default:
                return Layers<uint>(sets, places, names, facets, maxLayers) is { } ints ? new WideColumn<uint>(ints, limit) : null;
        }
    }

    /// <summary>What counting so many ids of a container takes, in the units of <see cref="FacetContainer"/>.</summary>
    public abstract long Cost(int ids, ContainerKind kind);

    /// <summary>Adds one for every facet of every id of the query, or, <paramref name="inverted"/>, takes away one for every facet of every id that it has not.</summary>
    public void Count(in ContainerView query, bool inverted, ref FacetTally tally)
    {
        int sign = inverted ? -1 : 1;
        switch (query.Kind)
        {
            case ContainerKind.Array:
                AddIds(query.Ids, sign, ref tally);
                break;
            case ContainerKind.Bitmap:
                AddBits(ref query.Words, inverted ? ulong.MaxValue : 0, sign, ref tally);
                break;
            default:
                AddRuns(query.Runs, inverted, sign, ref tally);
                break;
        }
    }

    protected abstract void AddIds(scoped ReadOnlySpan<ushort> ids, int sign, ref FacetTally tally);

    protected abstract void AddStretch(int start, int length, int sign, ref FacetTally tally);

    /// <summary>Counts the ids whose bit differs from <paramref name="flip"/>'s.</summary>
    protected virtual void AddBits(ref ulong words, ulong flip, int sign, ref FacetTally tally)
    {
        const int chunk = 64;
        Span<ushort> ids = stackalloc ushort[chunk * 64];
        Span<ulong> some = stackalloc ulong[chunk];
        for (int word = 0; word < Limit >> 6; word += chunk)
        {
            for (int i = 0; i < chunk; i++) some[i] = System.Runtime.CompilerServices.Unsafe.Add(ref words, word + i) ^ flip;
            AddIds(ids[..Bitmap.Decode(ref some[0], 0, chunk, (ushort)(word << 6), ids)], sign, ref tally);
        }
    }

    private void AddRuns(ReadOnlySpan<Run> runs, bool inverted, int sign, ref FacetTally tally)
    {
        int next = 0;
        foreach (Run run in runs)
        {
            // Bytes that were not checked may hold runs that overlap: no id is looked at twice.
            if (run.Start < next) break;
            if (inverted) AddStretch(next, run.Start - next, sign, ref tally);
            else AddStretch(run.Start, run.More + 1, sign, ref tally);
            next = run.End + 1;
        }
        if (inverted && next < Limit) AddStretch(next, Limit - next, sign, ref tally);
    }

    private static T[][]? Layers<T>(IdSet[] sets, int[] places, int[] ordinals, int none, int maxLayers) where T : unmanaged, IBinaryInteger<T>
    {
        List<T[]> layers = [];
        T without = T.CreateChecked(none);
        ushort[] ids = new ushort[Container.Universe];
        for (int facet = 0; facet < sets.Length; facet++)
        {
            ContainerView container = sets[facet].View()[places[facet]];
            Span<ushort> mine = ids.AsSpan(0, container.Cardinality);
            ContainerOrder.Decode(container, places[facet], (ushort)0, mine);
            foreach (ushort id in mine)
            {
                int layer = 0;
                while (layer < layers.Count && layers[layer][id] != without) layer++;
                if (layer == maxLayers) return null;
                if (layer == layers.Count)
                {
                    layers.Add(new T[Container.Universe]);
                    layers[layer].AsSpan().Fill(without);
                }
                layers[layer][id] = T.CreateChecked(ordinals[facet]);
            }
        }
        return [.. layers];
    }
}
