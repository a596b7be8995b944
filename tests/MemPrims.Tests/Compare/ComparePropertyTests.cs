using FsCheck.Fluent;

namespace MemPrims.Tests;

// The library of .NET is the oracle.
public unsafe class ComparePropertyTests
{
    [Fact]
    public void Spans_are_ordered_as_SequenceCompareTo_orders_them() => Properties.Hold(Properties.Relatives, pair =>
        Math.Sign(Block.Compare(pair.Left, pair.Right)) == Math.Sign(pair.Left.AsSpan().SequenceCompareTo(pair.Right)));

    [Fact]
    public void Order_turns_round_when_the_blocks_do() => Properties.Hold(Properties.Relatives, pair =>
        Math.Sign(Block.Compare(pair.Left, pair.Right)) == -Math.Sign(Block.Compare(pair.Right, pair.Left)));

    [Fact]
    public void Sorting_by_Compare_is_sorting_by_SequenceCompareTo() => Properties.Hold(Gen.ListOf(Properties.Block), blocks =>
        blocks.Order(Comparer<byte[]>.Create((left, right) => Block.Compare(left, right)))
            .SequenceEqual(blocks.Order(Comparer<byte[]>.Create((left, right) => left.AsSpan().SequenceCompareTo(right)))));

    [Fact]
    public void Spans_are_equal_when_SequenceEqual_says_so() => Properties.Hold(Properties.Relatives, pair =>
        Block.Equal(pair.Left, pair.Right) == pair.Left.AsSpan().SequenceEqual(pair.Right));

    [Fact]
    public void The_common_prefix_is_as_long_as_CommonPrefixLength_says() => Properties.Hold(Properties.Relatives, pair =>
        Block.CommonPrefix(pair.Left, pair.Right) == pair.Left.AsSpan().CommonPrefixLength(pair.Right));

    [Fact]
    public void All_forms_agree() => Properties.Hold(Properties.Relatives, pair =>
    {
        int length = Math.Min(pair.Left.Length, pair.Right.Length), common = pair.Left.AsSpan().CommonPrefixLength(pair.Right);
        int difference = common == length ? 0 : pair.Left[common] - pair.Right[common];
        fixed (byte* left = pair.Left, right = pair.Right)
            return Math.Sign(Block.Compare(left, right, length)) == Math.Sign(difference)
                && Math.Sign(Block.Compare(left, right, length, out nint position)) == Math.Sign(difference) && position == common
                && Block.CommonPrefix(left, right, length) == common
                && Block.Equal(left, right, length) == (common == length);
    });

    [Fact]
    public void A_block_is_zero_when_it_holds_nothing_else() =>
        Properties.Hold(Properties.Block.SelectMany(block => Gen.Elements(block, new byte[block.Length])), block =>
    {
        fixed (byte* start = block) return Block.IsZero(start, block.Length) == !block.AsSpan().ContainsAnyExcept((byte)0);
    });

    [Fact]
    public void The_checksum_of_two_blocks_is_that_of_the_second_seeded_with_that_of_the_first() =>
        Properties.Hold(Properties.Relatives, pair =>
    {
        uint whole = Checksum.Crc32C((byte[])[.. pair.Left, .. pair.Right]);
        return Checksum.Crc32C(Checksum.Crc32C(pair.Left), pair.Right) == whole && Crc32COracle.Of([.. pair.Left, .. pair.Right]) == whole;
    });
}
