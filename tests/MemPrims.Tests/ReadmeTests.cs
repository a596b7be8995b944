using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace MemPrims.Tests;

// The samples of README.md are those that the files MainPageSample.cs compile and run, those of other pages stand in ReadmeSample.cs.
public partial class ReadmeTests
{
    private const string Page = """
        Text.
        ```csharp
        using A.B;

        int x = 1;   // one
        Use(x);
        ```
        ```xml
        <a/>
        ```
        """;

    private const string Source = """
        using A.B;
        namespace C;
            // README
            int x = 1;   // one

            Use(x);
            // end of README
        """;

    [Fact]
    public void Every_sample_of_the_page_is_compiled_and_run() => Assert.Empty(PageSamples.Differences(
        Repository.Read("README.md"),
        Repository.Read("tests/MemPrims.Records.Tests/MainPageSample.cs"),
        Repository.Read("tests/MemPrims.Tests/Sets/MainPageSample.cs"),
        Repository.Read("tests/MemPrims.Tests/Pages/MainPageSample.cs"),
        Repository.Read("tests/MemPrims.Channels.Tests/MainPageSample.cs"),
        Repository.Read("tests/MemPrims.Wire.Tests/MainPageSample.cs"),
        Repository.Read("tests/MemPrims.Tests/Buffers/MainPageSample.cs"),
        Repository.Read("tests/MemPrims.Tests/Compare/MainPageSample.cs")));

    [Fact]
    public void The_main_page_is_short_and_begins_with_the_program_that_runs_from_a_clone()
    {
        string page = Repository.Read("README.md");
        Assert.InRange(page.TrimEnd('\n').Split('\n').Length, 100, 160);
        string[] program = Repository.Read("tests/Programs/Orders.cs").Split('\n', 2);
        Assert.Equal("#:package MemPrims.Records@*-*", program[0]);
        Assert.Equal(program[1], PageSamples.Samples(page).First());
    }

    [Theory]
    [InlineData("Sets/README.md", "tests/MemPrims.Tests/Sets/ReadmeSample.cs")]
    [InlineData("Sets/INTERCHANGE.md", "tests/MemPrims.Tests/Sets/InterchangeSample.cs")]
    [InlineData("Pages/README.md", "tests/MemPrims.Tests/Pages/ReadmeSample.cs")]
    [InlineData("Buffers/README.md", "tests/MemPrims.Tests/Buffers/ReadmeSample.cs")]
    [InlineData("Compare/README.md", "tests/MemPrims.Tests/Compare/ReadmeSample.cs", "tests/MemPrims.DropIn.Tests/Usings.cs")]
    public void Every_sample_of_a_room_s_page_is_compiled_and_run(string page, params string[] sources) =>
        Assert.Empty(PageSamples.Differences(Repository.Read($"src/MemPrims/{page}"), [.. sources.Select(Repository.Read)]));

    // What generated code alone uses is hidden from editors, and need not be on a page.
    [Theory]
    [InlineData("MemPrims", "README.md", "src/MemPrims/Pages/README.md", "src/MemPrims/Sets/README.md", "src/MemPrims/Buffers/README.md",
        "src/MemPrims/Compare/README.md")]
    [InlineData("MemPrims.Records", "src/MemPrims.Records/README.md", "src/MemPrims.Records/LOG.md")]
    [InlineData("MemPrims.Channels", "src/MemPrims.Channels/README.md")]
    [InlineData("MemPrims.Wire", "src/MemPrims.Wire/README.md")]
    public void Every_public_type_is_named_on_a_page_of_its_package(string package, params string[] pages)
    {
        string text = string.Concat(pages.Select(Repository.Read));
        HashSet<string> hidden = [.. Directory.GetFiles(Path.Combine(Repository.Root, "src", package), "*.cs", SearchOption.AllDirectories)
            .Where(path => !path.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}"))
            .SelectMany(path => HiddenType().Matches(File.ReadAllText(path)).Select(match => match.Groups[1].Value))];
        string[] types = [.. PublicType().Matches(Repository.Read($"src/{package}/PublicApi.txt")).Select(match => match.Groups[1].Value)
            .Where(name => !hidden.Contains(name) && name != "Enumerator")];
        Assert.True(types.Length > 5, $"{types.Length} types were found");
        string[] missing = [.. types.Where(name => !IsNamed(text, name))];
        Assert.True(missing is [], $"Name {string.Join(", ", missing)} on {string.Join(" or ", pages)}, or make it internal.");
        Assert.False(IsNamed(text, "Attic"));

        static bool IsNamed(string text, string name) => Regex.IsMatch(text,
            name.EndsWith("Attribute") ? $@"\[[^\]]*\b{name[..^"Attribute".Length]}\b" : $@"\b{name}\b");
    }

    // What pages name besides public members and types of .NET: MSBuild's words, programs, members of .NET, and names that a sentence
    // makes up.
    private static readonly string[] s_otherNames =
    [
        "AllowUnsafeBlocks", "PublishReadyToRun", "AdditionalFiles", "ProjectReference", "Include", "OutputItemType", "Analyzer",
        "ReferenceOutputAssembly", "Generator", "Conformance", "Backend", "System", "Threading", "View", "Celsius", "Months", "Price",
        "Units", "AsSpan", "Done", "NeedMoreData", "InvalidData",
        "Write7BitEncodedInt64", "SequenceReader", "Runs", "Order",
    ];

    [Theory]
    [InlineData("README.md")]
    [InlineData("src/INSTEAD-OF.md")]
    [InlineData("src/MemPrims/Buffers/README.md")]
    [InlineData("src/MemPrims/Compare/README.md")]
    [InlineData("src/MemPrims/Pages/README.md")]
    [InlineData("src/MemPrims/Sets/README.md")]
    [InlineData("src/MemPrims.Records/README.md")]
    [InlineData("src/MemPrims.Records/LOG.md")]
    [InlineData("src/MemPrims.Channels/README.md")]
    [InlineData("src/MemPrims.Wire/README.md")]
    public void Every_name_of_a_page_is_one_that_there_is(string page)
    {
        string text = Repository.Read(page);
        IEnumerable<string> known = from package in (string[])["MemPrims", "MemPrims.Records", "MemPrims.Channels", "MemPrims.Wire"]
                                    from Match word in Word().Matches(Repository.Read($"src/{package}/PublicApi.txt"))
                                    select word.Value.Replace("get_", "").Replace("set_", "");
        HashSet<string> names =
        [
            .. known, .. s_otherNames, .. Word().Matches(string.Concat(PageSamples.Samples(text))).Select(word => word.Value),
            .. typeof(object).Assembly.GetExportedTypes().Select(type => type.Name.Split('`')[0]),
        ];
        string[] gone = [.. from Match code in InlineCode().Matches(text)
                            from Match name in PascalName().Matches(code.Value)
                            where !names.Contains(name.Value)
                            select name.Value];
        Assert.True(gone is [], $"The page names what no API has: {string.Join(", ", gone)}.");
        Assert.DoesNotContain("ReadAttic", names);
    }

    [GeneratedRegex(@"\w+")]
    private static partial Regex Word();

    // Not the fences of samples, which are three.
    [GeneratedRegex(@"(?<!`)`[^`]+`(?!`)")]
    private static partial Regex InlineCode();

    [GeneratedRegex(@"\b[A-Z][a-z]+\w*\b")]
    private static partial Regex PascalName();

    [GeneratedRegex(@"\[EditorBrowsable\(EditorBrowsableState\.Never\)\]\s*(?:\[[^\]]*\]\s*)*"
        + @"public (?:[a-z]+ )*(?:class|struct|interface|enum) (\w+)")]
    private static partial Regex HiddenType();

    [GeneratedRegex(@"^[\w.]*\.(\w+)(?:<[^>]*>)?: (?:(?:static|sealed|abstract) )?(?:class|ref struct|struct|interface|enum|delegate)\b",
        RegexOptions.Multiline)]
    private static partial Regex PublicType();

    [Fact]
    public void The_project_setting_of_the_page_chooses_libc()
    {
        string[] items = [.. Repository.Read("src/MemPrims/Compare/README.md").Split("```xml")[1..].Select(text => text.Split("```")[0])];
        XElement option = XElement.Parse(Assert.Single(items)).Element("RuntimeHostConfigurationOption")!;
        Assert.Equal(Backend.Knob, option.Attribute("Include")?.Value);
        Assert.True(Backend.Choose(option.Attribute("Value")?.Value));
    }

    [Fact]
    public void Every_benchmark_command_of_the_page_is_there()
    {
        const string page = "benchmarks/README.md";
        string program = string.Concat(Directory.GetFiles(Path.Combine(Repository.Root, "benchmarks", "MemPrims.Benchmarks"), "*.cs",
            SearchOption.AllDirectories).Where(path => !path.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}"))
            .Select(File.ReadAllText));
        string[] verbs = [.. BenchmarkVerb().Matches(Repository.Read(page)).Select(match => match.Groups[1].Value).Distinct()];
        Assert.Contains("publish", verbs);
        Assert.Contains("compare", verbs);
        Assert.All(verbs, verb => Assert.Contains($"new(\"{verb}\"", program));
    }

    // "-- ratio" in a line of a shell or a table; options go to BenchmarkDotNet.
    [GeneratedRegex(@"(?:MemPrims\.Benchmarks |`)-- ([a-z][a-z-]*)")]
    private static partial Regex BenchmarkVerb();

    [Fact]
    public void A_sample_that_is_repeated_word_for_word_passes() => Assert.Empty(PageSamples.Differences(Page, Source));

    [Fact]
    public void A_namespace_is_named_by_a_heading_too() =>
        Assert.Empty(PageSamples.Differences("## X: [C.D, A.B](x)\n" + Page.Replace("using A.B;", ""), Source));

    [Fact]
    public void A_sample_goes_on_in_a_later_part_of_its_source()
    {
        string parts = Source.Replace("Use(x);", "// end of README\n    Other();\n    // README goes on\n    Use(x);");
        Assert.Empty(PageSamples.Differences(Page, parts));
        Assert.NotEmpty(PageSamples.Differences(Page, parts.Replace(" goes on", "")));
    }

    [Theory]
    [InlineData("Use(x);", "Use(x, x);", "but this is compiled")]
    [InlineData("// one", "// two", "but this is compiled")]
    [InlineData("Use(x);", "Use(x);\nUse(x);", "but this is compiled")]
    [InlineData("using A.B;", "using A.B;\nusing D;", "lacks 'using D;'")]
    [InlineData("using A.B;", "", "not named there")]
    [InlineData("using A.B;", "## [A.B.C](x)", "not named there")]
    [InlineData("```xml", "```csharp", "The page has 2 samples; 1 are compiled.")]
    [InlineData("```csharp", "```", "The page has 0 samples; 1 are compiled.")]
    public void A_page_that_was_changed_is_found(string old, string changed, string because) =>
        Assert.Contains(PageSamples.Differences(Page.Replace(old, changed), Source), difference => difference.Contains(because));
}
