namespace MemPrims.Tests;

// No byte outside the blocks is read, even where the hardware would let it.
public unsafe class CompareGuardTests
{
    [Fact]
    public void Comparing_stays_between_the_guards() => Child.Run(Compare).AssertSucceeded();

    [Fact]
    public void Comparing_spans_of_two_lengths_stays_between_the_guards() => Child.Run(CompareTwoLengths).AssertSucceeded();

    [Fact]
    public void Looking_for_a_bit_stays_between_the_guards() => Child.Run(IsZero).AssertSucceeded();

    internal static void Compare(string[] _)
    {
        foreach (Kernel<FindDifference> kernel in CompareKernels.Position.Supported)
            AtPositions(kernel.Name, (left, right, length, position) => kernel.Run(left, right, length) == position);
        foreach (Kernel<CompareBlocks> kernel in CompareKernels.Order.Supported)
            AtPositions(kernel.Name, (left, right, length, position) => kernel.Holds(left, right, length, position == length ? 0 : -1));
        foreach (Kernel<EqualBlocks> kernel in CompareKernels.Equality.Supported)
            AtPositions(kernel.Name, (left, right, length, position) => kernel.Run(left, right, length) == (position == length));
    }

    private delegate bool Check(byte* left, byte* right, nint length, nint position);

    private static void AtPositions(string subject, Check holds) => GuardSweep.Run(subject, (left, right, length) =>
    {
        foreach (nint position in (ReadOnlySpan<nint>)[length, length - 1, length / 2, 0])
        {
            bool different = position >= 0 && position < length;
            if (different) right[position]++;
            bool held = holds(left, right, length, different ? position : length);
            if (different) right[position]--;
            Assert.True(held, $"{subject}: length {length}, difference at {position}");
        }
    });

    internal static void CompareTwoLengths(string[] _) => GuardSweep.Run("spans of two lengths", (left, right, length) =>
    {
        ReadOnlySpan<byte> whole = new(left, (int)length);
        for (int less = 0; less <= Math.Min(length, 130); less++)
        {
            ReadOnlySpan<byte> head = new(right, (int)length - less), tail = new(right + less, (int)length - less);
            Assert.True(Math.Sign(Block.Compare(whole, head)) == Math.Sign(less)
                && Math.Sign(Block.Compare(tail, whole)) == -Math.Sign(less));
            Assert.True(Block.CommonPrefix(whole, tail) == tail.Length && Block.CommonPrefix(head, whole) == head.Length);
            Assert.True(Block.Equal(whole, head) == (less == 0) && Block.Equal(tail, whole) == (less == 0));
        }
    });

    internal static void IsZero(string[] _) => GuardSweep.Run("Block.IsZero", (block, length) =>
    {
        Assert.True(Block.IsZero(block, length));
        if (length == 0) return;
        block[length - 1] = 1;
        Assert.False(Block.IsZero(block, length));
        block[length - 1] = 0;
    });
}
