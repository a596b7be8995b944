using System.Runtime.InteropServices;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// Results that are too large for one image, and results of frozen bytes that change meanwhile.
public sealed class LargeResultTests
{
    [Fact]
    public void Bitmaps_of_cleared_sets_are_used_again_and_by_one_set_only()
    {
        Random random = Seeds.Random();
        IdSet[] sources = [.. Enumerable.Range(0, 3).Select(_ => IdSet.From(
            [.. Enumerable.Range(0, 14 * 9000).Select(_ => (uint)random.Next(14 << 16))]))];
        uint[][] ids = [.. sources.Select(set => set.ToArray())];
        List<(IdSet Set, HashSet<uint> Model)> alive = [];
        for (int round = 0; round < LongRuns.Of(20, 60); round++)
        {
            int a = random.Next(3), b = random.Next(3);
            alive.Add((sources[a].Or(sources[b]), [.. ids[a], .. ids[b]]));
            foreach ((IdSet set, HashSet<uint> model) in alive)
            {
                uint id = (uint)random.Next(14 << 16);
                Assert.Equal(model.Remove(id), set.Remove(id));
                Assert.Equal(model.Add(id ^ 1), set.Add(id ^ 1));
            }
            if (alive.Count == 4)
            {
                (IdSet set, HashSet<uint> model) = alive[random.Next(4)];
                Assert.Equal(model.Order(), set.ToArray());
                if (random.Next(2) == 0) set.IntersectWith(sources[a]);
                else set.Clear();
                set.Clear();
                Assert.True(set.IsEmpty);
                alive.RemoveAll(entry => entry.Set == set);
            }
        }
        foreach ((IdSet set, HashSet<uint> model) in alive) Assert.Equal(model.Order(), set.ToArray());
        Assert.Equal(ids[0], sources[0].ToArray());
    }

    [Fact]
    public void A_large_result_is_written_the_same_to_every_destination()
    {
        IdSet set = IdSet.FromInterval(5, 300_000).Or(
            IdSet.FromSorted([.. Enumerable.Range(0, 200_000).Select(i => 400_000 + (uint)i * 5)]));
        IdSet large = set.Or(IdSet.From([7_000_000, 7_000_002]));
        byte[] bytes = large.ToByteArray(), to = new byte[bytes.Length + 3];
        Assert.Equal(bytes.Length, large.Serialize(to.AsSpan()));
        Assert.Equal(bytes, to[..^3]);
        System.Buffers.ArrayBufferWriter<byte> writer = new();
        large.Serialize(writer);
        Assert.Equal(bytes, writer.WrittenSpan.ToArray());
        Assert.Equal(large.ToArray(), IdSet.Deserialize(bytes).ToArray());
        Assert.Equal(3, to.Length - large.SerializedSize);
    }

    [Fact]
    public void Small_changes_of_a_large_set_are_those_of_a_sorted_set()
    {
        Random random = Seeds.Random();
        IdSet set = IdSet.FromInterval(1000, 60_000).Or(
            IdSet.FromSorted([.. Enumerable.Range(0, 30_000).Select(i => 90_000 + (uint)i * 5)]));
        SortedSet<uint> model = [.. set.ToArray()];
        for (int step = 0; step < 60; step++)
        {
            uint first = (uint)random.Next(250_000), last = first + (uint)random.Next(80);
            uint[] ids = [.. Enumerable.Range(0, random.Next(80)).Select(_ => (uint)random.Next(250_000))];
            uint[] range = [.. Enumerable.Range((int)first, (int)(last - first + 1)).Select(id => (uint)id)];
            switch (step % 4)
            {
                case 0: set.AddInterval(first, last); model.UnionWith(range); break;
                case 1: set.RemoveInterval(first, last); model.ExceptWith(range); break;
                case 2: set.AddRange(ids); model.UnionWith(ids); break;
                default: set.RemoveRange(ids); model.ExceptWith(ids); break;
            }
            IdSetTests.Same([.. model], set, $"step {step}");
        }
        set.AddInterval(uint.MaxValue - 2, uint.MaxValue);
        Assert.True(set.Contains(uint.MaxValue) && set.Max == uint.MaxValue && set.Count == model.Count + 3);
    }

    [Fact]
    public void A_set_takes_little_more_memory_than_its_bytes() => Child.Run(WeighSets).AssertSucceeded();

    private static void WeighSets(string[] arguments)
    {
        // It runs in a child process, where nobody else allocates.
        Random random = Seeds.Random();
        uint[][] ids = [.. Enumerable.Range(0, 20).Select(_ => Enumerable.Range(0, 16 * 3000).Select(_ =>
            (uint)random.Next(16 << 16)).Distinct().Order().ToArray())];
        IdSet[] sets = [.. ids.Select(some => IdSet.FromSorted(some))];
        byte[][] bytes = [.. sets.Select(set => set.ToByteArray())];
        Weigh("built", i => IdSet.FromSorted(ids[i]));
        Weigh("loaded", i => IdSet.Deserialize(bytes[i]));
        Weigh("an image", i => sets[i].And(sets[(i + 1) % sets.Length].Or(sets[(i + 2) % sets.Length])));
        Weigh("apart", i => sets[i].Or(sets[(i + 1) % sets.Length]));
        Weigh("grown by ids and optimized", i =>
        {
            IdSet set = new();
            foreach (uint id in ids[i]) set.Add(id);
            set.Optimize();
            return set;
        });

        void Weigh(string name, Func<int, IdSet> make)
        {
            make(0);
            long before = GC.GetTotalMemory(forceFullCollection: true);
            IdSet[] made = [.. Enumerable.Range(0, sets.Length).Select(make)];
            double ratio = (double)(GC.GetTotalMemory(forceFullCollection: true) - before) / made.Sum(set => set.SerializedSize);
            if (ratio > 1.1) throw new InvalidOperationException($"{name}: {ratio:0.000} times the bytes of the format");
        }
    }

    [Fact]
    public void A_result_after_a_cleared_one_takes_no_new_bitmaps()
    {
        IdSet a = IdSet.FromSorted([.. Enumerable.Range(0, 150_000).Select(i => (uint)i * 7)]), b = IdSet.FromSorted(
            [.. Enumerable.Range(0, 150_000).Select(i => (uint)i * 7 + 1)]);
        a.Or(b).Clear();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 10; i++)
        {
            IdSet result = a.Or(b);
            Assert.Equal(300_000, result.Count);
            result.Clear();
        }
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1, 10 * 4096);
    }

    [Fact]
    public void A_large_result_of_large_containers_lies_apart_and_answers_alike()
    {
        Random random = Seeds.Random();
        // Bitmaps, runs, long arrays and short ones, so that the result grows large on the way.
        uint[] a = Mixed(random, 40), b = Mixed(random, 40);
        IdSet x = IdSet.FromSorted(a), y = IdSet.FromSorted(b);
        foreach ((IdSet result, IEnumerable<uint> expected) in new[] { (x.Or(y), a.Union(b)), (x.And(y), a.Intersect(b)), (x.Xor(y),
            a.Union(b).Except(a.Intersect(b))), (x.AndNot(y), a.Except(b)) })
        {
            uint[] ids = [.. expected.Order()];
            Assert.Equal(ids, result.ToArray());
            byte[] bytes = result.ToByteArray();
            Assert.Equal(bytes.Length, result.SerializedSize);
            Assert.True(IdSet.Deserialize(bytes).SetEquals(result));
            // It can be changed, and packed again.
            Assert.True(result.Add(4_000_000_000));
            Assert.True(result.Remove(ids[0]));
            Assert.Equal([.. ids[1..], 4_000_000_000], result.ToArray());
            result.Optimize();
            Assert.Equal([.. ids[1..], 4_000_000_000], result.ToArray());
        }
        Assert.Equal(a, x.ToArray());
        Assert.Equal(b, y.ToArray());
    }

    [Fact]
    public void A_writer_chooses_where_containers_lie()
    {
        Assert.True(Written(16, 2000, 0));
        Assert.False(Written(16, 8000, 0));
        Assert.False(Written(16, 8000, 128_000));
        // Small containers stay together in an image, however many they are.
        Assert.True(Written(2000, 100, 0));
        Assert.True(Written(2000, 100, 200_000));

        static bool Written(int containers, int bytes, long expected)
        {
            SetWriter writer = SetWriter.Rent(expected, containers);
            for (int key = 0; key < containers; key++)
            {
                Span<byte> place = MemoryMarshal.CreateSpan(ref writer.Place(), bytes);
                Span<ushort> ids = MemoryMarshal.Cast<byte, ushort>(place);
                for (int i = 0; i < ids.Length; i++) ids[i] = (ushort)(i * 3);
                writer.Add(key, ids.Length, bytes);
            }
            return writer.Finish(out SetImage image) is null && image.Exists;
        }
    }

    [Fact]
    public void Frozen_bytes_that_change_after_their_check_make_no_unsound_result()
    {
        // An array and a bitmap, in a set that was checked when it was opened. So no operation checks it again.
        uint[] ids = [.. Enumerable.Range(0, 21_000).Select(id => id < 1000 ? (uint)id * 3 : 65536 + (uint)(id - 1000) * 3)];
        IdSet far = IdSet.FromSorted([1u << 20]), farther = IdSet.FromSorted([1u << 21]);
        IdSet near = IdSet.FromSorted([5, 65536 + 5]), all = IdSet.FromInterval(0, 200_000);
        // Damage in the array, in the bitmap, and in the key of the first container, which is then above that of the second.
        foreach (Index changed in new[] { ^(Bitmap.Bytes + 1000), ^1000, (Index)8 })
        {
            byte[] bytes = IdSet.FromSorted(ids).ToByteArray();
            IdSet frozen = IdSet.OpenFrozen(bytes, validate: true);
            Assert.Equal(ids.Length + 2, IdSet.OrMany(farther, frozen, far).Count);
            Assert.Equal(ids.Length, IdSet.AndMany(all, frozen, all).Count);
            bytes[changed] ^= 0x55;
            Assert.Throws<IdSetDamagedException>(() => IdSet.OrMany(farther, frozen, far));
            Assert.Throws<IdSetDamagedException>(() => frozen.Or(far));
            Assert.Throws<IdSetDamagedException>(() => frozen.Xor(near));
            Assert.Throws<IdSetDamagedException>(() => frozen.AndNot(near));
            Assert.Throws<IdSetDamagedException>(() => IdSet.AndMany(frozen));
            // A kernel that counts again may still make a sound result.
            IdSet? common = null;
            try
            {
                common = IdSet.AndMany(all, frozen, all);
            }
            catch (IdSetDamagedException)
            {
            }
            if (common is not null) Assert.True(IdSet.Deserialize(common.ToByteArray()).SetEquals(common));
        }
    }

    [Fact]
    public void A_result_of_frozen_bytes_that_change_is_sound_or_there_is_none()
    {
        Random random = Seeds.Random();
        byte[] bytes = IdSet.FromSorted(Mixed(random, 8)).ToByteArray(), sound = (byte[])bytes.Clone();
        IdSet frozen = IdSet.OpenFrozen(bytes, validate: false), other = IdSet.FromSorted(Mixed(random, 8));
        int stop = 0, results = 0, refused = 0;
        Thread changer = new(() =>
        {
            Random where = new(5);
            while (Volatile.Read(ref stop) == 0)
            {
                int at = where.Next(200, bytes.Length);
                bytes[at] ^= 0x55;
                bytes[at] = sound[at];
            }
        });
        changer.Start();
        for (int i = 0; i < 400; i++)
        {
            IdSet? result = null;
            try
            {
                result = (i & 3) switch
                {
                    0 => frozen.And(other),
                    1 => frozen.Or(other),
                    2 => frozen.Xor(other),
                    _ => frozen.AndNot(other)
                };
            }
            catch (IdSetDamagedException)
            {
                refused++;
            }
            if (result is null) continue;
            IdSet.Deserialize(result.ToByteArray());
            results++;
        }
        Volatile.Write(ref stop, 1);
        changer.Join();
        Assert.Equal(400, results + refused);
        Assert.True(frozen.And(frozen).SetEquals(frozen));
    }

    private static uint[] Mixed(Random random, int containers) =>
        [.. Enumerable.Range(0, containers).SelectMany(key => Container(random, key % 5).Select(id => (uint)(key << 16 | id)))];

    private static IEnumerable<int> Container(Random random, int kind) => kind switch
    {
        0 => Enumerable.Range(0, 65536).Where(_ => random.Next(3) == 0),
        1 => Enumerable.Range(0, 65536).Where(_ => random.Next(20) == 0),
        2 => Enumerable.Range(0, 65536).Where(id => id / 97 % 2 == 0),
        3 => Enumerable.Range(0, 65536).Where(_ => random.Next(2000) == 0),
        _ => Enumerable.Range(0, 65536).Where(id => id / 3000 % 2 == random.Next(1)),
    };
}
