using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// What a <see cref="FacetIndex"/> keeps for the ids of one container: its facets, how many ids each has, all their ids together, and
/// columns where these are worth their memory. A query takes the cheapest way. Costs are estimates in tenths of a nanosecond.
/// </summary>
/// <remarks>
/// The ways that <see cref="Count"/> can take. The first row that fits is taken. "All" means that every facet gets the number of ids that
/// it has here. Where the caller has added all before (fromAll), the rows with "all" leave that out, and the other rows take all away
/// first.
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
    /// The bytes that columns may take for each facet of each id. The sets themselves take about two. An array from document to value
    /// takes four for every document.
    /// </summary>
    private const int MaxColumnBytes = 16;

    private readonly IdSet[] _sets;
    private readonly int[] _facets, _places, _cardinalities, _versions;
    private readonly FacetColumn[]? _columns;
    private readonly Container _universe;
    private readonly long _costOfSets;

    // No id from here on has a facet. A multiple of 64.
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
        _versions = [.. _sets.Select(set => set.Version)];
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
    /// The ordinals of each column, if an id finds its own without a look-up and they number all facets of the index; else null.
    /// </summary>
    public byte[][]? FlatLayers(int facets)
    {
        if (_columns is null) return null;
        byte[][] layers = [.. _columns.Select(column => (column as NarrowColumn)?.FlatLayer(facets)).OfType<byte[]>()];
        return layers.Length == _columns.Length ? layers : null;
    }

    /// <summary>
    /// Adds to the count of each facet the ids that it shares with the query. With <paramref name="fromAll"/> the counts begin with all
    /// ids, and those not shared are subtracted.
    /// </summary>
    public void Count(in ContainerView query, bool fromAll, ref FacetTally tally)
    {
        bool covers = query.Cardinality >= Ids && Covers(query), inverted = covers, byColumns = !covers && _columns is not null;
        if (byColumns && query.Kind == ContainerKind.Array && !fromAll)
        {
            // Few ids take less time than choosing a way for them.
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

    /// <summary>Adds the number of ids that each facet has here; with <paramref name="sign"/> -1 subtracts it.</summary>
    public void AddAll(int sign, Span<long> counts)
    {
        for (int i = 0; i < _facets.Length; i++) counts[_facets[i]] += sign * _cardinalities[i];
    }

    private bool Covers(in ContainerView query) => query.IsFull || PairTable.Count(query, _universe.View(Ids)) == Ids;

    private long Cost(int ids, ContainerKind kind)
    {
        long cost = 0;
        foreach (FacetColumn column in _columns!) cost += column.Cost(ids, kind);
        return cost;
    }

    // A method of its own: its bitmap on the stack is cleared at every call, and the other ways need none.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CountSets(in ContainerView query, Span<long> counts)
    {
        QueryContainer prepared = new(query, stackalloc ulong[Bitmap.WordCount]);
        for (int i = 0; i < _facets.Length; i++)
        {
            if (_sets[i].Version != _versions[i]) ThrowChanged(_facets[i]);
            counts[_facets[i]] += prepared.Count(_sets[i].View()[_places[i]]);
        }
        GC.KeepAlive(_sets);
    }

    [DoesNotReturn]
    private static void ThrowChanged(int facet) => throw new InvalidOperationException(
        $"The set of facet {facet} was changed after the index was made of it. Make the index again.");
}
