using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// What a <see cref="FacetIndex"/> keeps for the ids of one container: the facets that have any and how many, all their ids together, and a column
/// where one is worth its memory. A query takes the cheapest way, by the costs of each in units of testing one id.
/// </summary>
internal sealed class FacetContainer
{
    // In units of testing a bit, measured by Sets/facets: a pair of bitmaps, following a run, and a container's fixed work.
    private const int CostOfBitmap = 350, CostOfRun = 20, CostOfContainer = 25;

    /// <summary>An id in more facets than this makes a column too dear.</summary>
    private const int MaxLayers = 8;

    private readonly IdSet[] _sets;
    private readonly int[] _facets, _places, _cardinalities;
    private readonly FacetColumn? _column;
    private readonly Container _universe;
    private readonly int _universeCount;
    private readonly long _costOfSets;

    public FacetContainer(int key, IdSet[] facets, List<(int Facet, int Container)> there)
    {
        Key = key;
        _facets = [.. there.Select(entry => entry.Facet)];
        _sets = [.. there.Select(entry => facets[entry.Facet])];
        _places = [.. there.Select(entry => entry.Container)];
        _cardinalities = new int[there.Count];
        ulong[] all = new ulong[Bitmap.WordCount];
        long memberships = 0, bytes = 0;
        for (int i = 0; i < _facets.Length; i++)
        {
            ContainerView container = _sets[i].View()[_places[i]];
            ContainerCheck.Contents(container, _places[i], 0);
            _cardinalities[i] = container.Cardinality;
            memberships += container.Cardinality;
            bytes += container.SerializedSize;
            _costOfSets += CostOfContainer + container.Kind switch
            {
                ContainerKind.Array => container.Count,
                ContainerKind.Bitmap => CostOfBitmap,
                _ => Math.Min(container.Count * CostOfRun, CostOfBitmap * 3),
            };
            Bitmap.Apply<OrBits>(ref all[0], container);
        }
        _universeCount = BitmapCount.Ones(ref all[0]);
        _universe = ContainerBuild.OfWords(ref all[0], _universeCount, tryRuns: true);
        int layers = (int)((memberships + _universeCount - 1) / _universeCount);
        if (layers <= MaxLayers && FacetColumn.Size(_facets.Length) <= 4 * bytes) _column = FacetColumn.Build(_sets, _places, MaxLayers);
    }

    public int Key { get; }

    /// <summary>Adds for every facet the ids that it shares with the query's container.</summary>
    public void Count(ContainerView query, Span<long> counts)
    {
        int hits = query.IsFull ? _universeCount : ContainerCount.Intersection(query, _universe.View(_universeCount));
        if (hits == 0) return;
        if (hits == _universeCount)
        {
            for (int i = 0; i < _facets.Length; i++) counts[_facets[i]] += _cardinalities[i];
            return;
        }
        int missing = _universeCount - hits;
        bool subtracts = Subtracts(query, missing);
        long byColumn = _column?.Cost(subtracts ? missing : query.Cardinality, subtracts || query.Kind != ContainerKind.Array) ?? long.MaxValue;
        if (_costOfSets <= byColumn) CountSets(query, counts);
        else CountColumn(query, missing, counts);
    }

    // Making the set of what is missing costs about as much as counting 4096 ids.
    private static bool Subtracts(in ContainerView query, int missing) => missing + Container.MaxArray < query.Cardinality;

    private void CountSets(ContainerView query, Span<long> counts)
    {
        QueryContainer prepared = new(query, stackalloc ulong[Bitmap.WordCount]);
        for (int i = 0; i < _facets.Length; i++) counts[_facets[i]] += prepared.Count(_sets[i].View()[_places[i]]);
    }

    private void CountColumn(ContainerView query, int missing, Span<long> counts)
    {
        Span<int> mine = _facets.Length <= 1024 ? stackalloc int[_facets.Length + 1] : new int[_facets.Length + 1];
        mine.Clear();
        // What the query has, or, where it has most of them, what it lacks of all the facets' ids.
        bool subtract = Subtracts(query, missing);
        if (subtract)
        {
            Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
            Bitmap.Expand(words, _universe.View(_universeCount));
            Bitmap.Apply<AndNotBits>(ref words[0], query);
            _column!.Count(new(ref MemoryMarshal.GetReference(MemoryMarshal.AsBytes(words)), ContainerKind.Bitmap, 0, missing), mine);
        }
        else _column!.Count(query, mine);
        for (int i = 0; i < _facets.Length; i++) counts[_facets[i]] += subtract ? _cardinalities[i] - mine[i] : mine[i];
    }
}
