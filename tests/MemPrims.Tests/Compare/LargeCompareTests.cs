namespace MemPrims.Tests;

// Blocks over 4 GiB whose only difference lies past 4 GiB.
public unsafe class LargeCompareTests
{
    private static readonly nint Length = RepeatedMemory.TailOffset + 5000, Difference = RepeatedMemory.TailOffset + 1234;

    [LargeMemoryFact]
    public void A_difference_past_4_GiB_is_found()
    {
        using RepeatedMemory left = new(), right = new();
        Seeds.Random().NextBytes(left.Repeated);
        left.Repeated.CopyTo(right.Repeated);

        (left.Start[Difference], right.Start[Difference]) = (0xFF, 0x00);
        (left.Start[Difference + 1], right.Start[Difference + 1]) = (0x00, 0xFF);

        foreach (Kernel<FindDifference> kernel in CompareKernels.Position.Takes64BitLengths)
            Assert.True(kernel.Run(left.Start, right.Start, Length) == Difference, kernel.Name);
        foreach (Kernel<CompareBlocks> kernel in CompareKernels.Order.Takes64BitLengths)
            Assert.True(kernel.Holds(left.Start, right.Start, Length, 0xFF), kernel.Name);
        foreach (Kernel<EqualBlocks> kernel in CompareKernels.Equality.Takes64BitLengths)
        {
            Assert.False(kernel.Run(left.Start, right.Start, Length), kernel.Name);
            Assert.True(kernel.Run(left.Start, right.Start, Difference), kernel.Name);
        }
    }

    [LargeMemoryFact]
    public void A_bit_past_4_GiB_is_found()
    {
        using RepeatedMemory memory = new();
        Assert.True(Block.IsZero(memory.Start, Length));
        memory.Start[Difference] = 1;
        Assert.False(Block.IsZero(memory.Start, Length));
        Assert.True(Block.IsZero(memory.Start, Difference));
    }
}
