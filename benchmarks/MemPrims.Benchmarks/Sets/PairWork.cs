using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>256 pairs of sets of 16 containers: all different, or, of large sets, 16 of one side with each of 16 of the other.</summary>
internal sealed unsafe class PairWork
{
    private const int Containers = 16, Large = 16;

    private readonly (IdSet A, IdSet B)[] _sets;
    private readonly (CRoaring A, CRoaring B)[] _peers = [];

    public PairWork(string a, string b)
    {
        Kinds = (a, b);
        Random random = new(7);
        uint[][] idsA = Side(random, a), idsB = Side(random, b);
        IdSet[] setsA = [.. idsA.Select(ids => IdSet.FromSorted(ids))], setsB = [.. idsB.Select(ids => IdSet.FromSorted(ids))];
        _sets = [.. Enumerable.Range(0, Counts).Select(i => (setsA[i % setsA.Length], setsB[i / 16 % setsB.Length]))];
        if (setsB.Length == Counts) _sets = [.. Enumerable.Range(0, Counts).Select(i => (setsA[i % setsA.Length], setsB[i]))];
        if (!CRoaring.IsAvailable) return;
        Dictionary<IdSet, CRoaring> peers = setsA.Zip(idsA).Concat(setsB.Zip(idsB)).ToDictionary(pair => pair.First,
            pair => new CRoaring(pair.Second));
        _peers = [.. _sets.Select(pair => (peers[pair.A], peers[pair.B]))];
    }

    public (string, string) Kinds { get; }

    public int Counts => 256;

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
        delegate*<nint, nint, nint> operation = name switch { "And" => &CRoaring.And, "Or" => &CRoaring.Or, "Xor" => &CRoaring.Xor,
            _ => &CRoaring.AndNot };
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

    private uint[][] Side(Random random, string kind)
    {
        int size = kind == "bitmap" ? 20_000 : int.Parse(kind.Split(' ')[1]);
        int sets = size <= 30 ? Counts : Large;
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
