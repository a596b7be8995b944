namespace MemPrims.Tests;

// Blocks that another thread changes while they are compared or copied, ending where a page ends that is followed by none. Any answer may
// come, but no fault, no position behind the length, no difference without an order and no hang. A fault ends a process, so each few
// lengths have a child process of their own.
public unsafe class ChangingMemoryTests
{
    private const int Rounds = 30_000;

    // The ends of every class of every tier: words, windows of 8 to 64 bytes, strides.
    private static readonly int[] s_lengths = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 100, 127, 128, 129,
        200, 256, 257, 300, 511, 600, 1100, 2047, 2048, 2100, 4000];

    public static TheoryData<string> Lengths => [.. s_lengths.Chunk(7).Select(lengths => string.Join(' ', lengths))];

    [Theory, MemberData(nameof(Lengths))]
    public void A_block_that_changes_is_compared_without_a_fault(string lengths) => Run(CompareEach, lengths);

    [Theory, MemberData(nameof(Lengths))]
    public void A_block_that_changes_is_copied_without_a_fault(string lengths) => Run(CopyEach, lengths);

    private static void Run(Action<string[]> scenario, string lengths)
    {
        Task<ChildResult> child = Task.Run(() => Child.Run(scenario, lengths.Split(' ')));
        Assert.True(child.Wait(TimeSpan.FromMinutes(2)), $"{lengths} bytes: the child hangs");
        child.Result.AssertSucceeded();
    }

    internal static void CompareEach(string[] arguments) => Array.ForEach(arguments, length => Compare(int.Parse(length)));

    internal static void CopyEach(string[] arguments) => Array.ForEach(arguments, length => Copy(int.Parse(length)));

    private static void Compare(int length)
    {
        using GuardedMemory leftMemory = new(length), rightMemory = new(length);
        byte* left = leftMemory.EndingAtGuard(length), right = rightMemory.EndingAtGuard(length);
        Kernel<FindDifference>[] finders = [.. CompareKernels.Position.Supported];
        Kernel<CompareBlocks>[] orders =
            [.. CompareKernels.Order.Supported.Where(kernel => kernel.Name.StartsWith("Block", StringComparison.Ordinal))];
        WhileAnotherThreadChanges(left, length, () =>
        {
            nint all = 0, orderSum = 0;
            foreach (Kernel<FindDifference> finder in finders)
            {
                CaseNote.Set(finder.Name, length);
                nint position = finder.Run(left, right, length);
                if (position < 0
                    || position > length) throw new InvalidOperationException($"{finder.Name}: {length} bytes, position {position}");
                all += position;
            }
            foreach (Kernel<CompareBlocks> order in orders) orderSum += order.Holds(left, right, length, 0) ? 1 : 0;
            int withPosition = Block.Compare(left, right, length, out nint at);
            if (at < 0 || at > length || withPosition == 0 != (at == length)) throw new InvalidOperationException(
                $"{length} bytes, order {withPosition}, position {at}");
            if (Block.Equal(left, right, length)) all++;
            if (Block.IsZero(left, length)) all++;
            return all + orderSum;
        });
    }

    private static void Copy(int length)
    {
        using GuardedMemory sourceMemory = new(length), destinationMemory = new(length);
        byte* source = sourceMemory.EndingAtGuard(length), destination = destinationMemory.EndingAtGuard(length);
        Kernel<CopyBlock>[] kernels = [.. CopyKernels.Table.Supported];
        WhileAnotherThreadChanges(source, length, () =>
        {
            foreach (Kernel<CopyBlock> kernel in kernels)
            {
                CaseNote.Set(kernel.Name, length);
                kernel.Run(destination, source, length);
                // Every byte of the copy is one that the source had at some time.
                if (new Span<byte>(destination, length).ContainsAnyExcept((byte)0, (byte)1)) throw new InvalidOperationException(
                    $"{kernel.Name}: {length} bytes, a byte that never was");
            }
            return 0;
        });
    }

    // The other thread sets and clears one byte after the other, so that a difference comes and goes, and moves.
    private static void WhileAnotherThreadChanges(byte* block, int length, Func<nint> look)
    {
        bool stop = false;
        Thread changing = new(() =>
        {
            for (int at = 0; !Volatile.Read(ref stop); at = at + 1 < length ? at + 1 : 0)
            {
                if (length == 0) continue;
                Volatile.Write(ref block[at], 1);
                Volatile.Write(ref block[length - 1 - at], 1);
                Volatile.Write(ref block[length - 1 - at], 0);
                Volatile.Write(ref block[at], 0);
            }
        })
        { IsBackground = true };
        changing.Start();
        nint sum = 0;
        long until = Environment.TickCount64 + 250;
        for (int round = 0; round < Rounds && Environment.TickCount64 < until; round++) sum += look();
        Volatile.Write(ref stop, true);
        changing.Join();
        GC.KeepAlive(sum);
    }
}
