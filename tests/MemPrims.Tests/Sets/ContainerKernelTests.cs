using MemPrims.Sets;
using static MemPrims.Tests.Sets.KernelCheck;

namespace MemPrims.Tests.Sets;

// Tests the kernels of containers against a loop over all 65,536 ids. The lengths lie around every block size, the ids are spread evenly
// and unevenly, and runs reach up to the last id.
public sealed class ContainerKernelTests
{
    private static readonly int[] Lengths =
        [1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 1000, 1024, 1025, 1500, 4095, 4096];

    [Fact]
    public void Words_with_every_number_of_bits_are_decoded_whole()
    {
        Random random = Seeds.Random();
        for (int bits = 0; bits <= 64; bits++)
        {
            ulong[] words = new ulong[Bitmap.WordCount];
            int[] places = [.. Enumerable.Range(0, 64)];
            random.Shuffle(places);
            foreach (int place in places.Take(bits)) words[7] |= 1ul << place;
            (words[6], words[9]) = (1ul << 63, 5);
            int[] expected = [6 * 64 + 63, .. places.Take(bits).Order().Select(place => 7 * 64 + place), 9 * 64, 9 * 64 + 2];
            // Exactly the room that is needed, and more.
            foreach (int room in (int[])[expected.Length, expected.Length + 200])
            {
                ushort[] narrow = new ushort[room];
                uint[] wide = new uint[room];
                Assert.Equal(expected.Length, BitmapDecode.Write(ref words[0], (ushort)0, narrow));
                Assert.Equal(expected.Length, BitmapDecode.Write(ref words[0], 0x50000u, wide));
                Assert.Equal(expected, narrow.Take(expected.Length).Select(id => (int)id));
                Assert.Equal(expected, wide.Take(expected.Length).Select(id => (int)id - 0x50000));
            }
        }
    }

    [Fact]
    public void The_ids_up_to_one_and_the_few_among_many_are_counted()
    {
        Random random = Seeds.Random();
        foreach (int length in Lengths)
        {
            foreach (ushort[] ids in new[] { Even(random, length), Crowded(random, length, 0), Crowded(random, length, 65536 - 2 * length),
                TwoCrowds(random, length) })
            {
                bool[] set = Bits(ids);
                int[] upTo = UpTo(set);
                for (int id = 0; id < 65536; id += random.Next(1, 40)) Check(id);
                foreach (ushort id in ids)
                {
                    Check(id);
                    if (id > 0) Check(id - 1);
                    if (id < ushort.MaxValue) Check(id + 1);
                }

                void Check(int id)
                {
                    if (upTo[id] != ArraySearch.UpTo(ids, (ushort)id)) Assert.Fail(
                        $"{ArraySearch.UpTo(ids, (ushort)id)} of {length} ids up to {id}, not {upTo[id]}");
                    if (set[id] != ArraySearch.Contains(ids, (ushort)id)) Assert.Fail($"{id} among {length} ids: {!set[id]}");
                }
            }
        }
    }

    [Fact]
    public void Every_number_of_few_ids_is_counted_in_every_number_of_many()
    {
        Random random = Seeds.Random();
        for (int few = 0; few <= 20; few++)
        {
            foreach (int many in Lengths)
            {
                ushort[] a = Even(random, few, 8192), b = Even(random, many, 8192);
                Assert.Equal(a.Intersect(b).Count(), ArraySearch.Count(a, b));
            }
        }
    }

    [Fact]
    public void Runs_are_counted_against_runs_and_ids()
    {
        Random random = Seeds.Random();
        foreach (int few in new[] { 1, 2, 4, 5, 8, 15, 16, 17, 40, 130 })
        {
            foreach (int many in new[] { 1, 3, 5, 7, 8, 9, 16, 31, 32, 33, 64, 127, 128, 129, 500, 2048 })
            {
                for (int end = 0; end < 4; end++)
                {
                    Run[] a = Runs(random, few, (end & 1) != 0), b = Runs(random, many, (end & 2) != 0);
                    bool[] inA = Bits(a), inB = Bits(b);
                    int[] begun = UpTo(Starts(b));
                    int shared = 0;
                    for (int id = 0; id < inA.Length; id++) shared += inA[id] & inB[id] ? 1 : 0;
                    Assert.Equal(shared, RunKernels.Count(a, b));
                    Assert.Equal(shared, RunKernels.Count(b, a));
                    Assert.Equal(shared, RunOverlap.Count(a, b));
                    Assert.Equal(shared, RunOverlap.Count(b, a));
                    ushort[] ids = Even(random, Math.Min(many * 20, 4096));
                    Assert.Equal(ids.Count(id => inA[id]), ArrayAndRuns.Count(ids, a));
                    for (int i = 0; i < 100; i++)
                    {
                        int id = random.Next(65536);
                        Assert.Equal(begun[id] - 1, RunKernels.Before(b, id));
                    }
                }
            }
        }
    }

    [Fact]
    public void Sets_whose_keys_are_sparse_crowded_or_far_fewer_are_counted()
    {
        Random random = Seeds.Random();
        foreach (int left in new[] { 3, 4, 15, 16, 17, 100, 1000 })
        {
            foreach (int right in new[] { 15, 16, 17, 40, 400, 5000, 60_000 })
            {
                foreach (int crowd in new[] { 1, 50 })
                {
                    uint[] a = Spread(random, left, 1), b = Spread(random, right, crowd);
                    // Makes sure that some ids are in both.
                    uint[] c = [.. b.Concat(a.Where((_, i) => i % 3 == 0)).Distinct().Order()];
                    IdSet x = IdSet.FromSorted(a), y = IdSet.FromSorted(c);
                    int shared = a.Intersect(c).Count();
                    Assert.Equal(shared, x.CountIntersection(y));
                    Assert.Equal(shared, y.CountIntersection(x));
                    Assert.Equal(shared, Loose(a).CountIntersection(y));
                    Assert.Equal(shared, y.CountIntersection(Loose(a)));
                    Assert.Equal(shared > 0, x.Overlaps(y));
                    Assert.Equal(shared > 0, y.Overlaps(x));
                }
            }
        }
    }

    // The same ids in containers instead of an image.
    private static IdSet Loose(uint[] ids)
    {
        IdSet set = new();
        foreach (uint id in ids) set.Add(id);
        return set;
    }

    private static uint[] Spread(Random random, int count, int crowd)
    {
        HashSet<uint> ids = [];
        while (ids.Count < count)
        {
            uint start = (uint)random.NextInt64(1L << 32);
            for (uint i = 0; i < crowd && ids.Count < count; i++) ids.Add(start + i * 70_000);
        }
        return [.. ids.Order()];
    }

    private static ushort[] Even(Random random, int count, int below = 65536)
    {
        HashSet<ushort> ids = [];
        while (ids.Count < count) ids.Add((ushort)random.Next(below));
        return [.. ids.Order()];
    }

    private static ushort[] Crowded(Random random, int count, int from) =>
        [.. Even(random, count, 2 * count).Select(id => (ushort)(from + id))];

    private static ushort[] TwoCrowds(Random random, int count) =>
        [.. Crowded(random, (count + 1) / 2, 0).Concat(Crowded(random, count / 2, 60_000 - count)).Distinct().Order()];

    // Runs with a gap at least between two, the last of which may end with the container.
    private static Run[] Runs(Random random, int count, bool toTheEnd)
    {
        int[] bounds = [.. Even(random, 2 * count, 32768).Select(id => id * 2)];
        if (toTheEnd) bounds[^1] = ushort.MaxValue;
        return [.. Enumerable.Range(0, count).Select(i => new Run(bounds[2 * i], bounds[2 * i + 1]))];
    }

    private static bool[] Starts(Run[] runs) => Bits([.. runs.Select(run => (ushort)run.Start)]);

    private static int[] UpTo(bool[] bits)
    {
        int[] upTo = new int[bits.Length];
        for (int i = 0, count = 0; i < bits.Length; i++) upTo[i] = count += bits[i] ? 1 : 0;
        return upTo;
    }
}
