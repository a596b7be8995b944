namespace MemPrims.Tests;

// CI runs this suite once per instruction tier and says which by MEMPRIMS_TIER: a run that is in another tier must not count.
public class TierTests
{
    [Fact]
    public void The_run_is_in_the_tier_that_it_claims()
    {
        string? claimed = Environment.GetEnvironmentVariable("MEMPRIMS_TIER");
        Assert.True(claimed is null || claimed == Hardware.Tier.ToString(), $"claimed {claimed}, running in {Hardware.Tier}");
    }
}
