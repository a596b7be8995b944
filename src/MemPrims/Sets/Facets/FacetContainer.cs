using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// What a <see cref="FacetIndex"/> keeps for the ids of one container: the facets that have any and how many, all their ids together, and
/// a column where one is worth its memory. A query takes the cheapest way, by the costs of each in units of a tenth of a nanosecond.
/// </summary>
/// <remarks>
/// The ways that <see cref="Count"/> can take. "All" adds what every facet has here. Where the caller has added all beforehand
/// (fromAll), that is left out in the rows that begin with all, and all is taken away first in the others.
/// <code>
/// query's container                                      | what is counted
/// -------------------------------------------------------+------------------------------------------
/// has every id that is in a facet                        | all
/// no columns here (one facet, or they would be too large)| the sets, each with the query
/// array                                                  | columns: the query's ids added
/// bitmap, runs; the sets cost no more than columns       | the sets, each with the query
/// bitmap, runs; the query lacks fewer ids than it has    | all; columns: the ids it lacks subtracted
/// bitmap, runs; else                                     | columns: the query's ids added
/// </code>
/// </remarks>
internal sealed class FacetContainer
{
    /// <summary>
    /// Columns may take so many bytes for every facet of every id; the sets take two for most. An array from document to value, which a
    /// dictionary count goes by, takes four bytes for every document, with a value or without.
    /// </summary>
    private const int MaxColumnBytes = 16;

    private readonly IdSet[] _sets;
    private readonly int[] _facets, _places, _cardinalities;
    private readonly FacetColumn[]? _columns;
    private readonly Container _universe;
    private readonly long _costOfSets;

    // One past the last id that has a facet, as a multiple of 64.
    private readonly int _limit;

    /// <param name="key">The upper 16 bits of its ids.</param>
    /// <param name="facets">All facets of the index.</param>
    /// <param name="identity">See <see cref="FacetColumns.Build"/>.</param>
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
            SetView view = _sets[i].View();
            ContainerView container = view[_places[i]];
            ContainerCheck.Contents(container, _places[i], view.Offset(_places[i]));
            _cardinalities[i] = container.Cardinality;
            memberships += container.Cardinality;
            _costOfSets += QueryContainer.Cost(container);
            Bitmap.Add(ref all[0], container);
        }
        Ids = BitmapCount.Ones(ref all[0]);
        _universe = ContainerBuild.OfWords(ref all[0], Ids, tryRuns: true);
        for (_limit = Container.Universe; all[(_limit >> 6) - 1] == 0; _limit -= 64) { }
        if (_facets.Length > 1)
            _columns = FacetColumns.Build(_sets, _places, _facets, identity, facets.Length, MaxColumnBytes * memberships);
        GC.KeepAlive(_sets);
    }

    public int Key { get; }

    /// <summary>How many ids have a facet.</summary>
    public int Ids { get; }

    /// <summary>
    /// Adds for every facet the ids that it shares with the query's container; <paramref name="fromAll"/>, takes away those that it does
    /// not share.
    /// </summary>
    public void Count(in ContainerView query, bool fromAll, ref FacetTally tally)
    {
        bool covers = query.Cardinality >= Ids && Covers(query), inverted = covers, byColumns = !covers && _columns is not null;
        if (byColumns && query.Kind == ContainerKind.Array && !fromAll)
        {
            // Few ids are not kept waiting for anything else.
            foreach (FacetColumn column in _columns!) column.AddIds(query.Ids, 1, ref tally);
            return;
        }
        if (byColumns && query.Kind != ContainerKind.Array)
        {
            int ids = query.Cardinality, missing = Math.Max(0, _limit - ids);
            inverted = missing < ids;
            byColumns = Cost(inverted ? missing : ids, query.Kind) < _costOfSets;
            inverted &= byColumns;
        }
        if (inverted != fromAll) AddAll(fromAll ? -1 : 1, tally.Counts);
        if (covers) return;
        if (!byColumns) CountSets(query, tally.Counts);
        else
            foreach (FacetColumn column in _columns!) column.Count(query, inverted, _limit, ref tally);
    }

    /// <summary>Adds for every facet all of its ids here, or takes them away.</summary>
    public void AddAll(int sign, Span<long> counts)
    {
        for (int i = 0; i < _facets.Length; i++) counts[_facets[i]] += sign * _cardinalities[i];
    }

    private bool Covers(in ContainerView query) => query.IsFull || ContainerCount.Intersection(query, _universe.View(Ids)) == Ids;

    private long Cost(int ids, ContainerKind kind)
    {
        long cost = 0;
        foreach (FacetColumn column in _columns!) cost += column.Cost(ids, kind);
        return cost;
    }

    // Apart, for its bitmap would have to be made room for by those that need none.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CountSets(in ContainerView query, Span<long> counts)
    {
        QueryContainer prepared = new(query, stackalloc ulong[Bitmap.WordCount]);
        for (int i = 0; i < _facets.Length; i++) counts[_facets[i]] += prepared.Count(_sets[i].View()[_places[i]]);
        GC.KeepAlive(_sets);
    }
}
