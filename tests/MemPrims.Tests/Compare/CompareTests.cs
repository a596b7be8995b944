namespace MemPrims.Tests;

public unsafe class CompareTests
{
    [Theory, MemberData(nameof(CompareKernels.Position), MemberType = typeof(CompareKernels))]
    public void The_first_difference_is_found_at_every_length_and_position(string name)
    {
        Kernel<FindDifference> kernel = CompareKernels.Position[name];
        DifferenceSweep.Run(name, (left, right, length, position, _) => kernel.Run(left, right, length) == position);
    }

    [Theory, MemberData(nameof(CompareKernels.Order), MemberType = typeof(CompareKernels))]
    public void The_order_is_that_of_the_first_bytes_that_differ(string name)
    {
        Kernel<CompareBlocks> kernel = CompareKernels.Order[name];
        DifferenceSweep.Run(name, (left, right, length, _, difference) => kernel.Holds(left, right, length, difference));
    }

    [Theory, MemberData(nameof(CompareKernels.Equality), MemberType = typeof(CompareKernels))]
    public void Blocks_are_equal_when_no_byte_differs(string name)
    {
        Kernel<EqualBlocks> kernel = CompareKernels.Equality[name];
        DifferenceSweep.Run(name, (left, right, length, position, _) => kernel.Run(left, right, length) == (position == length));
    }

    [Theory, MemberData(nameof(CompareKernels.Order), MemberType = typeof(CompareKernels))]
    public void Every_pair_of_byte_values_is_ordered_as_unsigned_numbers(string name)
    {
        Kernel<CompareBlocks> kernel = CompareKernels.Order[name];
        byte* left = stackalloc byte[100], right = stackalloc byte[100];
        foreach (int length in (ReadOnlySpan<int>)[1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100])
            for (int pair = 0; pair < 65536; pair++)
            {
                nint position = pair % length;
                (left[position], right[position]) = ((byte)pair, (byte)(pair >> 8));
                if (!kernel.Holds(left, right, length, (byte)pair - (byte)(pair >> 8)))
                    Assert.Fail($"{name}: bytes {left[position]} and {right[position]} at {position} of {length}");
                left[position] = right[position];
            }
    }

    [Fact]
    public void A_block_comes_before_a_longer_one_that_starts_with_it()
    {
        byte[] left = new byte[300], right = new byte[300];
        Seeds.Random().NextBytes(left);
        left.CopyTo(right, 0);
        for (int leftLength = 0; leftLength <= left.Length; leftLength++)
            for (int rightLength = 0; rightLength <= right.Length; rightLength++)
            {
                int order = Block.Compare(left.AsSpan(0, leftLength), right.AsSpan(0, rightLength));
                nint prefix = Block.CommonPrefix(left.AsSpan(0, leftLength), right.AsSpan(0, rightLength));
                bool equal = Block.Equal(left.AsSpan(0, leftLength), right.AsSpan(0, rightLength));
                if (Math.Sign(order) != leftLength.CompareTo(rightLength) || prefix != Math.Min(leftLength, rightLength)
                    || equal != (leftLength == rightLength))
                    Assert.Fail($"lengths {leftLength} and {rightLength}: order {order}, prefix {prefix}, equal {equal}");
            }
    }

    [Fact]
    public void A_difference_counts_before_the_lengths()
    {
        byte[] left = new byte[200], right = new byte[201];
        for (int position = 0; position < left.Length; position++)
        {
            left[position] = 0x80;
            right[position] = 0x7F;
            Assert.True(Block.Compare(left, right) > 0);
            Assert.True(Block.Compare(right, left) < 0);
            Assert.Equal(position, Block.CommonPrefix(left, right));
            Assert.False(Block.Equal(left, right.AsSpan(0, 200)));
            left[position] = right[position] = 0;
        }
    }

    [Fact]
    public void A_block_is_zero_when_no_bit_is_set()
    {
        using AlignedMemory memory = new(4096 + DifferenceSweep.Longest + 192);
        foreach (int offset in (ReadOnlySpan<int>)[0, 1, 29, 63, 4096 - 64, 4096 - 64 - 20])
            for (int length = 0; length <= DifferenceSweep.Longest; length++)
            {
                byte* block = memory.Start + 64 + offset;
                block[-1] = block[length] = 0xFF;
                if (!Block.IsZero(block, length)) Assert.Fail($"{length} zeros at {offset} past a multiple of 64");
                for (int position = 0; position < length; position++)
                {
                    block[position] = (byte)(1 << (position + length) % 8);
                    if (Block.IsZero(block, length)) Assert.Fail(
                        $"{block[position]} at {position} of {length}, {offset} past a multiple of 64");
                    block[position] = 0;
                }
                block[-1] = block[length] = 0;
            }
    }

    [Fact]
    public void A_block_of_one_other_value_is_not_zero()
    {
        byte[] block = new byte[DifferenceSweep.Longest];
        block.AsSpan().Fill(0xFF);
        fixed (byte* start = block)
            for (int length = 1; length <= block.Length; length++)
                if (Block.IsZero(start, length)) Assert.Fail($"{length} bytes of FF");
    }
}
