namespace MemPrims.Tests;

public unsafe class LibcTests
{
    [Fact]
    public void Linux_and_Windows_and_macOS_have_a_libc() =>
        Assert.Equal(OperatingSystem.IsLinux() || OperatingSystem.IsWindows() || OperatingSystem.IsMacOS(), Libc.IsAvailable);

    // In libc such a fault would end the process, so each case is a child.
    [Theory, InlineData("compare"), InlineData("compare right"), InlineData("copy to"), InlineData("copy from")]
    public void A_null_block_with_a_length_is_an_exception(string what) => Child.Run(UseNull, [what]).AssertSucceeded();

    private static void UseNull(string[] what)
    {
        byte* block = stackalloc byte[100];
        new Span<byte>(block, 100).Fill(7);
        foreach (int length in (int[])[1, 8, 100])
            Assert.Throws<NullReferenceException>(() =>
            {
                switch (what[0])
                {
                    case "compare": Libc.Compare(null, block, length); break;
                    case "compare right": Libc.Compare(block, null, length); break;
                    case "copy to": Libc.Copy(null, block, length); break;
                    case "copy from": Libc.Copy(block, null, length); break;
                }
            });
        Assert.Equal(-1, new Span<byte>(block, 100).IndexOfAnyExcept((byte)7));
        Assert.Equal(0, Libc.Compare(null, null, 0));
        Libc.Copy(null, null, 0);
    }
}
