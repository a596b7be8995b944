using FsCheck;
using FsCheck.Fluent;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

public class IdSetTests
{
    [Fact]
    public void Containers_of_every_pair_of_shapes_combine_as_HashSet_does()
    {
        (string Name, int[] Ids)[] shapes = [.. SampleIds.Containers()];
        (string Name, HashSet<uint> Model, IdSet[] Sets)[] all = [.. shapes.Select(shape =>
        {
            uint[] ids = [.. shape.Ids.Select(id => (uint)id + 0x30000)];
            return (shape.Name, ids.ToHashSet(), Forms(ids));
        })];
        foreach (var a in all)
            foreach (var b in all)
            {
                uint[] and = [.. a.Model.Where(b.Model.Contains)], or = [.. a.Model.Union(b.Model).Order()];
                uint[] not = [.. a.Model.Where(id => !b.Model.Contains(id))], xor = [.. or.Except(and)];
                foreach (IdSet x in a.Sets)
                    foreach (IdSet y in b.Sets)
                    {
                        string what = $"{a.Name}, {b.Name}";
                        Same(and, x.And(y), what);
                        Same(or, x.Or(y), what);
                        Same(xor, x.Xor(y), what);
                        Same(not, x.AndNot(y), what);
                        Assert.Equal((and.Length, or.Length, xor.Length, not.Length, and.Length > 0),
                            (x.CountIntersection(y), x.CountUnion(y), x.CountXor(y), x.CountAndNot(y), x.Overlaps(y)));
                    }
            }
    }

    [Fact]
    public void Every_shape_answers_in_every_form()
    {
        foreach ((string name, int[] low) in SampleIds.Containers())
        {
            uint[] ids = [.. low.Select(id => (uint)id + 0xFFFF0000)];
            HashSet<uint> model = [.. ids];
            foreach (IdSet set in Forms(ids))
            {
                Same(ids, set, name);
                Assert.Equal(ids, set.AsEnumerable());
                Assert.Equal((ids.Length, ids[0], ids[^1], false), (set.Count, set.Min, set.Max, set.IsEmpty));
                for (uint at = 0; at < 65536; at += 5) Assert.Equal(model.Contains(0xFFFF0000 + at), set.Contains(0xFFFF0000 + at));
                for (int rank = 0; rank < ids.Length; rank += 1 + ids.Length / 300)
                {
                    Assert.Equal(ids[rank], set.IdAt(rank));
                    Assert.Equal(rank + 1, set.Rank(ids[rank]));
                }
                Assert.Equal((0, ids.Length), (set.Rank(5), set.Rank(uint.MaxValue)));
                Assert.Throws<ArgumentOutOfRangeException>(() => set.IdAt(ids.Length));
            }
        }
    }

    [Fact]
    public void Sets_over_the_whole_range_combine_as_HashSet_does()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 300 * Seeds.Scale; round++)
        {
            uint[] a = Spread(random), b = Spread(random);
            IdSet[] formsA = Forms(a), formsB = Forms(b);
            IdSet x = formsA[random.Next(formsA.Length)], y = formsB[random.Next(formsB.Length)];
            Same([.. a.Intersect(b).Order()], x.And(y), "and");
            Same([.. a.Union(b).Order()], x.Or(y), "or");
            Same([.. a.Except(b).Order()], x.AndNot(y), "and-not");
            Same([.. a.Union(b).Except(a.Intersect(b)).Order()], x.Xor(y), "xor");
            Assert.Equal(a.Intersect(b).Count(), x.CountIntersection(y));
            foreach (uint id in a.Take(10).Concat(b.Take(10)))
            {
                Assert.Equal(a.Contains(id), x.Contains(id));
                Assert.Equal(a.Count(other => other <= id), x.Rank(id));
            }
        }

        // Few ids that share some upper halves. The keys go from neighbours to far apart.
        static uint[] Spread(Random random)
        {
            int shift = random.Next(17), count = random.Next(random.Next(2) == 0 ? 30 : 600);
            return [.. Enumerable.Range(0, count).Select(_ => (uint)random.Next(400) << shift | (uint)random.Next(3)).Distinct().Order()];
        }
    }

    [Fact]
    public void Adding_and_removing_at_random_agrees_with_HashSet()
    {
        Random random = Seeds.Random();
        foreach ((string name, int[] low) in SampleIds.Containers())
        {
            uint[] ids = [.. low.Select(id => (uint)id)];
            HashSet<uint> model = [.. ids];
            IdSet set = IdSet.FromSorted(ids);
            for (int step = 0; step < 3000; step++)
            {
                uint id = (uint)random.Next(step % 3 == 0 ? 70_000 : 300) + (step % 2 == 0 ? 0 : (uint)low[^1] / 2);
                if (random.Next(2) == 0) Assert.Equal(model.Add(id), set.Add(id));
                else Assert.Equal(model.Remove(id), set.Remove(id));
            }
            Same([.. model.Order()], set, name);
            Same([.. model.Order()], IdSet.Deserialize(set.ToByteArray()), name);
            set.Optimize();
            Same([.. model.Order()], set, name);
        }
    }

    [Fact]
    public void A_container_crosses_every_limit_up_and_down()
    {
        uint[] order = [.. Enumerable.Range(0, 65536).Select(id => (uint)id)];
        Seeds.Random().Shuffle(order);
        IdSet set = new();
        for (int i = 0; i < order.Length; i++)
        {
            Assert.True(set.Add(order[i]));
            if (i is 4094 or 4095 or 4096 or 65534 or 65535) CheckBoth(i + 1);
        }
        for (int i = order.Length; i-- > 0;)
        {
            if (i is 4096 or 4095 or 4094 or 0) CheckBoth(i + 1);
            Assert.True(set.Remove(order[i]));
            Assert.False(set.Remove(order[i]));
        }
        Assert.True(set.IsEmpty);

        void CheckBoth(int count)
        {
            uint[] expected = [.. order.Take(count).Order()];
            Same(expected, set, $"{count}");
            Same(expected, IdSet.Deserialize(set.ToByteArray()), $"{count}");
        }
    }

    [Fact]
    public void Counts_go_beyond_two_to_the_31()
    {
        IdSet all = IdSet.FromInterval(0, uint.MaxValue), most = IdSet.FromInterval(1, uint.MaxValue - 1);
        Assert.Equal(1L << 32, all.Count);
        Assert.Equal((1L << 32) - 2, all.CountIntersection(most));
        Assert.Equal((1L << 32, 2), (all.CountUnion(most), all.CountXor(most)));
        Assert.Equal([0, uint.MaxValue], all.AndNot(most).ToArray());
        Assert.Equal(3_000_000_001, all.Rank(3_000_000_000));
        Assert.Equal(3_000_000_000, all.IdAt(3_000_000_000));
        Assert.Equal(1L << 32, IdSet.Deserialize(all.ToByteArray()).Count);
    }

    [Fact]
    public void Unsorted_and_repeated_ids_make_the_same_set()
    {
        Prop.ForAll<uint[]>(ids => Same([.. ids.Distinct().Order()], IdSet.From(ids), "From")).QuickCheckThrowOnFailure();
        Same([1, 2, 70_000], IdSet.From([70_000, 2, 1, 2, 70_000]), "From");
        Assert.Contains("position 2", Assert.Throws<ArgumentException>(() => IdSet.FromSorted([1, 2, 2])).Message);
        Assert.Throws<ArgumentException>(() => IdSet.FromInterval(2, 1));
        Same([5], IdSet.FromInterval(5, 5), "FromRange");
        Same([.. Enumerable.Range(65530, 20).Select(id => (uint)id)], IdSet.FromInterval(65530, 65549), "FromRange");
    }

    [Fact]
    public void An_empty_set_answers_nothing()
    {
        IdSet empty = new(), some = IdSet.From([3, 4]);
        foreach (IdSet set in new[] { empty, IdSet.Deserialize(empty.ToByteArray()), IdSet.OpenFrozen(empty.ToByteArray(), validate: true),
            IdSet.FromSorted([]), IdSet.From([]) })
        {
            Assert.Equal((0, true, 0, 2, 8),
                (set.Count, set.IsEmpty, set.CountIntersection(some), set.CountUnion(some), set.SerializedSize));
            Assert.Empty(set.ToArray());
            Assert.Empty(set);
            Assert.Throws<InvalidOperationException>(() => set.Min);
            Assert.Throws<InvalidOperationException>(() => set.Max);
            Same([3, 4], set.Or(some), "or");
        }
    }

    [Fact]
    public void A_frozen_set_refuses_changes_and_its_clone_takes_them()
    {
        IdSet frozen = IdSet.OpenFrozen(IdSet.From([1, 2, 9]).ToByteArray());
        Assert.True(frozen.IsFrozen);
        Assert.Throws<NotSupportedException>(() => frozen.Add(5));
        Assert.Throws<NotSupportedException>(() => frozen.Remove(1));
        Assert.Throws<NotSupportedException>(frozen.Optimize);
        IdSet clone = frozen.Clone();
        Assert.True(clone.Add(5) && clone.Remove(1));
        Same([2, 5, 9], clone, "clone");
        Same([1, 2, 9], frozen, "frozen");
    }

    [Fact]
    public void A_destination_too_short_for_the_ids_is_refused_untouched()
    {
        uint[] two = [8, 8];
        Assert.Throws<ArgumentException>(() => IdSet.From([1, 2, 3]).CopyTo(two));
        Assert.Equal([8, 8], two);
    }

    // The same ids built, loaded, with other kinds of containers, and frozen at an odd address.
    internal static IdSet[] Forms(uint[] ids)
    {
        IdSet built = IdSet.FromSorted(ids), grown = new();
        foreach (uint id in ids) grown.Add(id);
        byte[] odd = [0, .. built.ToByteArray()];
        return [built, grown, IdSet.OpenFrozen(odd.AsMemory(1), validate: true)];
    }

    internal static void Same(uint[] expected, IdSet set, string what)
    {
        uint[] actual = set.ToArray();
        if (!expected.AsSpan().SequenceEqual(actual)) Assert.Fail(
            $"{what}: {expected.Length} ids expected, {actual.Length} there, {expected.Except(actual).Count()} missing");
        if (expected.Length != set.Count) Assert.Fail($"{what}: {expected.Length} ids expected, {set.Count} counted");
    }
}
