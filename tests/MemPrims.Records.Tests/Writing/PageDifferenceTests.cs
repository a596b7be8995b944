namespace MemPrims.Records.Tests.Writing;

public unsafe class PageDifferenceTests
{
    [Fact]
    public void It_is_what_the_checksums_of_both_pages_differ_by()
    {
        Random random = Seeds.Random();
        byte[] left = new byte[PageHeader.PageBytes], right = new byte[PageHeader.PageBytes];
        for (int round = 0; round < 2000; round++)
        {
            ulong lines = Lines(random, round) | PageLines.Header;
            random.NextBytes(left);
            left.CopyTo(right, 0);
            for (int i = 0; i < PageHeader.PageBytes; i++)
                if ((lines >> (i / 64) & 1) != 0 && random.Next(4) == 0) right[i] = (byte)random.Next();
            uint number = (uint)random.Next();
            fixed (byte* l = left, r = right)
                Assert.Equal(PageHeader.ChecksumOf(left, number) ^ PageHeader.ChecksumOf(right, number), PageDifference.Of(l, r, lines));
        }
    }

    [Fact]
    public void It_is_the_same_without_the_instructions() =>
        Child.Run(WithoutInstructions, environment: ("DOTNET_EnableHWIntrinsic", "0")).AssertSucceeded();

    private static void WithoutInstructions(string[] _) => new PageDifferenceTests().It_is_what_the_checksums_of_both_pages_differ_by();

    [Fact]
    public void Runs_are_taken_in_order_and_each_line_once()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 5000; round++)
        {
            ulong lines = Lines(random, round), rest = lines, seen = 0;
            int end = -1;
            while (rest != 0)
            {
                (int offset, int length) = PageLines.TakeRun(ref rest);
                // Not even next to the run before: a run is as long as it can be.
                Assert.True(offset > end && length > 0 && offset + length <= PageHeader.PageBytes);
                end = offset + length;
                seen |= PageLines.Of(offset, length);
            }
            Assert.Equal(lines, seen);
        }
    }

    [Fact]
    public void Every_byte_of_a_range_is_in_its_lines_and_no_other_line_is()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 5000; round++)
        {
            int offset = random.Next(PageHeader.PageBytes), length = random.Next(1, PageHeader.PageBytes - offset + 1);
            ulong expected = 0;
            for (int i = offset; i < offset + length; i++) expected |= 1UL << (i / 64);
            Assert.Equal(expected, PageLines.Of(offset, length));
        }
    }

    private static ulong Lines(Random random, int round) => round switch
    {
        0 => 0,
        1 => PageLines.All,
        2 => 1UL << 63,
        _ => (ulong)random.NextInt64(long.MinValue, long.MaxValue) & (round % 3 == 0
            ? (ulong)random.NextInt64() & (ulong)random.NextInt64() : PageLines.All),
    };
}
