using System.Numerics;
using MemPrims.Sets;

namespace MemPrims.Guard;

/// <summary>Sets of each kind of container. Peers by hand: a merge of sorted arrays, words of bits, a HashSet.</summary>
internal sealed class SetRows : IRows
{
    private const int Sets = 64, Below = 1 << 20;

    public IEnumerable<Row> All =>
    [
        .. Of("sparse", static seed => Draw.Ids(seed, 8_000, Below)),
        .. Of("dense", static seed => Draw.Ids(seed, 200_000, Below)),
        .. Of("clustered", static seed => Draw.Clustered(seed, 100_000, Below)),
        .. Of("columns", Column),
        new("sets: sorted arrays, count", () =>
        {
            uint[][] ids = [.. Enumerable.Range(0, Sets).Select(seed => Draw.Ids(seed, 1000, 8000))];
            int at = 0;
            return new(Sets, () => Pairs(ref at, (i, j) => SortedIds.CountIntersection(ids[i], ids[j])), "merge",
                () => Pairs(ref at, (i, j) => Merge(ids[i], ids[j])));
        }),
        new("sets: add, random", () =>
        {
            Random random = new(6);
            uint[] ids = new uint[4096];
            return new(ids.Length, () =>
            {
                IdSet set = new();
                foreach (uint id in ids) set.Add(id);
                return set.Count;
            }, "HashSet", () =>
            {
                HashSet<uint> set = [];
                foreach (uint id in ids) set.Add(id);
                return set.Count;
            }) { Redraw = () => { foreach (ref uint id in ids.AsSpan()) id = (uint)random.Next(Below); } };
        }),
        new("sets: open frozen and ask", () =>
        {
            byte[] saved = IdSet.FromSorted(Draw.Ids(1, 8000, Below)).ToByteArray();
            return new(64, () =>
            {
                long sum = 0;
                for (uint i = 0; i < 64; i++) sum += IdSet.OpenFrozen(saved).Contains(i * 997) ? 1 : 0;
                return sum;
            });
        }),
    ];

    // As sets of a table's columns are: few values take most rows, and rows lie in the order in which they came.
    private static uint[] Column(int seed) => (seed % 8) switch
    {
        0 => [.. Enumerable.Range(0, Below / 2).Select(id => (uint)id)],
        1 or 2 => Draw.Clustered(seed, 60_000, Below),
        3 => Draw.Ids(seed, 120_000, Below),
        _ => Draw.Ids(seed, 200 * (seed % 8), Below),
    };

    private static IEnumerable<Row> Of(string kind, Func<int, uint[]> draw)
    {
        Lazy<(uint[][] Ids, IdSet[] Sets)> made = new(() =>
        {
            uint[][] ids = [.. Enumerable.Range(0, Sets).Select(draw)];
            return (ids, [.. ids.Select(each => IdSet.FromSorted(each))]);
        });
        int at = 0;
        yield return new($"sets: {kind}, count", () =>
        {
            (uint[][] ids, IdSet[] sets) = made.Value;
            foreach (IdSet set in sets) set.Optimize();
            ulong[][] words = kind == "dense" ? [.. ids.Select(Words)] : [];
            Func<long> ours = () => Pairs(ref at, (i, j) => sets[i].CountIntersection(sets[j]));
            return kind == "dense" ? new(Sets, ours, "words", () => Pairs(ref at, (i, j) => Common(words[i], words[j])))
                : kind == "sparse" ? new(Sets, ours, "merge", () => Pairs(ref at, (i, j) => Merge(ids[i], ids[j]))) : new(Sets, ours);
        });
        yield return new($"sets: {kind}, And", () => New(static (x, y) => x.And(y)));
        yield return new($"sets: {kind}, Or", () => New(static (x, y) => x.Or(y)));
        yield return new($"sets: {kind}, contains", () =>
        {
            IdSet[] sets = made.Value.Sets;
            HashSet<uint>[] peers = [.. made.Value.Ids.Take(8).Select(ids => new HashSet<uint>(ids))];
            uint[] probes = new uint[4096];
            Random random = new(8);
            return new(probes.Length, () =>
            {
                long sum = 0;
                for (int i = 0; i < probes.Length; i++) sum += sets[i & 7].Contains(probes[i]) ? 1 : 0;
                return sum;
            }, "HashSet", () =>
            {
                long sum = 0;
                for (int i = 0; i < probes.Length; i++) sum += peers[i & 7].Contains(probes[i]) ? 1 : 0;
                return sum;
            })
            { Redraw = () => { foreach (ref uint probe in probes.AsSpan()) probe = (uint)random.Next(Below); } };
        });
        yield return new($"sets: {kind}, read in blocks", () =>
        {
            IdSet[] sets = made.Value.Sets;
            uint[] block = new uint[1024];
            return new((int)sets.Take(4).Sum(set => set.Count), () =>
            {
                long sum = 0;
                foreach (IdSet set in sets.AsSpan(0, 4))
                {
                    IdSetReader reader = set.GetReader();
                    while (reader.ReadMany(block) is > 0 and var read) sum += block[read - 1];
                }
                return sum;
            });
        });

        Work New(Func<IdSet, IdSet, IdSet> operation) => new(Sets, () => Pairs(ref at, (i, j) =>
        {
            IdSet made2 = operation(made.Value.Sets[i], made.Value.Sets[j]);
            long count = made2.Count;
            made2.Clear();
            return count;
        }));
    }

    /// <summary>Each set with another one, at another distance each time.</summary>
    private static long Pairs(ref int at, Func<int, int, long> operation)
    {
        long sum = 0;
        int distance = 1 + at++ % (Sets - 1);
        for (int i = 0; i < Sets; i++) sum += operation(i, (i + distance) % Sets);
        return sum;
    }

    private static long Merge(uint[] left, uint[] right)
    {
        long common = 0;
        for (int i = 0, j = 0; i < left.Length && j < right.Length;)
        {
            uint x = left[i], y = right[j];
            if (x == y) common++;
            if (x <= y) i++;
            if (y <= x) j++;
        }
        return common;
    }

    private static ulong[] Words(uint[] ids)
    {
        ulong[] words = new ulong[Below / 64];
        foreach (uint id in ids) words[id >> 6] |= 1UL << (int)(id & 63);
        return words;
    }

    private static long Common(ulong[] left, ulong[] right)
    {
        long common = 0;
        for (int i = 0; i < left.Length; i++) common += BitOperations.PopCount(left[i] & right[i]);
        return common;
    }
}
