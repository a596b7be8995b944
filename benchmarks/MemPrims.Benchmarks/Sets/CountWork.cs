using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Pairs of sets, counted by every contender: of small ones or of runs so many pairs that no branch is learned by heart. A batch goes
/// through them several times, so that the caches that the other contenders have filled are won back. An array that is in several pairs
/// makes one set.
/// </summary>
internal sealed class CountWork
{
    private readonly (uint[] A, uint[] B)[] _arrays;
    private readonly (uint[] Few, HashSet<uint> Many)[] _hashes;
    private readonly (IdSet A, IdSet B)[] _sets;
    private readonly (CRoaring A, CRoaring B)[] _roaring = [], _roaringWithoutRuns = [];

    public CountWork(int pairs, int repeat, Func<int, uint[]> a, Func<int, uint[]> b)
    {
        (uint[] A, uint[] B)[] once = [.. Enumerable.Range(0, pairs).Select(i => (a(i), b(i)))];
        _arrays = Repeated(once, ids => ids);
        _hashes = [.. Repeated([.. once.Select(pair => pair.A.Length < pair.B.Length ? pair : (pair.B, pair.A))], Enumerable.ToHashSet)
            .Zip(_arrays, (hash, pair) => (pair.A.Length < pair.B.Length ? pair.A : pair.B, hash.B))];
        _sets = Repeated(once, ids => IdSet.FromSorted(ids));
        if (CRoaring.IsAvailable)
        {
            _roaring = Repeated(once, ids => new CRoaring(ids));
            _roaringWithoutRuns = Repeated(once, ids => new CRoaring(ids, hasRuns: false));
        }

        (T A, T B)[] Repeated<T>((uint[] A, uint[] B)[] of, Func<uint[], T> make)
        {
            Dictionary<uint[], T> made = new(ReferenceEqualityComparer.Instance);
            (T, T)[] first = [.. of.Select(pair => (Get(pair.A), Get(pair.B)))];
            return [.. Enumerable.Repeat(first, repeat).SelectMany(all => all)];

            T Get(uint[] ids) => made.TryGetValue(ids, out T? it) ? it : made[ids] = make(ids);
        }
    }

    public int Counts => _arrays.Length;

    public long ByHashSet()
    {
        long count = 0;
        foreach ((uint[] few, HashSet<uint> many) in _hashes)
            foreach (uint id in few) count += many.Contains(id) ? 1 : 0;
        return count;
    }

    public long ByIdSet()
    {
        long count = 0;
        foreach ((IdSet a, IdSet b) in _sets) count += a.CountIntersection(b);
        return count;
    }

    public long ByCRoaring() => Count(_roaring);

    public long ByCRoaringWithoutRuns() => Count(_roaringWithoutRuns);

    public long BySortedIds()
    {
        long count = 0;
        foreach ((uint[] a, uint[] b) in _arrays) count += SortedIds.CountIntersection(a, b);
        return count;
    }

    /// <summary>The merge that everyone writes first.</summary>
    public long ByLinearMerge()
    {
        long count = 0;
        foreach ((uint[] a, uint[] b) in _arrays)
        {
            for (int i = 0, j = 0; i < a.Length && j < b.Length;)
            {
                if (a[i] < b[j]) i++;
                else if (a[i] > b[j]) j++;
                else
                {
                    count++;
                    i++;
                    j++;
                }
            }
        }
        return count;
    }

    private static long Count((CRoaring A, CRoaring B)[] pairs)
    {
        long count = 0;
        foreach ((CRoaring a, CRoaring b) in pairs) count += a.CountIntersection(b);
        return count;
    }
}
