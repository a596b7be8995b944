using System.Text.RegularExpressions;

namespace MemPrims.Records.Tests;

// Keeps FAULTS.md true.
public partial class FaultTableTests
{
    [Fact]
    public void Every_fault_in_the_table_has_its_test()
    {
        string[] tests = [.. typeof(FaultTableTests).Assembly.GetTypes().SelectMany(t => t.GetMethods()).Where(m =>
            m.IsDefined(typeof(FactAttribute), inherit: false)).Select(m => m.Name)];
        string[] rows = [.. File.ReadLines(Path.Combine(AppContext.BaseDirectory, "FAULTS.md")).Where(line =>
            line.StartsWith("| ", StringComparison.Ordinal)).Skip(2)];
        Assert.True(rows.Length > 10);
        foreach (string row in rows)
        {
            string[] named = [.. Name().Matches(row).Select(m => m.Groups[1].Value)];
            Assert.NotEmpty(named);
            Assert.All(named, name => Assert.Contains(name, tests));
        }
    }

    [GeneratedRegex("`(\\w+)`")]
    private static partial Regex Name();
}
