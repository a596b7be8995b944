namespace MemPrims.Tests;

// The tests at guard pages say something only if a touch is noticed and its case is told.
public unsafe class GuardTests
{
    [Theory, InlineData("before"), InlineData("after")]
    public void A_byte_read_outside_ends_the_child_and_its_case_is_told(string side) => AssertFault(Child.Run(Read, [side]), 17);

    [Theory, InlineData("before"), InlineData("after")]
    public void A_byte_written_outside_ends_the_child_and_its_case_is_told(string side) => AssertFault(Child.Run(Write, [side]), 18);

    [Fact]
    public void A_child_that_does_not_touch_a_guard_succeeds() => Child.Run(TouchAll).AssertSucceeded();

    [Fact]
    public void A_failed_assertion_in_a_child_fails_the_parent_with_its_message()
    {
        ChildResult result = Child.Run(Throw);
        Assert.Contains("seventeen", Assert.Throws<InvalidOperationException>(result.AssertSucceeded).Message);
    }

    private static void AssertFault(ChildResult result, int number)
    {
        Assert.NotEqual(0, result.ExitCode);
        Assert.NotEqual(1, result.ExitCode);
        Assert.StartsWith($"touching the guard ({number},", result.LastCase);
        Assert.Contains(result.LastCase, Assert.Throws<InvalidOperationException>(result.AssertSucceeded).Message);
    }

    private static void Read(string[] side) => Volatile.Read(ref *Outside(side[0], 17));

    private static void Write(string[] side) => Volatile.Write(ref *Outside(side[0], 18), 1);

    private static byte* Outside(string side, int number)
    {
        GuardedMemory memory = new(1000);
        CaseNote.Set("touching the guard", number);
        return side == "before" ? memory.Start - 1 : memory.End;
    }

    private static void TouchAll(string[] _)
    {
        using GuardedMemory memory = new(1000);
        for (byte* at = memory.Start; at < memory.End; at++) (*at)++;
    }

    private static void Throw(string[] _) => throw new InvalidDataException("seventeen");
}
