using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>256 pairs of sets of 16 containers: all different, or, of large sets, 16 of one side with each of 16 of the other.</summary>
internal sealed unsafe class PairWork
{
    private const int Containers = 16, Large = 16, Most = 256;

    private readonly (IdSet A, IdSet B)[] _sets;
    private readonly (CRoaring A, CRoaring B)[] _peers = [];

    public PairWork(string a, string b) : this(Pairs(a, b)) => Kinds = (a, b);

    /// <summary>Of pairs of ids; ids that are in several pairs make one set.</summary>
    public PairWork((uint[] A, uint[] B)[] pairs)
    {
        uint[][] ids = [.. pairs.SelectMany(pair => new[] { pair.A, pair.B }).Distinct()];
        Dictionary<uint[], IdSet> sets = ids.ToDictionary(some => some, some => IdSet.FromSorted(some));
        _sets = [.. pairs.Select(pair => (sets[pair.A], sets[pair.B]))];
        if (!CRoaring.IsAvailable) return;
        Dictionary<uint[], CRoaring> peers = ids.ToDictionary(some => some, some => new CRoaring(some));
        _peers = [.. pairs.Select(pair => (peers[pair.A], peers[pair.B]))];
    }

    public (string, string) Kinds { get; }

    public int Counts => _sets.Length;

    /// <summary>Puts the pairs in another order.</summary>
    public void Shuffle(Random random)
    {
        for (int i = _sets.Length - 1; i > 0; i--)
        {
            int j = random.Next(i + 1);
            (_sets[i], _sets[j]) = (_sets[j], _sets[i]);
            if (_peers.Length > 0) (_peers[i], _peers[j]) = (_peers[j], _peers[i]);
        }
    }

    public long Count()
    {
        long count = 0;
        foreach ((IdSet a, IdSet b) in _sets) count += a.CountIntersection(b);
        return count;
    }

    public long CountByCRoaring()
    {
        long count = 0;
        foreach ((CRoaring a, CRoaring b) in _peers) count += (long)CRoaring.AndCardinality(a.Handle, b.Handle);
        return count;
    }

    /// <summary>The results are cleared, as the peer's are freed, or left to the garbage collector.</summary>
    public Func<long> Make(Func<IdSet, IdSet, IdSet> operation, bool clears) => () =>
    {
        long count = 0;
        foreach ((IdSet a, IdSet b) in _sets)
        {
            IdSet result = operation(a, b);
            count += result.Count;
            if (clears) result.Clear();
        }
        return count;
    };

    public Func<long> MakeByCRoaring(string name)
    {
        delegate*<nint, nint, nint> operation = name switch
        {
            "And" => &CRoaring.And,
            "Or" => &CRoaring.Or,
            "Xor" => &CRoaring.Xor,
            _ => &CRoaring.AndNot
        };
        return () =>
        {
            long count = 0;
            foreach ((CRoaring a, CRoaring b) in _peers)
            {
                nint result = operation(a.Handle, b.Handle);
                count += (long)CRoaring.Cardinality(result);
                CRoaring.Free(result);
            }
            return count;
        };
    }

    private static (uint[], uint[])[] Pairs(string a, string b)
    {
        Random random = new(7);
        uint[][] idsA = Side(random, a), idsB = Side(random, b);
        return [.. Enumerable.Range(0, Most).Select(i => (idsA[i % idsA.Length], idsB[idsB.Length == Most ? i : i / 16 % idsB.Length]))];
    }

    private static uint[][] Side(Random random, string kind)
    {
        int size = kind == "bitmap" ? 20_000 : int.Parse(kind.Split(' ')[1]);
        int sets = size <= 30 ? Most : Large;
        return [.. Enumerable.Range(0, sets).Select(_ => Enumerable.Range(0, Containers).SelectMany(key => Container(random, kind,
            size).Select(id => (uint)(key << 16 | id))).ToArray())];
    }

    private static int[] Container(Random random, string kind, int size)
    {
        bool runs = kind.StartsWith("runs", StringComparison.Ordinal);
        HashSet<int> cuts = [];
        while (cuts.Count < (runs ? 2 * size : size)) cuts.Add(random.Next(65536));
        int[] sorted = [.. cuts.Order()];
        return runs ? [.. sorted.Chunk(2).SelectMany(run => Enumerable.Range(run[0], run[1] - run[0]))] : sorted;
    }
}
