using System.Runtime.CompilerServices;

namespace MemPrims.Tests;

// The knob MemPrims.Backend is read once in a process, so each value has a child of its own, which sets it before anything else.
public class BackendTests
{
    [Theory, InlineData("libc"), InlineData("managed")]
    public void The_knob_chooses_the_backend(string backend) => Child.Run(Choose, [backend]).AssertSucceeded();

    [Fact]
    public void Every_routine_is_right_on_libc() => Child.Run(RunTables, ["libc"]).AssertSucceeded();

    [Fact]
    public void Every_routine_on_libc_stays_between_the_guards() => Child.Run(RunBetweenGuards, ["libc"]).AssertSucceeded();

    [Fact]
    public void An_unknown_backend_is_an_error_that_names_the_knob_and_its_values()
    {
        ChildResult result = Child.Run(Compare, ["fastest"]);
        Assert.Equal(1, result.ExitCode);
        Assert.All(["MemPrims.Backend", "'fastest'", "'managed'", "'libc'"], word =>
            Assert.Contains(word, result.Error, StringComparison.Ordinal));
    }

    [Fact]
    public void The_backend_is_managed_unless_libc_is_asked_for()
    {
        Assert.False(Backend.Choose(null));
        Assert.False(Backend.Choose(""));
        Assert.False(Backend.Choose("managed"));
        Assert.True(Backend.Choose("libc"));
        Assert.Throws<NotSupportedException>(() => Backend.Choose("LIBC"));
        Assert.Throws<NotSupportedException>(() => Backend.Choose(true));
    }

    // glibc's memcmp reads a byte that differs a second time, and says 0 when another thread has changed it meanwhile.
    [Fact]
    public void Blocks_that_always_differ_are_never_called_equal_on_libc() => Child.Run(CompareChanging, ["libc"]).AssertSucceeded();

    // The knob is read when the first method is compiled that names something of MemPrims. So the method that sets it calls, and names
    // nothing.
    private static void Choose(string[] backend)
    {
        AppContext.SetData("MemPrims.Backend", backend[0]);
        AssertChosen(backend[0]);
    }

    private static void RunTables(string[] backend)
    {
        Choose(backend);
        RunAllTables();
    }

    private static void RunBetweenGuards(string[] backend)
    {
        Choose(backend);
        CompareGuardTests.Compare([]);
        CompareGuardTests.CompareTwoLengths([]);
        CopyGuardTests.Copy([]);
        CopyGuardTests.CopyWithinOne([]);
    }

    private static void Compare(string[] backend)
    {
        AppContext.SetData("MemPrims.Backend", backend[0]);
        CompareOnce();
    }

    private static void CompareChanging(string[] backend)
    {
        Choose(backend);
        CompareWhileAnotherWrites();
    }

    // The last byte of the right block is always greater. All others flicker between the left block's value and another one.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe void CompareWhileAnotherWrites()
    {
        byte* left = stackalloc byte[200], right = stackalloc byte[200];
        bool stop = false;
        foreach (int length in (int[])[5, 24, 48, 65, 100, 200])
        {
            new Span<byte>(left, length).Clear();
            new Span<byte>(right, length).Clear();
            right[length - 1] = 9;
            nint at = (nint)right;
            Volatile.Write(ref stop, false);
            Thread writer = new(() =>
            {
                for (byte value = 0; !Volatile.Read(ref stop); value ^= 1) new Span<byte>((byte*)at, length - 1).Fill(value);
            });
            writer.Start();
            for (int i = 0; i < 200_000; i++)
            {
                Assert.False(Block.Equal(left, right, length));
                Assert.NotEqual(0, Block.Compare(left, right, length));
                Assert.NotEqual(0, Block.Compare(new Span<byte>(left, length), new Span<byte>(right, length)));
                Assert.True(Block.CommonPrefix(left, right, length) < length);
            }
            Volatile.Write(ref stop, true);
            writer.Join();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void AssertChosen(string backend) => Assert.Equal(backend == "libc" && Libc.IsAvailable, Backend.UsesLibc);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CompareOnce() => Block.Compare([1, 2, 3, 4], [9, 2, 3, 4]);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RunAllTables()
    {
        foreach (Kernel<FindDifference> kernel in CompareKernels.Position.Supported) new CompareTests()
            .The_first_difference_is_found_at_every_length_and_position(kernel.Name);
        foreach (Kernel<CompareBlocks> kernel in CompareKernels.Order.Supported) new CompareTests()
            .The_order_is_that_of_the_first_bytes_that_differ(kernel.Name);
        foreach (Kernel<EqualBlocks> kernel in CompareKernels.Equality.Supported) new CompareTests()
            .Blocks_are_equal_when_no_byte_differs(kernel.Name);
        foreach (Kernel<CopyBlock> kernel in CopyKernels.Table.Supported)
        {
            new CopyTests().Every_length_is_copied_at_every_overlap(kernel.Name);
            new CopyTests().Large_blocks_are_copied_at_near_and_far_distances(kernel.Name);
        }
        new CompareTests().A_block_comes_before_a_longer_one_that_starts_with_it();
    }
}
