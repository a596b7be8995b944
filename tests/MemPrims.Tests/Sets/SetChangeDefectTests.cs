using System.Buffers.Binary;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// Changes of a set, and of the bytes that a frozen set lies in. Each of these failed once.
public sealed unsafe class SetChangeDefectTests
{
    private const int ManyRuns = 20_000;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Each_id_of_a_container_of_very_many_runs_can_be_removed(bool fromFront)
    {
        uint[] ids = [.. Enumerable.Range(0, ManyRuns).Select(i => (uint)i * 3)];
        IdSet set = IdSet.Deserialize(RunsOfOne(ids));
        for (int i = 0; i < ids.Length; i++)
        {
            uint id = fromFront ? ids[i] : ids[^(i + 1)];
            Assert.True(set.Remove(id), $"Remove({id}) after {i} others");
            if (i % 1000 != 0 && i < ids.Length - 3) continue;
            uint[] left = fromFront ? ids[(i + 1)..] : ids[..^(i + 1)];
            Assert.Equal(left, IdSet.Deserialize(set.ToByteArray()).ToArray());
        }
    }

    [Fact]
    public void Ids_can_be_added_to_a_container_of_very_many_runs()
    {
        uint[] ids = [.. Enumerable.Range(0, ManyRuns).Select(i => (uint)i * 3)];
        IdSet set = IdSet.Deserialize(RunsOfOne(ids));
        SortedSet<uint> model = [.. ids];
        Random random = Seeds.Random(1);
        for (int i = 0; i < 3000; i++)
        {
            uint id = (uint)random.Next(65536);
            if (random.Next(2) == 0) Assert.Equal(model.Add(id), set.Add(id));
            else Assert.Equal(model.Remove(id), set.Remove(id));
        }
        IdSetTests.Same([.. model], set, "changed at random");
    }

    [Fact]
    public void A_reader_stays_inside_bytes_that_change_between_its_reads() => Child.Run(ReadWhileBytesChange).AssertSucceeded();

    [Fact]
    public void A_reader_of_64_bit_ids_notices_a_change_of_another_upper_half_at_once()
    {
        Action<IdSet64>[] changes =
        [
            set => set.Add(9ul << 32), set => set.Add((1ul << 32) + 3), set => set.Remove(1), set => set.UnionWith(IdSet64.From([77])),
            set => set.Clear(), set => set.AddInterval(8, 9), set => set.RemoveInterval(1ul << 32, (1ul << 32) + 2),
            set => set.ExceptWith(set.Clone()),
        ];
        foreach (Action<IdSet64> change in changes)
        {
            Noticed(change, set => set.GetEnumerator().MoveNext);
            Noticed(change, set => set.Backwards().GetEnumerator().MoveNext);
            Noticed(change, set => ByReader(set.GetReader()));
            Noticed(change, set => ByReader(set.GetReverseReader()));
            Noticed(change, set => InBlocks(set.GetReader()));
        }

        static Func<bool> ByReader(IdSet64Reader reader) => () => reader.TryRead(out _);

        static Func<bool> InBlocks(IdSet64Reader reader) => () => reader.ReadMany(new ulong[1]) > 0;

        static void Noticed(Action<IdSet64> change, Func<IdSet64, Func<bool>> read)
        {
            // 200,000 ids below each of two upper halves, which are no runs.
            IdSet64 set = IdSet64.FromSorted(
                [.. Enumerable.Range(0, 400_000).Select(i => (ulong)(i / 200_000) << 32 | (uint)(i % 200_000) * 2)]);
            set.Add(1);
            Func<bool> next = read(set);
            Assert.True(next());
            change(set);
            int more = 0;
            Assert.Throws<InvalidOperationException>(() =>
            {
                while (next()) more++;
            });
            Assert.InRange(more, 0, 4096);
        }
    }

    [Fact]
    public void Bytes_that_change_while_they_are_copied_are_blamed_and_not_the_destination()
    {
        // The head of the second container says more ids from the second time on that the bytes are asked for.
        uint[] ids = [.. Enumerable.Range(0, 100).Select(i => (uint)i * 5), .. Enumerable.Range(0, 100).Select(i => 65_536 + (uint)i * 5)];
        byte[] wide = IdSet64.FromSorted([.. ids.Select(id => id + (3ul << 32))]).ToByteArray();
        byte[] narrow = IdSet.FromSorted(ids).ToByteArray();
        for (int asked = 0; asked < 6; asked++)
        {
            ChangingMemory bytes = new(narrow), wideBytes = new(wide);
            IdSet set = IdSet.OpenFrozen(bytes.Memory);
            IdSet64 set64 = IdSet64.OpenFrozen(wideBytes.Memory);
            bytes.ChangeAfter(asked, () => bytes.Bytes[10] = 90);
            wideBytes.ChangeAfter(asked, () => wideBytes.Bytes[12 + 10] = 120);
            OnlyDamage(() => set.ToArray());
            OnlyDamage(() => set64.ToArray());
        }

        static void OnlyDamage(Action use)
        {
            Exception? thrown = Record.Exception(use);
            Assert.True(thrown is null or IdSetDamagedException, $"{thrown}");
        }
    }

    [Fact]
    public void Signed_ids_that_32_bits_do_not_have_are_refused_or_not_there()
    {
        IdSet set = IdSet.From([1, uint.MaxValue]);
        Assert.False(set.Contains((1L << 32) + 1) || set.Contains(long.MaxValue));
        Assert.True(set.Contains((long)uint.MaxValue) && set.Remove((long)uint.MaxValue) && set.Add((long)uint.MaxValue));
        Assert.Throws<ArgumentOutOfRangeException>(() => set.Add((1L << 32) + 2));
        Assert.Throws<ArgumentOutOfRangeException>(() => set.Remove((1L << 32) + 1));
        Assert.Equal([1u, uint.MaxValue], set);
        IdSet64 wide = new();
        Assert.Throws<ArgumentOutOfRangeException>(() => set.Add(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => set.Remove(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => wide.Add(-1L));
        Assert.Throws<ArgumentOutOfRangeException>(() => wide.Remove(-1L));
        Assert.False(set.Contains(-1) || wide.Contains(-1L) || IdSet64.From([ulong.MaxValue]).Contains(-1L));
        Assert.True(wide.Add(long.MaxValue) && wide.Contains(long.MaxValue) && wide.Contains((ulong)long.MaxValue));
        Assert.True(wide.Remove(long.MaxValue) && wide.IsEmpty);
    }

    // One container of runs of one id each, more than a writer would make.
    private static byte[] RunsOfOne(uint[] ids)
    {
        byte[] bytes = new byte[4 + 1 + 4 + 2 + ids.Length * 4];
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, 12347);
        bytes[4] = 1;
        BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(7), (ushort)(ids.Length - 1));
        BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(9), (ushort)ids.Length);
        for (int i = 0; i < ids.Length; i++) BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(11 + i * 4), (ushort)ids[i]);
        return bytes;
    }

    private static void ReadWhileBytesChange(string[] arguments)
    {
        // Each kind with others behind it: a flag or a head that changes makes a container of another kind that lies inside the bytes.
        const int containers = 9;
        IdSet mixed = IdSet.FromSorted([.. Enumerable.Range(0, containers * 60_000).Select(i => (Key: i / 60_000, Id: i % 60_000))
            .Where(at => (at.Key % 3) switch { 0 => at.Id % 100 < 90, 1 => at.Id % 15 == 0, _ => at.Id % 7 == 0 })
            .Select(at => (uint)(at.Key << 16 | at.Id))]);
        byte[] bytes = mixed.ToByteArray();
        IdSet64 wideSet = new();
        foreach (uint id in mixed) wideSet.Add(id | 5ul << 32);
        byte[] wide = wideSet.ToByteArray();
        int header = 4 + 2 + containers * 8;
        using GuardedMemory memory = new(bytes.Length), wideMemory = new(wide.Length);
        byte* start = memory.EndingAtGuard(bytes.Length), wideStart = wideMemory.EndingAtGuard(wide.Length);
        Span<byte> there = new(start, bytes.Length), wideThere = new(wideStart, wide.Length);
        uint[] some = new uint[700];
        ulong[] someWide = new ulong[700];
        for (int round = 0; round < LongRuns.Of(4_000, 60_000); round++)
        {
            Random random = Seeds.Random(round);
            bytes.CopyTo(there);
            wide.CopyTo(wideThere);
            CaseNote.Set("bytes that change between reads", 0, round);
            bool back = random.Next(3) == 0, flagsOnly = random.Next(2) == 0;
            IdSet set = IdSet.OpenFrozen(start, bytes.Length);
            IdSet64 set64 = IdSet64.OpenFrozen(wideStart, wide.Length);
            IdSetReader reader = back ? set.GetReverseReader() : set.GetReader();
            IdSet64Reader wideReader = back ? set64.GetReverseReader() : set64.GetReader();
            try
            {
                for (int reads = 0; reads < 3000; reads++)
                {
                    if (random.Next(4) == 0)
                    {
                        int at = flagsOnly ? random.Next(4, 6) : random.Next(4, header);
                        there[at] = wideThere[12 + at] = at == 5 ? (byte)random.Next(2) : (byte)random.Next(256);
                    }
                    if (random.Next(20) == 0) reader.AdvanceTo((uint)random.Next(320_000));
                    Span<uint> room = some.AsSpan(0, random.Next(1, some.Length));
                    int count = reader.ReadMany(room), wideCount = wideReader.ReadMany(someWide.AsSpan(0, room.Length));
                    foreach (uint id in room[..count])
                        if (flagsOnly && id >> 16 >= containers) throw new InvalidOperationException($"The id {id} lies behind them.");
                    foreach (ulong id in someWide.AsSpan(0, wideCount))
                        if (id >> 32 != 5) throw new InvalidOperationException($"The id {id} is of no upper half of the set.");
                    if (count == 0 && wideCount == 0) break;
                }
            }
            catch (IdSetDamagedException)
            {
            }
        }
    }
}
