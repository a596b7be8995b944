using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// Files that CRoaring wrote by Golden/make.cpp. They load, hold the right ids, and are written back byte for byte.
public class GoldenTests
{
    public static TheoryData<string> Names => ["scattered.roaring", "few-runs.roaring", "many-runs.roaring"];

    [Theory, MemberData(nameof(Names))]
    public void A_file_of_CRoaring_loads_and_is_written_back_byte_for_byte(string name)
    {
        byte[] file = Read(name);
        uint[] ids = Ids(name);
        IdSet loaded = IdSet.Deserialize(file), frozen = IdSet.OpenFrozen(file, validate: true);
        Assert.Equal(ids, loaded.ToArray());
        Assert.Equal(ids, frozen.ToArray());
        Assert.Equal(file, loaded.ToByteArray());
        Assert.Equal(file, frozen.ToByteArray());
        Assert.True(loaded.Remove(ids[^1]) && loaded.Add(ids[^1]));
        Assert.Equal(ids, loaded.ToArray());
    }

    [Theory, MemberData(nameof(Names))]
    public void The_same_ids_built_here_have_the_same_bytes(string name) =>
        Assert.Equal(Read(name), IdSet.FromSorted(Ids(name)).ToByteArray());

    [Fact]
    public void A_64_bit_file_of_CRoaring_loads_and_is_written_back_byte_for_byte()
    {
        byte[] file = Read("wide.roaring64");
        ulong[] ids = [.. Enumerable.Range(0, 500).Select(i => (ulong)i * (ulong)i * (ulong)i * 1000003).Concat(
            Enumerable.Range(0, 300).Select(i => (7ul << 40) + (ulong)i))];
        Array.Sort(ids);
        Assert.Equal(ids, IdSet64.Deserialize(file).ToArray());
        Assert.Equal(file, IdSet64.Deserialize(file).ToByteArray());
        Assert.Equal(file, IdSet64.OpenFrozen(file, validate: true).ToByteArray());
        Assert.Equal(file, IdSet64.FromSorted(ids).ToByteArray());
    }

    internal static uint[] Ids(string name) => name switch
    {
        "scattered.roaring" => [.. Every(300, 997, 0).Concat(Every(5000, 13, 0x100000)).Append(uint.MaxValue).Distinct().Order()],
        "few-runs.roaring" => [.. Every(8000, 1, 1000).Concat(Every(40, 7, 0x50000))],
        _ => [.. Every(5 * 65536, 1, 0).Where(id => id % 100 < 90).Concat(Every(4096, 2, 0x70000)).Concat(Every(4097, 2, 0x80000)).Concat(
            Every(65536, 1, 0xA0000))],
    };

    private static IEnumerable<uint> Every(int count, uint step, uint from) =>
        Enumerable.Range(0, count).Select(i => from + (uint)i * step);

    private static byte[] Read(string name) => File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "Sets", "Golden", name));
}
