namespace MemPrims.Tests;

public class BlockComparerTests
{
    [Fact]
    public void Arrays_and_memories_are_sorted_as_unsigned_bytes()
    {
        byte[][] keys = Keys();
        byte[]?[] sorted = [.. keys, null];
        Array.Sort(sorted, BlockComparer.Instance);
        Assert.Null(sorted[0]);
        for (int i = 2; i < sorted.Length; i++) Assert.True(sorted[i - 1].AsSpan().SequenceCompareTo(sorted[i]) <= 0);
        ReadOnlyMemory<byte>[] memories = [.. keys.Select(key => (ReadOnlyMemory<byte>)key)];
        Array.Sort(memories, BlockComparer.Instance);
        Assert.Equal(sorted[1..], memories.Select(memory => memory.ToArray()));
        SortedDictionary<byte[], int> places = new(BlockComparer.Instance);
        foreach (byte[] key in keys) places[key] = key.Length;
        Assert.Equal(sorted[1..].Distinct(BlockComparer.Instance), places.Keys);
    }

    [Fact]
    public void Dictionaries_and_sets_find_what_has_the_same_bytes()
    {
        Dictionary<byte[], int> counts = new(BlockComparer.Instance);
        HashSet<ReadOnlyMemory<byte>> seen = new(BlockComparer.Instance);
        Dictionary<string, int> wanted = [];
        foreach (byte[] key in Keys())
        {
            string text = Convert.ToHexString(key);
            wanted[text] = wanted.GetValueOrDefault(text) + 1;
            counts[[.. key]] = counts.GetValueOrDefault(key) + 1;
            Assert.Equal(wanted[text] == 1, seen.Add(key.ToArray()));
        }
        Assert.Equal(wanted, counts.ToDictionary(pair => Convert.ToHexString(pair.Key), pair => pair.Value));
        Dictionary<byte[], int>.AlternateLookup<ReadOnlySpan<byte>> bySpan = counts.GetAlternateLookup<ReadOnlySpan<byte>>();
        Assert.Equal(wanted["0102"], bySpan[[1, 2]]);
        Assert.False(bySpan.ContainsKey([9, 9, 9, 9]));
        bySpan[[9, 9, 9, 9]] = 7;
        Assert.Equal(7, counts[[9, 9, 9, 9]]);
        Assert.True(seen.GetAlternateLookup<ReadOnlySpan<byte>>().Contains([1, 2]));
        Assert.True(seen.GetAlternateLookup<ReadOnlySpan<byte>>().Add([9, 9, 9, 9]));
    }

    [Fact]
    public void Null_is_no_empty_block()
    {
        BlockComparer comparer = BlockComparer.Instance;
        Assert.Equal((0, -1, 1), (comparer.Compare(null, null), comparer.Compare(null, []), comparer.Compare([], null)));
        Assert.True(comparer.Equals((byte[]?)null, null));
        Assert.False(comparer.Equals(null, (byte[])[]) || comparer.Equals([], (byte[]?)null));
        Assert.False(comparer.Equals([], null));
        Assert.Throws<ArgumentNullException>(() => comparer.GetHashCode(null!));
    }

    private static byte[][] Keys() => [[1, 2], [], [255], [127], [1, 2], [1, 2, 0], .. Enumerable.Range(0, 400).Select(_ =>
    {
        byte[] key = new byte[Seeds.Random().Next(40)];
        Random.Shared.NextBytes(key);
        return key;
    })];
}
