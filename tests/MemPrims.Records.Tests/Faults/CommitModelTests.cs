using Xunit.Abstractions;

namespace MemPrims.Records.Tests.Faults;

// The protocol has no violation in thousands of histories, and with any one of its steps left out it has: so the histories are able to
// find them. A sample runs without MEMPRIMS_LONG; MEMPRIMS_SCALE makes the runs longer.
public class CommitModelTests(ITestOutputHelper output)
{
    private static int EnoughViolations => LongRuns.Of(1, 5);

    private static int Histories => LongRuns.Of(1500, 20_000) * Seeds.Scale;

    [Fact]
    public void No_history_of_crashes_breaks_the_protocol()
    {
        using CommitModel model = new();
        for (int i = 0; i < Histories; i++) Assert.Null(model.Violation(Seeds.Seed + i, Step.None));
    }

    [Theory, InlineData(nameof(Step.ZeroTornMeta)), InlineData(nameof(Step.RewriteWinningMeta)), InlineData(nameof(Step.SyncBeforeMeta))]
    [InlineData(nameof(Step.SyncAfterMeta)), InlineData(nameof(Step.RepeatWrites)), InlineData(nameof(Step.SyncOnOpen))]
    [InlineData(nameof(Step.SyncBeside))]
    public void Leaving_out_one_step_is_found(string step)
    {
        using CommitModel model = new();
        int violations = 0, histories = 0;
        string? first = null;
        for (int i = 0; i < 20_000 * Seeds.Scale && violations < EnoughViolations; i++)
        {
            histories++;
            if (model.Violation(Seeds.Seed + i, Enum.Parse<Step>(step)) is not { } violation) continue;
            first ??= violation;
            violations++;
        }
        output.WriteLine($"without {step}: {violations} of {histories}; {first}");
        Assert.NotEqual(0, violations);
    }
}
