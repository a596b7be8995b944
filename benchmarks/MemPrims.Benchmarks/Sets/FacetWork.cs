using System.Runtime.InteropServices;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>A million documents with one of 100 values each, or with two, and a result of a share of them.</summary>
internal sealed class FacetWork
{
    private const int Documents = 1_000_000, Values = 100;

    private readonly int[] _valueOf = new int[Documents], _secondValueOf = new int[Documents];
    private readonly Dictionary<int, long> _perHit = [];
    private readonly uint[] _hits;
    private readonly IdSet _query;
    private readonly IdSet[] _facets;
    private readonly FacetIndex _index;
    private readonly CRoaring[] _roaringFacets = [];
    private readonly CRoaring? _roaringQuery;
    private readonly long[] _counts = new long[Values];
    private readonly bool _twoValues;

    public FacetWork(double share, bool twoValues)
    {
        _twoValues = twoValues;
        Random random = new(3);
        List<uint>[] ids = [.. Enumerable.Range(0, Values).Select(_ => new List<uint>())];
        for (int document = 0; document < Documents; document++)
        {
            ids[_valueOf[document] = random.Next(Values)].Add((uint)document);
            _secondValueOf[document] = (_valueOf[document] + 1 + random.Next(Values - 1)) % Values;
            if (twoValues) ids[_secondValueOf[document]].Add((uint)document);
        }
        _hits = share == 1 ? IdSamples.Range(0, Documents) : IdSamples.Uniform((int)(share * Documents), Documents, 7);
        _query = IdSet.FromSorted(_hits);
        _facets = [.. ids.Select(list => IdSet.FromSorted(CollectionsMarshal.AsSpan(list)))];
        _index = new(_facets);
        if (!CRoaring.IsAvailable) return;
        _roaringQuery = new(_hits);
        _roaringFacets = [.. ids.Select(list => new CRoaring(CollectionsMarshal.AsSpan(list)))];
    }

    public long ByIndex()
    {
        _index.Count(_query, _counts);
        return _counts[7];
    }

    public long ByFacets()
    {
        Facets.Count(_query, _facets, _counts);
        return _counts[7];
    }

    /// <summary>A dictionary count per hit, as search engines do; the documents' values in an array, the query's hits too.</summary>
    public long ByDictionary()
    {
        _perHit.Clear();
        foreach (uint document in _hits)
        {
            CollectionsMarshal.GetValueRefOrAddDefault(_perHit, _valueOf[document], out _)++;
            if (_twoValues) CollectionsMarshal.GetValueRefOrAddDefault(_perHit, _secondValueOf[document], out _)++;
        }
        return _perHit[7];
    }

    public long ByCRoaring()
    {
        for (int i = 0; i < _roaringFacets.Length; i++) _counts[i] = _roaringFacets[i].CountIntersection(_roaringQuery!);
        return _counts[7];
    }
}
