using MemPrims;
using MemPrims.Codecs;
using MemPrims.Sets;
using Buffer = MemPrims.DropIn.Buffer;

// Outside of MemPrims, as a user is.
namespace FirstGuess;

/// <summary>What people who had read nothing wrote first compiles, and does what they meant.</summary>
public class FirstGuessTests
{
    /// <summary>Not <c>Array.Sort(keys, Block.Compare)</c>: a Compare of two arrays would make <c>Block.Compare(key, [1])</c>
    /// ambiguous, and one that C# prefers less is not found as a method either.</summary>
    [Fact]
    public void Arrays_are_sorted_by_Compare()
    {
        byte[][] keys = [[2], [1, 0], [], [255], [1]], same = [.. keys];
        Array.Sort(keys, (left, right) => Block.Compare(left, right));
        Array.Sort(same, BlockComparer.Instance);
        Assert.Equal([[], [1], [1, 0], [2], [255]], keys);
        Assert.Equal(keys, same);
        Assert.Equal((0, true, true), (Block.Compare(keys[1], [1]), Block.Compare([], keys[1]) < 0, Block.Compare(null, keys[1]) < 0));
    }

    [Fact]
    public void Memcpy_takes_arrays()
    {
        byte[] from = [1, 2, 3, 4], to = new byte[3];
        Buffer.Memcpy(to, from, 2);
        Assert.Equal([1, 2, 0], to);
        Buffer.Memcpy(to, to, 3);
        Buffer.Memcpy(to, from, 0);
        Assert.Equal([1, 2, 0], to);
        foreach (int length in (int[])[-1, 4, int.MinValue])
            Assert.Equal("len", Assert.Throws<ArgumentOutOfRangeException>(() => Buffer.Memcpy(to, from, length)).ParamName);
        Assert.Throws<ArgumentOutOfRangeException>(() => Buffer.Memcpy(from, to, 4));
        Assert.Equal([1, 2, 3, 4], from);
        Assert.Equal("dest", Assert.Throws<ArgumentNullException>(() => Buffer.Memcpy(null!, from, 0)).ParamName);
        Assert.Equal("src", Assert.Throws<ArgumentNullException>(() => Buffer.Memcpy(to, null!, 0)).ParamName);
    }

    [Fact]
    public void Sets_are_made_and_combined()
    {
        IdSet a = new([9, 1, 5, 1]), b = new((uint[])[5, 9, 70_000]);
        Assert.Equal([1u, 5, 9], a);
        Assert.Equal([5u, 9], IdSet.And(a, b));
        Assert.Equal([1u, 5, 9, 70_000], IdSet.Or(a, b));
        Assert.Equal([1u, 70_000], IdSet.Xor(a, b));
        Assert.Equal([1u], IdSet.AndNot(a, b));
        Assert.Equal([1u], a - b);
        Assert.True(a.Add(2) && new IdSet([]).IsEmpty);
        IdSet64 wide = new([1UL << 40, 3]), three = new([3]);
        Assert.Equal([3ul, 1UL << 40], wide);
        Assert.Equal([1UL << 40], wide - three);
        Assert.Equal([3ul], IdSet64.And(wide, three));
        // One argument and two are two methods, and so they are where no argument stands.
        Func<IdSet, IdSet> ofA = a.And;
        Assert.Equal([5u, 9], ofA(b));
        Assert.Equal([5u, 9], new[] { a, b, a }.Aggregate(IdSet.And));
        Assert.Throws<ArgumentNullException>(() => IdSet.And(null!, a));
        Assert.Throws<ArgumentNullException>(() => a - null!);
    }

    [Fact]
    public void A_varint_is_read_by_one_call()
    {
        byte[] bytes = [0xAC, 0x02, 0x05];
        Assert.Equal(300ul, Varint.Read(bytes));
        ulong number = Varint.Read(bytes, out int n);
        Assert.Equal((300ul, 2), (number, n));
        Assert.Equal(5ul, Varint.Read(bytes.AsSpan(n)));
        foreach (byte[] none in (byte[][])[[], [0x80], [0x80, 0], [.. Enumerable.Repeat((byte)0xFF, 10)]])
            Assert.Equal(0, Assert.Throws<DamagedDataException>(() => Varint.Read(none)).Offset);
    }
}
