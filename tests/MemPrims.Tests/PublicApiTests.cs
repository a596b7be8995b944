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
}
