using System.Buffers;
using System.Buffers.Binary;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

public class IdSetFormatTests
{
    [Fact]
    public void A_small_set_has_the_bytes_of_the_format()
    {
        Assert.Equal("3A3000000000 0000".Replace(" ", ""), Hex(new IdSet()));
        Assert.Equal("3A30000001000000" + "00000200" + "10000000" + "010005000900", Hex(IdSet.From([1, 5, 9])));
        // One container of runs. It has a flag, and with fewer than four containers there are no offsets.
        Assert.Equal("3B300000" + "01" + "00000900" + "0100" + "64000900", Hex(IdSet.FromInterval(100, 109)));
        Assert.Equal("3B300100" + "02" + "00000000" + "01000900" + "0700" + "0100"
            + "64000900", Hex(IdSet.FromInterval(65636, 65645).Or(IdSet.From([7]))));
    }

    [Fact]
    public void From_four_containers_on_a_set_with_runs_has_offsets()
    {
        IdSet three = new(), four = new();
        for (uint key = 0; key < 3; key++) three = three.Or(IdSet.FromInterval(key << 16, (key << 16) + 99));
        four = three.Or(IdSet.FromInterval(3 << 16, (3 << 16) + 99));
        Assert.Equal(4 + 1 + 3 * 4 + 3 * 6, three.SerializedSize);
        Assert.Equal(4 + 1 + 4 * 8 + 4 * 6, four.SerializedSize);
        byte[] bytes = four.ToByteArray();
        Assert.Equal(37, BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(4 + 1 + 16)));
        Assert.Equal(55, BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(4 + 1 + 28)));
    }

    [Fact]
    public void A_loaded_set_takes_the_memory_of_its_bytes()
    {
        byte[] bytes = IdSet.FromSorted([.. Enumerable.Range(0, 20_000).Select(i => (uint)i * 70_000u / 3)]).ToByteArray();
        long least = long.MaxValue;
        for (int round = 0; round < 5; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            IdSet set = IdSet.Deserialize(bytes);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
            GC.KeepAlive(set);
        }
        Assert.InRange(least, bytes.Length, bytes.Length + 256);
    }

    [Fact]
    public void What_is_loaded_is_written_back_as_it_was()
    {
        foreach ((string name, int[] low) in SampleIds.Containers())
        {
            IdSet set = IdSet.FromSorted([.. low.Select(id => (uint)id)]);
            byte[] bytes = set.ToByteArray();
            Assert.Equal(set.SerializedSize, bytes.Length);
            Assert.Equal(bytes, IdSet.Deserialize(bytes).ToByteArray());
            Assert.Equal(bytes, IdSet.OpenFrozen(bytes).ToByteArray());
        }
        // Unusual sets that are kept as they are: a run that saves nothing, and a header for runs without any.
        foreach (string unusual in new[] { "3B300000" + "01" + "00000000" + "0100" + "64000000", "3B300000" + "00" + "00000000" + "0700" })
        {
            byte[] bytes = Convert.FromHexString(unusual);
            IdSet set = IdSet.Deserialize(bytes);
            Assert.Equal(bytes, set.ToByteArray());
            Assert.Equal(bytes, IdSet.OpenFrozen(bytes, validate: true).ToByteArray());
            uint[] ids = set.ToArray();
            set.Add(50_000);
            Assert.Equal([.. ids, 50_000u], set.ToArray());
        }
    }

    [Fact]
    public void Bytes_behind_a_set_are_refused_or_left()
    {
        byte[] bytes = [.. IdSet.From([1, 2, 3]).ToByteArray(), 0];
        Assert.Throws<IdSetDamagedException>(() => IdSet.Deserialize(bytes));
        Assert.Throws<IdSetDamagedException>(() => IdSet.OpenFrozen(bytes, validate: true));
        Assert.Equal(3, IdSet.Deserialize(bytes, out int consumed).Count);
        Assert.Equal(bytes.Length - 1, consumed);
        IdSet frozen = IdSet.OpenFrozen(bytes);
        Assert.Equal((3, bytes.Length - 1), (frozen.Count, frozen.SerializedSize));
    }

    [Fact]
    public void Opening_frozen_and_asking_allocates_next_to_nothing()
    {
        byte[] bytes = IdSet.FromSorted([.. Enumerable.Range(0, 1_000_000).Select(id => (uint)id * 3)]).ToByteArray();
        IdSet other = IdSet.FromInterval(0, 100_000);
        Assert.Equal(33_334, Ask());
        long before = GC.GetAllocatedBytesForCurrentThread();
        Ask();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 300);

        long Ask() => IdSet.OpenFrozen(bytes).CountIntersection(other);
    }

    private static string Hex(IdSet set)
    {
        ArrayBufferWriter<byte> writer = new();
        set.Serialize(writer);
        return Convert.ToHexString(writer.WrittenSpan);
    }
}
