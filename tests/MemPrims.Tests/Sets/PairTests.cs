using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// Tests every pair of kinds of containers against a loop over all 65,536 ids, with lengths around every change of the kernel.
public sealed class PairTests
{
    private const int Universe = 65536;

    [Fact]
    public void Every_pair_of_shapes_is_counted_and_combined()
    {
        Random random = Seeds.Random();
        (string Name, bool[] Bits, IdSet Set)[] shapes = [.. Shapes(random).Select(shape => (shape.Name, shape.Bits, Of(shape.Bits)))];
        foreach ((string nameA, bool[] a, IdSet x) in shapes)
            foreach ((string nameB, bool[] b, IdSet y) in shapes.Where(_ => random.Next(LongRuns.Of(3, 1)) == 0))
            {
                string name = $"{nameA} and {nameB}";
                Check($"And of {name}", x.And(y), a, b, (l, r) => l & r);
                Check($"Or of {name}", x.Or(y), a, b, (l, r) => l | r);
                Check($"Xor of {name}", x.Xor(y), a, b, (l, r) => l ^ r);
                Check($"AndNot of {name}", x.AndNot(y), a, b, (l, r) => l & !r);
                int shared = 0;
                for (int id = 0; id < Universe; id++) shared += a[id] & b[id] ? 1 : 0;
                if (shared != x.CountIntersection(y)) Assert.Fail($"{x.CountIntersection(y)} of {name}, not {shared}");
            }
    }

    private static void Check(string name, IdSet set, bool[] a, bool[] b, Func<bool, bool, bool> operation)
    {
        uint[] ids = set.ToArray();
        int at = 0;
        for (int id = 0; id < Universe; id++)
        {
            if (!operation(a[id], b[id])) continue;
            if (at == ids.Length
                || ids[at] != id) Assert.Fail($"{name}: {id} is missing, {(at < ids.Length ? ids[at] : "nothing")} stands there");
            at++;
        }
        if (at != ids.Length) Assert.Fail($"{name}: {ids[at]} is too much");
        // The result must pass the check of a loaded set, and its count must agree.
        byte[] bytes = set.ToByteArray();
        IdSet read = IdSet.Deserialize(bytes);
        if (read.Count == ids.Length && set.SerializedSize == bytes.Length) return;
        Assert.Fail($"{name}: {read.Count} ids in {bytes.Length} bytes, not {ids.Length} in {set.SerializedSize}");
    }

    private static IEnumerable<(string Name, bool[] Bits)> Shapes(Random random)
    {
        foreach (int ids in new[] { 1, 2, 7, 8, 9, 30, 31, 32, 33, 63, 64, 65, 100, 257, 1000, 3000, 4096 })
            yield return ($"{ids} ids", Ids(random, ids, 0));
        yield return ("64 ids to the end", Ids(random, 64, 65472));
        yield return ("200 ids in 300", Ids(random, 200, 65236));
        foreach (int ids in new[] { 4097, 20_000, 60_000 }) yield return ($"{ids} ids", Ids(random, ids, 0));
        foreach (int runs in new[] { 1, 2, 7, 8, 9, 17, 20, 48, 49, 130, 299, 1000, 2047 })
        {
            yield return ($"{runs} runs", Runs(random, runs, toTheEnd: false));
            yield return ($"{runs} runs to the end", Runs(random, runs, toTheEnd: true));
        }
        yield return ("all", [.. Enumerable.Repeat(true, Universe)]);
    }

    private static bool[] Ids(Random random, int count, int from)
    {
        bool[] bits = new bool[Universe];
        int most = count == 200 ? from + 300 : Universe;
        for (int have = 0; have < count;)
        {
            int id = random.Next(from, most);
            have += bits[id] ? 0 : 1;
            bits[id] = true;
        }
        return bits;
    }

    private static bool[] Runs(Random random, int count, bool toTheEnd)
    {
        HashSet<int> cuts = toTheEnd ? [0, Universe] : [];
        while (cuts.Count < 2 * count) cuts.Add(random.Next(Universe));
        bool[] bits = new bool[Universe];
        foreach (int[] run in cuts.Order().Chunk(2)) bits.AsSpan(run[0], run[1] - run[0]).Fill(true);
        return bits;
    }

    private static IdSet Of(bool[] bits) => IdSet.FromSorted([.. Enumerable.Range(0,
        Universe).Where(id => bits[id]).Select(id => (uint)id)]);
}
