using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// What sets offer beside the four operations, against SortedSet<T>.
public sealed class SetApiTests
{
    [Fact]
    public void Optimized_and_joined_sets_take_the_smallest_kind()
    {
        IdSet grown = new();
        for (uint id = 0; id < 5000; id++) grown.Add(id);
        Assert.True(grown.SerializedSize > 8192, "Ids that are added make a bitmap.");
        grown.Optimize();
        Assert.Equal(IdSet.FromInterval(0, 4999).ToByteArray(), grown.ToByteArray());

        IdSet holed = IdSet.FromInterval(0, 10);
        for (uint id = 1; id < 10; id += 2) holed.Remove(id);
        holed.Optimize();
        Assert.Equal(IdSet.FromSorted([0, 2, 4, 6, 8, 10]).ToByteArray(), holed.ToByteArray());

        IdSet whole = IdSet.OrMany(IdSet.FromInterval(0, 30_000), IdSet.FromInterval(20_000, 50_000), IdSet.FromInterval(40_000, 65_535));
        Assert.Equal(IdSet.FromInterval(0, 65_535).ToByteArray(), whole.ToByteArray());
    }

    [Fact]
    public void Changes_by_sets_ranges_and_lists_are_those_of_a_sorted_set()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < LongRuns.Of(12, 40); round++)
            SetModel.Change<IdSet, uint>(random, () => Some(random), () =>
            {
                uint first = (uint)random.Next(300_000);
                return (first, first + (uint)random.Next(100_000));
            }, (ids, set) => IdSetTests.Same(ids, set, $"round {round}"));
    }

    [Fact]
    public void Sets_relate_as_their_ids_do()
    {
        IdSet small = IdSet.From([1, 70_000]), large = IdSet.From([1, 2, 70_000]), apart = IdSet.From([3]), none = new();
        Assert.True(small.IsSubsetOf(large) && small.IsProperSubsetOf(large) && large.IsSupersetOf(small)
            && large.IsProperSupersetOf(small));
        Assert.False(large.IsSubsetOf(small) || large.IsProperSubsetOf(large) || apart.Overlaps(large));
        Assert.True(large.SetEquals(large.Clone()) && small.Overlaps(large) && none.IsSubsetOf(apart) && !small.SetEquals(apart));
        Assert.Equal(IdSet.From([1, 2, 3, 70_000]).ToArray(), IdSet.OrMany(small, large, apart, none).ToArray());
        Assert.Equal([1u, 70_000u], IdSet.AndMany(large, small, large).ToArray());
        Assert.Empty(IdSet.AndMany(large, apart, small).ToArray());
        Assert.Throws<ArgumentException>(() => IdSet.AndMany());
        IdSet one = IdSet.OrMany(apart);
        one.Add(4);
        Assert.Equal(1, apart.Count);
        Assert.Throws<ArgumentOutOfRangeException>(() => one.Add(-1));
        Assert.True(one.Add(5));
    }

    [Theory, InlineData(false), InlineData(true)]
    public void The_reader_reads_blocks_and_skips(bool backwards)
    {
        Random random = Seeds.Random();
        IdSet set = IdSet.FromSorted(Some(random)).Or(IdSet.FromInterval(130_000, 190_000)).Or(
            IdSet.From([.. Enumerable.Range(0, 9000).Select(i => 200_000u + (uint)i * 5), uint.MaxValue]));
        uint[] ids = set.ToArray();
        if (backwards) Array.Reverse(ids);
        Assert.Equal(ids, backwards ? set.Backwards() : set);
        Assert.Empty(new IdSet().Backwards());
        foreach (int block in new[] { 1, 3, 1000, 4096, 10_000, 200_000 })
            Assert.Equal(ids, SetModel.InBlocks<uint>(block, Open().ReadMany));
        for (int round = 0; round < 30; round++)
        {
            IdSetReader reader = Open();
            for (int at = 0; at < ids.Length; at++)
            {
                long skip = round == 0 ? uint.MaxValue : random.Next(1 << random.Next(1, 18));
                uint target = (uint)Math.Clamp(backwards ? ids[at] - skip : ids[at] + skip, 0, uint.MaxValue);
                reader.AdvanceTo(target);
                while (at < ids.Length && (backwards ? ids[at] > target : ids[at] < target)) at++;
                Assert.Equal(at < ids.Length, reader.TryRead(out uint id));
                if (at < ids.Length) Assert.Equal(ids[at], id);
            }
            Assert.False(reader.TryRead(out _));
        }

        IdSetReader Open() => backwards ? set.GetReverseReader() : set.GetReader();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void A_container_that_is_one_id_too_long_for_the_room_loses_none(int step)
    {
        // Sixty small containers share blocks of 240 ids. Ids side by side are runs.
        foreach (int last in new[] { 100, 119, 120, 121, 140 })
            foreach (int more in new[] { -1, 0, 1, 2 })
            {
                uint[] ids = [.. Enumerable.Range(0, 60).SelectMany(key => Enumerable.Range(0, key % 2 == 1 ? last : 240 - last + more)
                    .Select(i => (uint)(key << 16 | i * step)))], back = [.. ids.Reverse()];
                IdSet set = IdSet.FromSorted(ids);
                Assert.Equal(ids, set.AsEnumerable());
                Assert.Equal(back, set.Backwards());
                foreach (int room in new[] { 239, 240, 241, 242, 243 })
                {
                    Assert.Equal(ids, Read(set.GetReader(), room));
                    Assert.Equal(back, Read(set.GetReverseReader(), room));
                }
            }

        static List<uint> Read(IdSetReader reader, int room)
        {
            List<uint> read = [];
            uint[] some = new uint[room];
            for (int count = reader.ReadMany(some); count > 0; count = reader.ReadMany(some)) read.AddRange(some.AsSpan(0, count));
            return read;
        }
    }

    [Fact]
    public void What_cannot_be_is_refused_by_name()
    {
        IdSet all = IdSet.FromInterval(0, uint.MaxValue);
        Assert.Contains("GetReader", Assert.Throws<InvalidOperationException>(() => all.ToArray()).Message);
        foreach (Func<object> use in new Func<object>[]
        {
            () => all.SetEquals(null!), () => all.IsSubsetOf(null!), () => all.IsProperSubsetOf(null!),
            () => all.IsSupersetOf(null!), () => all.IsProperSupersetOf(null!), () => all.CountUnion(null!),
        })
            Assert.Throws<ArgumentNullException>(use);
        Assert.Equal("other", Assert.Throws<ArgumentNullException>(() => all.And(null!)).ParamName);
        Assert.Equal("ranks", Assert.Throws<ArgumentOutOfRangeException>(() => all.IdsAt([-1], new uint[1])).ParamName);
        Assert.Contains("empty", Assert.Throws<ArgumentOutOfRangeException>(() => new IdSet().IdsAt([0], new uint[1])).Message);
        Assert.Throws<ArgumentException>(() => all.IdsAt([2, 0], new uint[1]));
        Assert.False(new IdSet().TryGetMin(out _) || new IdSet().TryGetMax(out _));
        // 29 bytes with damaged runs. They once made TryGetPrevious throw for a rank that the caller had not given.
        IdSet damaged = IdSet.OpenFrozen(Convert.FromHexString("3B300100030000C5050300010001002196C554020000000000FFFF0000"));
        for (uint id = 0; id < 200_000; id += 77)
        {
            damaged.TryGetPrevious(id, out _);
            damaged.TryGetNext(id, out _);
        }
    }

    [Fact]
    public void Containers_come_and_go_at_random_keys()
    {
        Random random = Seeds.Random();
        IdSet set = new();
        SortedSet<uint> model = [];
        for (int step = 0; step < 20_000; step++)
        {
            uint id = (uint)random.Next(60) << 16 | (uint)random.Next(3);
            if (random.Next(100) < (step / 2000 % 2 == 0 ? 70 : 30)) Assert.Equal(model.Add(id), set.Add(id));
            else Assert.Equal(model.Remove(id), set.Remove(id));
            Assert.Equal(model.Contains(id ^ 1), set.Contains(id ^ 1));
            if (step % 500 == 0) IdSetTests.Same([.. model], set, $"step {step}");
        }
    }

    [Fact]
    public void Going_through_a_set_puts_nothing_on_the_large_object_heap()
    {
        IdSet set = IdSet.FromInterval(0, 300_000).Xor(IdSet.FromSorted([.. Enumerable.Range(0, 50_000).Select(i => (uint)i * 3)]));
        _ = set.Sum(id => (long)id);
        long before = GC.GetAllocatedBytesForCurrentThread(), sum = 0;
        foreach (uint id in set) sum += id;
        // It takes 16 KB, and objects from 85,000 bytes on are large ones. A collection in between adds the unused rest of what the thread
        // was given to allocate from, 8 KB each time.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1, 60_000);
        Assert.Equal(set.ToArray().Sum(id => (long)id), sum);
    }

    [Fact]
    public void Many_sets_are_joined_whatever_their_kinds()
    {
        Random random = Seeds.Random();
        IdSet[] sets = [.. SampleIds.Containers().Select(
            shape => IdSet.From([.. shape.Ids.Select(id => (uint)id | (uint)random.Next(2) << 16)]))];
        for (int round = 0; round < 60; round++)
        {
            IdSet[] some = [.. Enumerable.Range(0, random.Next(3, 7)).Select(_ => sets[random.Next(sets.Length)])];
            IdSet joined = IdSet.OrMany(some);
            IdSetTests.Same([.. some.SelectMany(set => set.ToArray()).Distinct().Order()], joined, $"round {round}");
            Assert.Equal(joined.ToArray(), IdSet.Deserialize(joined.ToByteArray()).ToArray());
        }
    }

    [Fact]
    public void The_ids_beside_every_id_are_those_of_a_loop()
    {
        Random random = Seeds.Random();
        foreach ((string name, int[] low) in SampleIds.Containers())
        {
            uint[] ids = [.. low.Select(id => (uint)id + 65536), .. low.Select(id => (uint)id + 5 * 65536)];
            IdSet set = IdSet.FromSorted(ids);
            for (int round = 0; round < 200; round++)
            {
                uint from = round < 8 ? (uint)round * 65536 : (uint)random.Next(8 * 65536);
                int at = Array.BinarySearch(ids, from), next = at < 0 ? ~at : at, previous = at < 0 ? ~at - 1 : at;
                Assert.True(set.TryGetNext(from, out uint id) == next < ids.Length
                    && id == (next < ids.Length ? ids[next] : 0), $"{name}, next of {from}");
                Assert.True(set.TryGetPrevious(from, out id) == previous >= 0
                    && id == (previous >= 0 ? ids[previous] : 0), $"{name}, previous of {from}");
                Assert.True(set.Contains(from) == at >= 0, $"{name}, {from}");
            }
            uint[] some = [.. Enumerable.Range(0, 50).Select(_ => (uint)random.Next(8 * 65536))];
            long[] back = [.. Enumerable.Range(0, 50).Select(_ => (long)random.Next(ids.Length))];
            uint[] selected = new uint[50];
            set.IdsAt(back, selected);
            Assert.Equal(some.Select(id => (long)ids.Count(other => other <= id)), some.Select(set.Rank));
            Assert.Equal(back.Select(rank => ids[rank]), selected);
            Assert.Throws<ArgumentOutOfRangeException>(() => set.IdsAt([ids.Length], selected));
            Assert.Throws<ArgumentOutOfRangeException>(() => set.IdsAt([-1], selected));
        }
    }

    [Fact]
    public void The_first_and_last_id_of_every_container_are_selected()
    {
        // The numbers of ids before the containers go past 2^16, 70,000 and 2^17.
        uint[] ids = [.. Enumerable.Range(0, 200_000).Select(i => (uint)(i + i / 40_000 * 60_000))];
        IdSet set = IdSet.FromSorted(ids);
        long[] ranks = [.. Enumerable.Range(1, ids.Length - 1).Where(i => ids[i] >> 16 != ids[i - 1] >> 16)
            .SelectMany(i => new[] { i - 1L, i })];
        uint[] selected = new uint[ranks.Length];
        Assert.True(ranks.Length > 6);
        set.IdsAt(ranks, selected);
        Assert.Equal(ranks.Select(rank => ids[rank]), selected);
        Assert.Equal(ranks.Select(rank => ids[rank]), ranks.Select(rank => set.IdAt(rank)));
    }

    [Fact]
    public void A_skip_to_what_was_read_goes_back_in_neither_direction()
    {
        // A bitmap, an array, and runs.
        NeverBack(IdSet.FromSorted([.. Enumerable.Range(0, 30_000).Select(i => (uint)i * 2)]));
        // Blocks of 2,048 ids from both ends, so that some of the reads below end with a block.
        NeverBack(IdSet.FromSorted([.. Enumerable.Range(0, 32_768).Select(i => (uint)i * 2)]));
        NeverBack(IdSet.FromSorted([.. Enumerable.Range(0, 4000).Select(i => (uint)i * 16)]));
        NeverBack(IdSet.FromSorted([.. Enumerable.Range(0, 30_000).Select(i => (uint)(i + i / 100 * 100))]));
    }

    private static void NeverBack(IdSet set)
    {
        uint[] up = set.ToArray(), down = [.. up.Reverse()];
        foreach (int read in new[] { 1, 127, 128, 2048, 2049, 3999, 4096, 7000, 29_999 })
        {
            if (read >= up.Length) break;
            foreach ((uint[] ids, IdSetReader reader) in new[] { (up, set.GetReader()), (down, set.GetReverseReader()) })
            {
                // Reads whole blocks, because decoded ids that are left would stop the reader anyway.
                uint[] some = new uint[read];
                Assert.Equal(read, reader.ReadMany(some));
                reader.AdvanceTo(ids[0]);
                reader.AdvanceTo(ids[read / 2]);
                Assert.True(reader.TryRead(out uint id));
                Assert.Equal(ids[read], id);
            }
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    public void Ids_come_and_go_at_both_ends_of_a_container(int run)
    {
        // A queue. The content of the container moves through its memory, as ids and as runs.
        Random random = Seeds.Random();
        IdSet set = new();
        SortedSet<uint> model = [];
        uint low = 30_000, high = 30_000;
        for (int step = 0; step < 20_000; step++)
        {
            bool grows = model.Count < 50 || random.Next(4000) > model.Count;
            uint id = (grows, random.Next(3)) switch
            {
                (true, 0) when low > 10 => low -= (uint)random.Next(1, 4),
                (true, _) => high += high % (uint)run == 0 ? 2u : 1,
                (_, 0) => model.Max,
                (_, 1) => model.Min,
                _ => (uint)random.Next((int)model.Min, (int)model.Max + 1),
            };
            if (high > 65_000) break;
            Assert.Equal(grows ? model.Add(id) : model.Remove(id), grows ? set.Add(id) : set.Remove(id));
            if (step == 5000) set.Optimize();
            if (step % 250 == 0 || step > 19_900) IdSetTests.Same([.. model], set, $"step {step}");
        }
        IdSetTests.Same([.. model], set, "end");
    }

    [Fact]
    public void A_change_while_reading_is_noticed()
    {
        Action<IdSet>[] changes =
        [
            set => set.Add(7), set => set.Add(70_001), set => set.Remove(5), set => set.Remove(70_000), set => set.Clear(),
            set => set.AddInterval(1, 9), set => set.IntersectWith(new()), set => set.Optimize(), set => set.AddRange([8]),
        ];
        foreach (Action<IdSet> change in changes)
        {
            Noticed(change, set => ((IEnumerable<uint>)set).GetEnumerator().MoveNext);
            Noticed(change, set => set.Backwards().GetEnumerator().MoveNext);
            Noticed(change, set => ByReader(set.GetReader()));
            Noticed(change, set => ByReader(set.GetReverseReader()));
        }
        IdSet same = IdSet.From([5, 70_000, 140_000]);
        IdSetReader reader = same.GetReader();
        Assert.False(same.Remove(6) || same.Add(5) || same.Remove(300_000));
        Assert.Equal(3, reader.ReadMany(new uint[4]));

        static Func<bool> ByReader(IdSetReader reader) => () => reader.TryRead(out _);

        static void Noticed(Action<IdSet> change, Func<IdSet, Func<bool>> read)
        {
            IdSet set = IdSet.From([5, 70_000, 140_000]);
            set.Add(6);
            Func<bool> next = read(set);
            Assert.True(next());
            change(set);
            // At the latest when what was decoded is used up.
            Assert.Contains("changed while", Assert.Throws<InvalidOperationException>(() =>
            {
                while (next())
                {
                }
            }).Message);
        }
    }

    [Fact]
    public void Sets_are_written_to_spans()
    {
        IdSet set = IdSet.From([1, 2, 3, 70_000]);
        byte[] bytes = set.ToByteArray(), to = new byte[bytes.Length];
        Assert.Throws<ArgumentException>(() => set.Serialize(new byte[bytes.Length - 1].AsSpan()));
        Assert.Equal(bytes.Length, set.Serialize(to.AsSpan()));
        Assert.Equal(bytes, to);
        Assert.Throws<NotSupportedException>(() => IdSet.OpenFrozen(bytes).Clear());
        Assert.Throws<NotSupportedException>(() => IdSet.OpenFrozen(bytes).UnionWith(set));
        Assert.Throws<NotSupportedException>(() => IdSet64.OpenFrozen(IdSet64.From([1]).ToByteArray()).Clear());
    }

    [Fact]
    public void Sets_are_read_one_behind_the_other()
    {
        IdSet one = IdSet.FromInterval(1, 500).Or(IdSet.From([70_000, 90_000])), two = IdSet.From([5]);
        byte[] both = [.. one.ToByteArray(), .. two.ToByteArray()];
        IdSet opened = IdSet.OpenFrozen(both, out int consumed);
        Assert.Equal((one.SerializedSize, true), (consumed, opened.SetEquals(one)));
        Assert.True(IdSet.OpenFrozen(both.AsMemory(consumed), out consumed).SetEquals(two));
        IdSet64 wide = IdSet64.From([1, 1ul << 40]);
        byte[] wides = [.. wide.ToByteArray(), .. wide.ToByteArray()];
        Assert.True(IdSet64.Deserialize(wides, out consumed).SetEquals(wide) && consumed == wides.Length / 2);
        Assert.Throws<IdSetDamagedException>(() => IdSet64.Deserialize(wides));
    }

    private static uint[] Some(Random random) => SampleIds.Random(random, random.Next(1, 6000), random.NextDouble());
}
