using System.Buffers;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// What 64-bit sets offer beside the four operations, against SortedSet<T>.
public sealed class WideSetTests
{
    [Fact]
    public void Changes_by_sets_ranges_and_lists_are_those_of_a_sorted_set()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 60; round++)
            SetModel.Change<IdSet64, ulong>(random, () => Some(random), () =>
            {
                ulong first = ((ulong)random.Next(1, 3) << 32) - (ulong)random.Next(1500);
                return (first, first + (ulong)random.Next(3000));
            }, (ids, set) => Same(ids, set, random));
    }

    [Fact]
    public void Ranges_reach_to_both_ends_and_over_many_upper_halves()
    {
        IdSet64 set = IdSet64.FromInterval(ulong.MaxValue - 2, ulong.MaxValue);
        Assert.Equal([ulong.MaxValue - 2, ulong.MaxValue - 1, ulong.MaxValue], set.ToArray());
        set.AddInterval(0, 1);
        set.RemoveInterval(1, ulong.MaxValue - 1);
        Assert.Equal([0, ulong.MaxValue], set.ToArray());
        set.RemoveInterval(0, ulong.MaxValue);
        Assert.True(set.IsEmpty && !set.TryGetMin(out _) && !set.TryGetMax(out _));
        IdSet64 wide = IdSet64.FromInterval((1ul << 32) - 1, 3ul << 32);
        Assert.Equal((2L << 32) + 2, wide.Count);
        Assert.True(wide.Contains(1ul << 32) && wide.Contains(3ul << 32) && !wide.Contains((3ul << 32) + 1)
            && !wide.Contains((1ul << 32) - 2));
        Assert.Throws<ArgumentException>(() => IdSet64.FromInterval(2, 1));
        Assert.Throws<ArgumentException>(() => wide.RemoveInterval(2, 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => wide.Add(-1));
        Assert.True(wide.Add(5L) && !wide.Add(5));
    }

    [Fact]
    public void Many_sets_are_joined_and_met_and_sets_relate()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 30; round++)
        {
            ulong[][] ids = [.. Enumerable.Range(0, random.Next(1, 6)).Select(_ => Some(random))];
            IdSet64[] sets = [.. ids.Select(some => IdSet64.From(some))];
            Assert.Equal(ids.SelectMany(some => some).Distinct().Order(), IdSet64.OrMany(sets).ToArray());
            Assert.Equal(ids.Aggregate((a, b) => [.. a.Intersect(b)]).Distinct().Order(), IdSet64.AndMany(sets).ToArray());
            IdSet64 a = sets[0], b = sets[^1], both = a.And(b), either = a.Or(b);
            Assert.True(both.IsSubsetOf(a) && a.IsSupersetOf(both) && a.IsSubsetOf(either) && a.SetEquals(a.Clone()));
            Assert.Equal(both.Count < a.Count, both.IsProperSubsetOf(a));
            Assert.Equal(either.Count > a.Count, either.IsProperSupersetOf(a));
            Assert.Equal(both.Count > 0, a.Overlaps(b));
            Assert.Equal(either.Count, a.CountUnion(b));
        }
        Assert.Empty(IdSet64.OrMany().ToArray());
        Assert.Throws<ArgumentException>(() => IdSet64.AndMany());
        Assert.Throws<ArgumentNullException>(() => new IdSet64().SetEquals(null!));
    }

    [Fact]
    public void The_reader_reads_blocks_and_skips_both_ways()
    {
        Random random = Seeds.Random();
        IdSet64 set = IdSet64.From([.. Some(random), .. Some(random), ulong.MaxValue]);
        ulong[] up = set.ToArray(), down = [.. up.Reverse()];
        (ulong[], Func<IdSet64Reader>)[] ways = [(up, set.GetReader), (down, set.GetReverseReader)];
        foreach ((ulong[] ids, Func<IdSet64Reader> open) in ways)
        {
            foreach (int block in new[] { 1, 100, 300, 100_000 }) Assert.Equal(ids, SetModel.InBlocks<ulong>(block, open().ReadMany));
            for (int round = 0; round < 30; round++)
            {
                IdSet64Reader reader = open();
                for (int at = 0; at < ids.Length; at++)
                {
                    ulong near = ids[Math.Min(ids.Length - 1, at + random.Next(40))], target = random.Next(2) == 0 ? near
                        : near ^ (ulong)random.Next(5) << 30;
                    reader.AdvanceTo(target);
                    while (at < ids.Length && (ids == up ? ids[at] < target : ids[at] > target)) at++;
                    Assert.Equal(at < ids.Length, reader.TryRead(out ulong id));
                    if (at < ids.Length) Assert.Equal(ids[at], id);
                }
            }
        }
        Assert.Equal(down, set.Backwards());
        Assert.Equal(0, new IdSet64().GetReader().ReadMany(new ulong[1]));
        Assert.False(new IdSet64().GetReverseReader().TryRead(out _));
    }

    [Fact]
    public void Wide_sets_are_written_to_spans_and_buffers()
    {
        IdSet64 set = IdSet64.From([1, 1ul << 40, 1ul << 50]);
        byte[] bytes = set.ToByteArray(), to = new byte[bytes.Length];
        ArrayBufferWriter<byte> writer = new();
        set.Serialize(writer);
        Assert.Equal(bytes, writer.WrittenSpan.ToArray());
        Assert.Throws<ArgumentException>(() => set.Serialize(new byte[bytes.Length - 1].AsSpan()));
        Assert.Equal(bytes.Length, set.Serialize(to.AsSpan()));
        Assert.Equal(bytes, to);
        set.Optimize();
        Assert.Equal(bytes, set.ToByteArray());
        Assert.Throws<NotSupportedException>(() => IdSet64.OpenFrozen(bytes).AddInterval(1, 2));
        Assert.Throws<NotSupportedException>(() => IdSet64.OpenFrozen(bytes).RemoveInterval(1, 2));
        Assert.Throws<NotSupportedException>(() => IdSet64.OpenFrozen(bytes).IntersectWith(set));
        Assert.Throws<ArgumentException>(() => set.CopyTo(new ulong[2]));
    }

    [Fact]
    public void Many_selections_are_those_of_one_at_a_time()
    {
        Random random = Seeds.Random();
        IdSet64 set = IdSet64.FromInterval((1ul << 32) - 90_000, (1ul << 32) + 200_000).Or(
            IdSet64.From([5, .. Some(random), 9ul << 32, ulong.MaxValue]));
        ulong[] all = set.ToArray();
        ulong[] ids = [0, 5, 6, .. all.Where(_ => random.Next(5000) == 0), (5ul << 32) + 7, ulong.MaxValue - 1, ulong.MaxValue];
        random.Shuffle(ids);
        Assert.Equal(ids.Select(id => (long)all.Count(other => other <= id)), ids.Select(set.Rank));
        long[] wanted = [0, all.Length - 1, .. Enumerable.Range(0, 300).Select(_ => (long)random.Next(all.Length))];
        ulong[] selected = new ulong[wanted.Length];
        set.IdsAt(wanted, selected);
        Assert.Equal(wanted.Select(rank => all[rank]), selected);
        selected.AsSpan().Clear();
        Assert.Throws<ArgumentOutOfRangeException>(() => set.IdsAt([0, all.Length], selected));
        Assert.Throws<ArgumentOutOfRangeException>(() => set.IdsAt([0, -1], selected));
        Assert.Throws<ArgumentOutOfRangeException>(() => new IdSet64().IdsAt([0], selected));
        Assert.Equal(0ul, selected[0]);
        Assert.Throws<ArgumentException>(() => set.IdsAt([0, 1], new ulong[1]));
        Assert.Equal(all[7], set.IdAt(7));
        Assert.Contains($"has {all.Length} ids", Assert.Throws<ArgumentOutOfRangeException>(() => set.IdAt(all.Length)).Message);
    }

    [Fact]
    public void A_call_that_changes_nothing_ends_no_reader()
    {
        IdSet64 same = IdSet64.From([2ul << 32, 5ul << 32, 7ul << 32]);
        IdSet64Reader reader = same.GetReader();
        Assert.False(same.Remove(1) || same.Add(5ul << 32));
        Assert.Equal(3, reader.ReadMany(new ulong[4]));
    }

    private static void Same(ulong[] expected, IdSet64 set, Random random)
    {
        Assert.Equal(expected, set.ToArray());
        Assert.Equal(expected, set);
        Assert.Equal(expected.Length, set.Count);
        Assert.Equal(expected, IdSet64.Deserialize(set.ToByteArray()).ToArray());
        if (expected.Length == 0) return;
        int rank = random.Next(expected.Length);
        ulong[] selected = new ulong[1];
        set.IdsAt([rank], selected);
        Assert.Equal((expected[rank], rank + 1), (selected[0], set.Rank(expected[rank])));
        Assert.Equal((expected[0], expected[^1]), (set.Min, set.Max));
        ulong from = expected[rank] ^ (ulong)random.Next(4) << random.Next(34);
        Assert.Equal(expected.Any(id => id >= from), set.TryGetNext(from, out ulong next));
        Assert.Equal(expected.FirstOrDefault(id => id >= from), next);
        Assert.Equal(expected.Any(id => id <= from), set.TryGetPrevious(from, out ulong previous));
        Assert.Equal(expected.LastOrDefault(id => id <= from), previous);
        Assert.Equal(expected.Contains(from), set.Contains(from));
    }

    private static ulong[] Some(Random random) =>
        [.. Enumerable.Range(0, random.Next(1, 300)).Select(_ => ((ulong)random.Next(1, 4) << 32) - 1500 + (ulong)random.Next(3000))];
}
