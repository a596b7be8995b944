using System.Runtime.InteropServices;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Queries for the facets of documents, answered one after the other by every contender, several times over: the caches that the others
/// have filled are won back.
/// </summary>
internal sealed class FacetWork
{
    private readonly FacetDocuments _documents;
    private readonly uint[][] _hits;
    private readonly IdSet[] _queries;
    private readonly CRoaring[] _roaringQueries = [];
    private readonly Dictionary<int, long> _perHit = [];
    private readonly long[] _counts;
    private readonly int _repeats;

    public FacetWork(FacetDocuments documents, int repeats, params uint[][] hits)
    {
        _documents = documents;
        _repeats = repeats;
        _hits = hits;
        _queries = [.. hits.Select(ids => IdSet.FromSorted(ids))];
        _counts = new long[documents.Values];
        if (CRoaring.IsAvailable) _roaringQueries = [.. hits.Select(ids => new CRoaring(ids))];
    }

    public int Counts => _repeats * _hits.Length;

    public long ByIndex() => Each(query => _documents.Index.Count(_queries[query], _counts));

    public long ByFacets() => Each(query => Facets.Count(_queries[query], _documents.Facets, _counts));

    public long ByCRoaring() => Each(query =>
    {
        CRoaring[] facets = _documents.RoaringFacets;
        for (int i = 0; i < facets.Length; i++) _counts[i] = facets[i].CountIntersection(_roaringQueries[query]);
    });

    /// <summary>
    /// A dictionary count per hit, as search engines do; the documents' values in an array, the query's hits too. The dictionary is the
    /// answer.
    /// </summary>
    public long ByDictionary()
    {
        long sum = 0;
        for (int repeat = 0; repeat < _repeats; repeat++)
        {
            foreach (uint[] hits in _hits)
            {
                _perHit.Clear();
                CountHits(hits);
                sum += _perHit.GetValueOrDefault(7);
            }
        }
        return sum;
    }

    private void CountHits(uint[] hits)
    {
        if (_documents.ValueOf.Length == 1)
        {
            int[] valueOf = _documents.ValueOf[0];
            foreach (uint document in hits)
            {
                int value = valueOf[document];
                if (value >= 0) CollectionsMarshal.GetValueRefOrAddDefault(_perHit, value, out _)++;
            }
            return;
        }
        foreach (uint document in hits)
            foreach (int[] valueOf in _documents.ValueOf) CollectionsMarshal.GetValueRefOrAddDefault(_perHit, valueOf[document], out _)++;
    }

    private long Each(Action<int> count)
    {
        long sum = 0;
        for (int repeat = 0; repeat < _repeats; repeat++)
        {
            for (int query = 0; query < _hits.Length; query++)
            {
                count(query);
                sum += _counts[7];
            }
        }
        return sum;
    }
}
