using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Facets prepared once and asked often. The sets are kept and must not change. Many threads may ask at once.
/// For each container of ids the index keeps how many ids each facet has, and the facet of each id in columns, at most 16 bytes for each
/// facet of each id. A query that covers a container takes the first. A query of few ids adds up the facets of its ids, and a query of
/// most ids subtracts those of the ids that it lacks. Where facets are few and large, or columns would be too large, the sets are
/// counted. A query of some ten ids is slower than a loop over an array of the hits, because the counts must be cleared and the set read.
/// </summary>
public sealed class FacetIndex
{
    private readonly FacetContainer[] _containers;
    private readonly int[] _keys;
    private readonly long[] _totals;
    private readonly long _ids;
    private readonly FewHits? _fewHits;

    /// <summary>Prepares the facets; an id may be in none, in one, or in several.</summary>
    public FacetIndex(ReadOnlySpan<IdSet> facets)
    {
        IdSet[] sets = facets.ToArray();
        foreach (IdSet set in sets) ArgumentNullException.ThrowIfNull(set, nameof(facets));
        NumberOfFacets = sets.Length;
        SortedDictionary<int, List<(int Facet, int Container)>> byKey = [];
        for (int facet = 0; facet < sets.Length; facet++)
        {
            SetView view = sets[facet].View();
            for (int i = 0; i < view.Length; i++)
            {
                if (!byKey.TryGetValue(view.Key(i), out List<(int, int)>? there)) byKey[view.Key(i)] = there = [];
                there.Add((facet, i));
            }
            GC.KeepAlive(sets[facet]);
        }
        int[]? identity = sets.Length <= byte.MaxValue ? [.. Enumerable.Range(0, sets.Length)] : null;
        _containers = [.. byKey.Select(pair => new FacetContainer(pair.Key, sets, identity, pair.Value))];
        _keys = [.. byKey.Keys];
        _totals = new long[sets.Length];
        foreach (FacetContainer container in _containers)
        {
            _ids += container.Ids;
            container.AddAll(1, _totals);
        }
        _fewHits = identity is null ? null : FewHits.Of(_containers, NumberOfFacets);
    }

    /// <summary>The number of facets.</summary>
    public int NumberOfFacets { get; }

    /// <summary>
    /// Makes an index of bands, for instance of prices. Band b has the ids whose value is at least <c>bounds[b]</c> and below <c>bounds[b
    /// + 1]</c>. Values below the first bound are in no band, nor are those at or above the last.
    /// </summary>
    /// <param name="ids">Strictly increasing.</param>
    /// <param name="values">The value of each id.</param>
    /// <param name="bounds">Strictly increasing; one more than there are bands.</param>
    public static FacetIndex FromBands(ReadOnlySpan<uint> ids, ReadOnlySpan<long> values, ReadOnlySpan<long> bounds)
    {
        SortedIds.CheckSorted(ids);
        if (values.Length != ids.Length)
            throw new ArgumentException($"There are {ids.Length} ids, but {values.Length} values.", nameof(values));
        for (int i = 1; i < bounds.Length; i++)
            if (bounds[i] <= bounds[i - 1])
                throw new ArgumentException(
                    $"The bounds must be strictly increasing, but at position {i} {bounds[i]} follows {bounds[i - 1]}.", nameof(bounds));
        List<uint>[] bands = [.. Enumerable.Range(0, Math.Max(0, bounds.Length - 1)).Select(_ => new List<uint>())];
        for (int i = 0; i < ids.Length; i++)
        {
            int at = bounds.BinarySearch(values[i]), band = at < 0 ? ~at - 1 : at;
            if (band >= 0 && band < bands.Length) bands[band].Add(ids[i]);
        }
        return new([.. bands.Select(band => IdSet.FromSorted(CollectionsMarshal.AsSpan(band)))]);
    }

    /// <summary>Sets each count to the number of ids that the query shares with the facet at its position.</summary>
    /// <exception cref="ArgumentException">There are fewer counts than facets; nothing is written.</exception>
    public void Count(IdSet query, Span<long> counts)
    {
        ArgumentNullException.ThrowIfNull(query);
        Facets.CheckRoom(NumberOfFacets, counts.Length);
        counts = counts[..NumberOfFacets];
        if (_fewHits is null || !_fewHits.TryCount(query.View(), counts)) CountByContainer(query.View(), counts);
        // The set keeps the owner of its bytes alive, so it must live until here.
        GC.KeepAlive(query);
    }

    // Kept out of line: its tables on the stack would cost queries of few ids a page.
    [MethodImpl(MethodImplOptions.NoInlining), SkipLocalsInit]
    private void CountByContainer(in SetView view, Span<long> counts)
    {
        long ids = view.CountIds();
        FacetTally tally = new(counts, stackalloc int[FacetTally.TotalSize], ids);
        // A query of most ids: begin with all, and subtract what it lacks.
        if (ids > _ids / 2) SubtractMissing(view, ref tally);
        else AddShared(view, ref tally);
        tally.Close();
    }

    /// <summary>The same on several threads, with cancellation or with progress, as <paramref name="options"/> say.</summary>
    /// <inheritdoc cref="Count(IdSet, Span{long})"/>
    public void Count(IdSet query, Span<long> counts, FacetOptions options)
    {
        ArgumentNullException.ThrowIfNull(query);
        ArgumentNullException.ThrowIfNull(options);
        Facets.CheckRoom(NumberOfFacets, counts.Length);
        new FacetWork(options, _containers.Length).Run(
            (part, sums) =>
            {
                SetView view = query.View();
                int at = view.Find(_keys[part]);
                if (at < 0) return;
                FacetTally tally = new(sums, stackalloc int[FacetTally.TotalSize], view.Cardinality(at));
                _containers[part].Count(view[at], fromAll: false, ref tally);
                tally.Close();
                GC.KeepAlive(query);
            },
            counts[..NumberOfFacets]);
    }

    /// <summary>
    /// Writes the facets that share the most ids with the query, the greatest count first, and returns how many. Of equal counts the
    /// facet that comes first is first. Facets that share no id are left out.
    /// </summary>
    public int Top(IdSet query, Span<FacetCount> top)
    {
        long[] counts = new long[NumberOfFacets];
        Count(query, counts);
        return Facets.Top(counts, top);
    }

    private void AddShared(in SetView query, ref FacetTally tally)
    {
        tally.Counts.Clear();
        if (query.Length < _keys.Length)
        {
            for (int i = 0; i < query.Length; i++)
            {
                int at = Find(query.Key(i));
                if (at >= 0) _containers[at].Count(query[i], fromAll: false, ref tally);
            }
            return;
        }
        for (int i = 0; i < _keys.Length; i++)
        {
            int at = query.Find(_keys[i]);
            if (at >= 0) _containers[i].Count(query[at], fromAll: false, ref tally);
        }
    }

    // Begins with all ids of all facets, so only containers that the query does not cover take time.
    private void SubtractMissing(in SetView query, ref FacetTally tally)
    {
        _totals.CopyTo(tally.Counts);
        for (int i = 0; i < _keys.Length; i++)
        {
            int at = query.Find(_keys[i]);
            if (at < 0) _containers[i].AddAll(-1, tally.Counts);
            else _containers[i].Count(query[at], fromAll: true, ref tally);
        }
    }

    // A key fills the lower half of its integer, as in the heads of a set, so the same search serves both.
    private int Find(int key) =>
        KeySearch.Find(ref Unsafe.As<int, byte>(ref MemoryMarshal.GetArrayDataReference(_keys)), _keys.Length, key);
}
