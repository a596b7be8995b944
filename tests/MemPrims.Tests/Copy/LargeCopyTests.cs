namespace MemPrims.Tests;

// Blocks over 4 GiB: what lies past 4 GiB is written too, and nothing behind it.
public unsafe class LargeCopyTests
{
    private const int InTail = 200_001;
    private static readonly nint Length = RepeatedMemory.TailOffset + InTail;

    [LargeMemoryFact]
    public void Bytes_past_4_GiB_are_copied()
    {
        using RepeatedMemory destination = new(), source = new();
        Seeds.Random(1).NextBytes(source.Repeated);
        Seeds.Random(2).NextBytes(Tail(source));
        foreach (Kernel<CopyBlock> kernel in CopyKernels.Table.Takes64BitLengths)
        {
            destination.Repeated.Clear();
            Tail(destination).Clear();
            kernel.Run(destination.Start, source.Start, Length);
            Assert.True(destination.Repeated.SequenceEqual(source.Repeated), kernel.Name);
            Assert.True(Tail(destination)[..InTail].SequenceEqual(Tail(source)[..InTail]), kernel.Name);
            Assert.False(Tail(destination)[InTail..].ContainsAnyExcept((byte)0), kernel.Name);
        }
    }

    // The repetitions are zero, so that they stay the same under a copy; what moves is in the tail.
    [LargeMemoryFact]
    public void Bytes_past_4_GiB_move_within_a_block()
    {
        const int distance = 70_001;
        using RepeatedMemory memory = new();
        byte[] model = new byte[InTail];
        Seeds.Random().NextBytes(model);
        foreach (Kernel<CopyBlock> kernel in CopyKernels.Table.Takes64BitLengths)
        {
            Tail(memory).Clear();
            model.CopyTo(Tail(memory));
            kernel.Run(memory.Start + distance, memory.Start, Length);
            Assert.True(Tail(memory).Slice(distance, InTail).SequenceEqual(model), kernel.Name);
            Assert.False(Tail(memory)[..distance].ContainsAnyExcept((byte)0) || memory.Repeated.ContainsAnyExcept((byte)0), kernel.Name);

            kernel.Run(memory.Start, memory.Start + distance, Length);
            Assert.True(Tail(memory)[..InTail].SequenceEqual(model), kernel.Name);
        }
    }

    [LargeMemoryFact]
    public void Bytes_past_4_GiB_are_filled_and_cleared()
    {
        using RepeatedMemory memory = new();
        Block.Fill(memory.Start, Length, 0xA5);
        AssertFilled(memory, 0xA5, behind: 0, "Block.Fill");
        Tail(memory)[InTail..].Fill(1);
        Block.Clear(memory.Start, Length);
        AssertFilled(memory, 0, behind: 1, "Block.Clear");
    }

    private static Span<byte> Tail(RepeatedMemory memory) => new(memory.Tail, RepeatedMemory.TailLength);

    private static void AssertFilled(RepeatedMemory memory, byte value, byte behind, string name)
    {
        Assert.False(memory.Repeated.ContainsAnyExcept(value), name);
        Assert.False(Tail(memory)[..InTail].ContainsAnyExcept(value), name);
        Assert.False(Tail(memory)[InTail..].ContainsAnyExcept(behind), name);
    }
}
