using System.Text.RegularExpressions;

namespace MemPrims.Tests;

/// <summary>
/// What the last release had and is gone or changed stands in the section Breaking of CHANGELOG.md, and nothing else does. Released/ keeps
/// the public API of that release, in the form of PublicApi.txt: there is no package of it in any feed that the SDK's own validation could
/// take for its baseline.
/// </summary>
public partial class ReleasedApiTests
{
    private const string Release = "1.0.0-preview.1";
    private static readonly string[] s_packages = ["MemPrims", "MemPrims.Records", "MemPrims.Channels", "MemPrims.Wire"];

    [Fact]
    public void What_breaks_is_told_and_what_is_told_breaks()
    {
        string[] gone = [.. s_packages.SelectMany(package => Gone(
            Repository.Read($"tests/MemPrims.Tests/Released/{package}.{Release}.txt"), Repository.Read($"src/{package}/PublicApi.txt")))];
        Assert.InRange(gone.Length, 300, 600);
        Assert.Equal("", string.Join('\n', Differences(gone, Breaks(Repository.Read("CHANGELOG.md")))));
    }

    [Theory]
    [InlineData("N.A: void F(int x)", "A.F", null)]
    [InlineData("N.A: void F(int x)", "A", null)]
    [InlineData("N.A: void F(int x)", "*.F", null)]
    [InlineData("N.A<T>: long get_Place()", "A.Pl*", null)]
    [InlineData("N.A: sealed class", "A.class", null)]
    [InlineData("N.B: void F(N.A x)", "A", null)]
    [InlineData("N.A: void F(int x)", "A.G", "A.G breaks nothing")]
    [InlineData("N.A: void F(int x)", "B", "N.A: void F(int x) is not told")]
    [InlineData("N.AB: void F(int x)", "A", "N.AB: void F(int x) is not told")]
    public void A_break_that_is_not_told_is_found_and_one_too_many(string gone, string told, string? difference)
    {
        List<string> differences = [.. Differences([gone], [told])];
        if (difference is null) Assert.Empty(differences);
        else Assert.Contains(difference, differences);
    }

    [Fact]
    public void What_a_base_class_has_is_there() => Assert.Equal(["N.IdSet: void G()"], Gone(
        "MemPrims.Sets.IdSet: bool F(uint id)\nN.IdSet: void G()\n", "MemPrims.Sets.IdSetBase<TSet, TId>: abstract bool F(TId id)\n"));

    private static IEnumerable<string> Gone(string before, string now)
    {
        HashSet<string> there = [.. now.Split('\n')];
        foreach (string line in now.Split('\n').Where(line => line.StartsWith("MemPrims.Sets.IdSetBase<TSet, TId>: ")))
            foreach ((string set, string id) in ((string, string)[])[("MemPrims.Sets.IdSet", "uint"), ("MemPrims.Sets.IdSet64", "ulong")])
                there.Add($"{set}: " + line.Split(": ", 2)[1].Replace("abstract ", "").Replace("TSet", set).Replace("TId", id));
        return before.Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(line => !there.Contains(line));
    }

    // The names in the first column of the section's table.
    private static string[] Breaks(string changes) => [.. from line in changes.Split("### Breaking\n")[1].Split("\n### ")[0].Split('\n')
                                                         where line.StartsWith("| `")
                                                         from Match name in Name().Matches(line.Split('|')[1])
                                                         select name.Groups[1].Value];

    private static IEnumerable<string> Differences(string[] gone, string[] told) =>
        [.. gone.Where(line => !told.Any(name => Covers(name, line))).Select(line => $"{line} is not told"),
            .. told.Where(name => !gone.Any(line => Covers(name, line))).Select(name => $"{name} breaks nothing")];

    // A name is that of a type, which stands for all that names it, or of a type and a member.
    private static bool Covers(string name, string line) => name.Contains('.')
        ? Regex.IsMatch(NameOf(line), $"^{Regex.Escape(name).Replace("\\*", "[^ ]*")}$") : Regex.IsMatch(line, $@"\b{name}\b(?!\()");

    // Type.Member, without namespace and type arguments; of the line of a type itself, Type.class or Type.struct.
    private static string NameOf(string line)
    {
        string[] parts = line.Split(": ", 2);
        Match member = Member().Match(parts[1]);
        return $"{Arguments().Replace(parts[0], "").Split('.')[^1]}." + (member.Success ? member.Groups[1].Value
            : parts[1].Split(" : ")[0].Split(" = ")[0].Split(' ')[^1]);
    }

    [GeneratedRegex("`([^`]+)`")]
    private static partial Regex Name();

    [GeneratedRegex(@"(?:get_|set_)?([\w.]+|<Clone>\$)(?:<[^()]*>)?\(")]
    private static partial Regex Member();

    [GeneratedRegex("<.*")]
    private static partial Regex Arguments();
}
