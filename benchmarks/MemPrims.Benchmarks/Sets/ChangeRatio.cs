using MemPrims.Benchmarks.Ratio;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Ids put into sets and taken out one at a time, against CRoaring's newest release. The ids of 256 sets, or of one wide one, are drawn
/// anew for every batch. Sets to take out of are copied first, the peer's too; theirs are freed.
/// </summary>
public sealed class ChangeRatio : IRatioCases
{
    private const int Sets = 256, Each = 1000, WideIds = 65_536;

    public static IEnumerable<RatioCase> Cases()
    {
        yield return Case("ascending", random => Many(random, dense: true, shuffled: false));
        yield return Case("random order", random => Many(random, dense: false, shuffled: true));
        yield return Case("random order, dense", random => Many(random, dense: true, shuffled: true));
        yield return Case("wide, one id a container", random => [Wide(random)]);
        foreach (RatioCase row in Removals()) yield return row;
    }

    private static IEnumerable<RatioCase> Removals()
    {
        yield return Removal("ascending", random => Many(random, dense: true, shuffled: false));
        yield return Removal("random order", random => Many(random, dense: false, shuffled: true));
        yield return Removal("random order, dense", random => Many(random, dense: true, shuffled: true));
        yield return Removal("wide, one id a container", random => [Wide(random)]);
    }

    private static RatioCase Case(string name, Func<Random, uint[][]> draw) => Contest("Add", name, draw, Add, AddByCRoaring);

    private static RatioCase Removal(string name, Func<Random, uint[][]> draw) => Contest("Remove", name, draw, Remove, RemoveByCRoaring);

    private static RatioCase Contest(
        string what, string name, Func<Random, uint[][]> draw, Func<uint[][], IdSet[], long> ours,
        Func<uint[][], CRoaring[], long> theirs) =>
        new("Sets/change", $"{what}, {name}", () =>
        {
            Random random = new(3);
            uint[][] ids = [];
            IdSet[] sets = [];
            CRoaring[] peers = [];
            Redraw();
            return new(ids.Sum(some => some.Length), new("IdSet", () => ours(ids, sets)), CRoaring.IsAvailable
                ? [new("CRoaring", () => theirs(ids, peers), 1)] : [])
            {
                Redraw = Redraw,
                Close = Free,
            };

            void Redraw()
            {
                ids = draw(random);
                if (what == "Add") return;
                Free();
                sets = [.. ids.Select(some => IdSet.From(some))];
                if (CRoaring.IsAvailable) peers = [.. ids.Select(some => new CRoaring(some.Order().ToArray()))];
            }

            void Free()
            {
                foreach (CRoaring peer in peers) peer.Dispose();
            }
        });

    private static long Add(uint[][] ids, IdSet[] _)
    {
        long added = 0;
        foreach (uint[] some in ids)
        {
            IdSet set = new();
            foreach (uint id in some) added += set.Add(id) ? 1 : 0;
        }
        return added;
    }

    private static long AddByCRoaring(uint[][] ids, CRoaring[] _)
    {
        long added = 0;
        foreach (uint[] some in ids)
        {
            nint set = CRoaring.Create();
            foreach (uint id in some) added += CRoaring.Add(set, id);
            CRoaring.Free(set);
        }
        return added;
    }

    private static long Remove(uint[][] ids, IdSet[] sets)
    {
        long removed = 0;
        for (int i = 0; i < ids.Length; i++)
        {
            IdSet set = sets[i].Clone();
            foreach (uint id in ids[i]) removed += set.Remove(id) ? 1 : 0;
        }
        return removed;
    }

    private static long RemoveByCRoaring(uint[][] ids, CRoaring[] sets)
    {
        long removed = 0;
        for (int i = 0; i < ids.Length; i++)
        {
            nint set = CRoaring.Copy(sets[i].Handle);
            foreach (uint id in ids[i]) removed += CRoaring.Remove(set, id);
            CRoaring.Free(set);
        }
        return removed;
    }

    private static uint[][] Many(Random random, bool dense, bool shuffled)
    {
        uint[][] ids = new uint[Sets][];
        for (int i = 0; i < Sets; i++)
        {
            uint next = (uint)random.Next(1_000_000);
            ids[i] = new uint[Each];
            foreach (ref uint id in ids[i].AsSpan()) id = next += (uint)random.Next(1, dense ? 4 : 2000);
            if (shuffled) random.Shuffle(ids[i]);
        }
        return ids;
    }

    private static uint[] Wide(Random random)
    {
        uint[] ids = [.. Enumerable.Range(0, WideIds).Select(key => (uint)key << 16 | (uint)random.Next(65536))];
        random.Shuffle(ids);
        return ids;
    }
}
