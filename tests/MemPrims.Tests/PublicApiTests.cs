namespace MemPrims.Tests;

// The public API is what PublicApi.txt says.
public class PublicApiTests
{
    [Fact]
    public void The_public_members_are_those_of_the_file()
    {
        string differences = PublicApi.Differences(typeof(Block).Assembly);
        Assert.True(differences is "", differences);
    }

    [Fact]
    public void Public_members_are_listed_and_no_others()
    {
        string[] lines = PublicApi.Of(typeof(Block).Assembly);
        Assert.Contains("MemPrims.Block: static void Fill(byte* destination, nint length, byte value)", lines);
        Assert.Contains("MemPrims.Tier: Vector512 = 3", lines);
        Assert.DoesNotContain(lines, line => line.Contains("InOrderOutOfLine", StringComparison.Ordinal));
        Assert.Equal(lines.Length, lines.Distinct().Count());
    }
}
