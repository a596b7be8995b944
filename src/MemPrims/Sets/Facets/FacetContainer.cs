namespace MemPrims.Sets;

/// <summary>
/// What a <see cref="FacetIndex"/> keeps for the ids of one container: the facets that have any and how many, all their ids together, and a column
/// where one is worth its memory. A query takes the cheapest way, by the costs of each in units of a tenth of a nanosecond.
/// </summary>
internal sealed class FacetContainer
{
    /// <summary>A column may take so many bytes for every facet of every id; the sets take two for most.</summary>
    private const int MaxColumnBytes = 8;

    private readonly IdSet[] _sets;
    private readonly int[] _facets, _places, _cardinalities;
    private readonly FacetColumn? _column;
    private readonly Container _universe;
    private readonly long _costOfSets;

    /// <param name="key">The upper 16 bits of its ids.</param>
    /// <param name="facets">All facets of the index.</param>
    /// <param name="identity">See <see cref="FacetColumn.Build"/>.</param>
    /// <param name="there">Those that have ids here, with the place of the container in each.</param>
    public FacetContainer(int key, IdSet[] facets, int[]? identity, List<(int Facet, int Container)> there)
    {
        Key = key;
        _facets = [.. there.Select(entry => entry.Facet)];
        _sets = [.. there.Select(entry => facets[entry.Facet])];
        _places = [.. there.Select(entry => entry.Container)];
        _cardinalities = new int[there.Count];
        ulong[] all = new ulong[Bitmap.WordCount];
        long memberships = 0;
        for (int i = 0; i < _facets.Length; i++)
        {
            ContainerView container = _sets[i].View()[_places[i]];
            ContainerCheck.Contents(container, _places[i], 0);
            _cardinalities[i] = container.Cardinality;
            memberships += container.Cardinality;
            _costOfSets += QueryContainer.Cost(container);
            Bitmap.Apply<OrBits>(ref all[0], container);
        }
        Ids = BitmapCount.Ones(ref all[0]);
        _universe = ContainerBuild.OfWords(ref all[0], Ids, tryRuns: true);
        int words = Bitmap.WordCount;
        while (all[words - 1] == 0) words--;
        int maxLayers = (int)(MaxColumnBytes * memberships / (Container.Universe * FacetColumn.Size(_facets.Length, facets.Length)));
        if (maxLayers > 0 && _facets.Length > 1) _column = FacetColumn.Build(_sets, _places, _facets, identity, facets.Length, maxLayers, words * 64);
    }

    public int Key { get; }

    /// <summary>How many ids have a facet.</summary>
    public int Ids { get; }

    /// <summary>Adds for every facet the ids that it shares with the query's container; <paramref name="fromAll"/>, takes away those that it does not share.</summary>
    public void Count(in ContainerView query, bool fromAll, ref FacetTally tally)
    {
        bool covers = Covers(query), inverted = covers, byColumn = false;
        if (!covers && _column is not null)
        {
            int selected = query.Cardinality, missing = Math.Max(0, _column.Limit - selected);
            inverted = query.Kind != ContainerKind.Array && missing < selected;
            byColumn = query.Kind == ContainerKind.Array || _column.Cost(inverted ? missing : selected, query.Kind) < _costOfSets;
            inverted &= byColumn;
        }
        if (inverted != fromAll) AddAll(fromAll ? -1 : 1, tally.Counts);
        if (covers) return;
        if (byColumn) _column!.Count(query, inverted, ref tally);
        else CountSets(query, tally.Counts);
    }

    /// <summary>Adds for every facet all of its ids here, or takes them away.</summary>
    public void AddAll(int sign, Span<long> counts)
    {
        for (int i = 0; i < _facets.Length; i++) counts[_facets[i]] += sign * _cardinalities[i];
    }

    private bool Covers(in ContainerView query) =>
        query.IsFull || (query.Cardinality >= Ids && ContainerCount.Intersection(query, _universe.View(Ids)) == Ids);

    private void CountSets(in ContainerView query, Span<long> counts)
    {
        QueryContainer prepared = new(query, _facets.Length, stackalloc ulong[Bitmap.WordCount]);
        for (int i = 0; i < _facets.Length; i++) counts[_facets[i]] += prepared.Count(_sets[i].View()[_places[i]]);
    }
}
