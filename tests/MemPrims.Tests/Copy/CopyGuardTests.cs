namespace MemPrims.Tests;

// No byte outside the blocks is read or written, even where the hardware would let it.
public unsafe class CopyGuardTests
{
    [Fact]
    public void Copying_stays_between_the_guards() => Child.Run(Copy).AssertSucceeded();

    [Fact]
    public void Copying_within_one_block_stays_between_the_guards() => Child.Run(CopyWithinOne).AssertSucceeded();

    [Fact]
    public void Filling_stays_between_the_guards() => Child.Run(Fill).AssertSucceeded();

    internal static void Copy(string[] _)
    {
        byte[] model = new byte[GuardSweep.Longest];
        Seeds.Random().NextBytes(model);
        foreach (Kernel<CopyBlock> kernel in CopyKernels.Table.Supported)
            GuardSweep.Run(kernel.Name, (destination, source, length) =>
            {
                Span<byte> expected = model.AsSpan(0, (int)length), actual = new(destination, (int)length);
                expected.CopyTo(new Span<byte>(source, (int)length));
                actual.Clear();
                kernel.Run(destination, source, length);
                Assert.True(actual.SequenceEqual(expected), $"{kernel.Name}: length {length}");
            });
    }

    internal static void CopyWithinOne(string[] _)
    {
        foreach (Kernel<CopyBlock> kernel in CopyKernels.Table.Supported)
            GuardSweep.Run($"{kernel.Name} within a block", (block, length) =>
            {
                for (nint distance = 0; distance <= Math.Min(length, 130); distance += 1 + distance / 8)
                {
                    kernel.Run(block, block + distance, length - distance);
                    kernel.Run(block + distance, block, length - distance);
                }
            });
    }

    internal static void Fill(string[] _)
    {
        GuardSweep.Run("Block.Fill", (block, length) =>
        {
            Block.Fill(block, length, 0xA5);
            Assert.False(new Span<byte>(block, (int)length).ContainsAnyExcept((byte)0xA5));
        });
        GuardSweep.Run("Block.Clear", Block.Clear);
    }
}
