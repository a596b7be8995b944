using System.Runtime.CompilerServices;

namespace MemPrims.Tests;

/// <summary>The knob MemPrims.Backend is read once in a process, so each value has a child of its own, which sets it before anything else.</summary>
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
        Assert.All(["MemPrims.Backend", "'fastest'", "'managed'", "'libc'"], word => Assert.Contains(word, result.Error, StringComparison.Ordinal));
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

    // The knob is read when the first method is compiled that names something of MemPrims. So the method that sets it calls, and names nothing.
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

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void AssertChosen(string backend) => Assert.Equal(backend == "libc" && Libc.IsAvailable, Backend.UsesLibc);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CompareOnce() => Block.Compare(new byte[100], new byte[100]);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RunAllTables()
    {
        foreach (MismatchKernel kernel in MismatchKernels.Table.Supported) new CompareTests().The_first_difference_is_found_at_every_length_and_position(kernel.Name);
        foreach (CompareKernel kernel in CompareKernels.Order.Supported) new CompareTests().The_order_is_that_of_the_first_bytes_that_differ(kernel.Name);
        foreach (EqualKernel kernel in CompareKernels.Equality.Supported) new CompareTests().Blocks_are_equal_when_no_byte_differs(kernel.Name);
        foreach (CopyKernel kernel in CopyKernels.Table.Supported)
        {
            new CopyTests().Every_length_is_copied_at_every_overlap(kernel.Name);
            new CopyTests().Large_blocks_are_copied_at_near_and_far_distances(kernel.Name);
        }
        new CompareTests().A_block_comes_before_a_longer_one_that_starts_with_it();
    }
}
