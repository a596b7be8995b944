using System.Reflection;

namespace MemPrims.Records.Tests.Generator;

// A build of the code on the package's page against layouts that were released. .ci/packages publishes every package trimmed.
public class SampleProjectTests
{
    private const string Released = """
        0x00001D57 v1 = 0:i64@0 1:i32@8 2:utf8(128)@12
        0x00001D57 v2 = 0:i64@0 1:i32@8 2:utf8(128)@12 3:i64@16
        """;

    [Fact]
    public void A_released_layout_that_changes_stops_a_real_build_and_the_page_s_code_runs_with_the_true_one()
    {
        using SampleProject sample = new("<UseAppHost>false</UseAppHost>", Released.Replace("1:i32@8", "1:u32@8"));
        (bool built, string output) = sample.Dotnet("build");
        Assert.False(built);
        Assert.Contains("error MPR009", output);
        File.WriteAllText(sample.File("Released.recordlayout"), Released);
        (built, output) = sample.Dotnet("build", "--no-restore", "-o", "out");
        Assert.True(built, output);
        Assert.Equal((true, $"1 1{Environment.NewLine}"),
            sample.Run(SampleProject.DotnetHost, sample.File("out/Sample.dll"), sample.File("stats")));
    }

    [Theory, InlineData(typeof(Block)), InlineData(typeof(MappedFile<>))]
    public void The_packages_are_marked_as_trimmable(Type of) =>
        Assert.Contains(of.Assembly.GetCustomAttributes<AssemblyMetadataAttribute>(), a => (a.Key, a.Value) == ("IsTrimmable", "True"));
}
