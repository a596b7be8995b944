using System.Text.RegularExpressions;

namespace MemPrims.Tool.Tests;

// The command lines of all pages are lines that work: what they name is there, and the programs take their words and options. Long ones
// are not run but for their help. The lines of `memprims` itself are those of its help, and run in the other tests.
public partial class PageCommandTests
{
    private const string Benchmarks = "benchmarks/MemPrims.Benchmarks";

    [Fact]
    public void Every_command_line_of_a_page_is_one_that_there_is()
    {
        List<(string Page, string Line)> lines = [.. Lines()];
        Assert.True(lines.Count > 20, $"{lines.Count} lines were found");
        Assert.Equal("", string.Join('\n', from line in lines
                                           let wrong = Wrong(Path.GetDirectoryName(line.Page)!, Words().Matches(line.Line)
                                               .Select(word => word.Value.Trim('"')).SkipWhile(word => word.Contains('=')).ToArray())
                                           where wrong is not null
                                           select $"{line.Page}: {line.Line}: {wrong}"));
    }

    [Fact]
    public void The_page_of_the_benchmarks_names_every_command_and_no_other()
    {
        string page = Repository.Read("benchmarks/README.md");
        Dictionary<string, string[]> there = Commands();
        Assert.Equal(there.Keys.Order(), CommandRow().Matches(page).Select(row => row.Groups["name"].Value).Order());
        Assert.Contains("--json", there["ratio"]);
        foreach (Match row in CommandRow().Matches(page))
            Assert.Subset(there[row.Groups["name"].Value].ToHashSet(),
                Regex.Matches(row.Value, "`(--[a-z-]+)`").Select(option => option.Groups[1].Value).ToHashSet());
    }

    [Theory, InlineData("dotnet run --project src/MemPrims.Attic -- sweep", "is not there")]
    [InlineData("dotnet run -c Release --project benchmarks/MemPrims.Benchmarks -- frobnicate", "frobnicate")]
    [InlineData("dotnet run -c Release --project benchmarks/MemPrims.Benchmarks -- ratio --frobnicate", "--frobnicate")]
    [InlineData("dotnet run --file Attic.cs", "is not there"), InlineData("dotnet add package MemPrims.Attic", "no package")]
    [InlineData("dotnet frobnicate", "nothing is known"), InlineData(".ci/frobnicate", "is not there")]
    [InlineData("frobnicate", "nothing is known")]
    public void A_line_that_does_not_work_is_found(string line, string because) => Assert.Contains(because, Wrong("", line.Split(' ')));

    private static IEnumerable<(string Page, string Line)> Lines() =>
        from page in Directory.GetFiles(Repository.Root, "*.md", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(Repository.Root, path).Replace('\\', '/'))
        where !page.Split('/').Any(part => part is "bin" or "obj" or "results")
        from line in Repository.Read(page).Split('\n')
        where CommandLine().IsMatch(line)
        from command in line.Split(" # ")[0].Split("&&")
        select (page, command.Trim());

    // What is wrong with a line; null when nothing is. Paths count from the root or, of a page that says so, from its folder.
    private static string? Wrong(string folder, string[] words) => words switch
    {
        ["memprims", ..] => null,
        ["dotnet", "add", "package", var package, ..] => IsPackage(package),
        ["dotnet", "tool", "install", .. var rest] => IsPackage(rest.First(word => !word.StartsWith('-'))),
        ["dotnet", "build" or "test" or "pack" or "format", var what, ..] => IsThere(what),
        ["dotnet", "run", "--file", var program] => IsThere(Path.Combine(folder, program)),
        ["dotnet", "run", ..] => Runs(words[(Array.IndexOf(words, "--project") + 1)..]),
        ["dotnet", var program, var verb, ..] when program.EndsWith(".dll") =>
            Missing(Sources(Path.Combine(folder, program.Split('/')[0])), words[3..].Where(word => word.StartsWith("--")).Append(verb)
                .Select(word => $"\"{word}\"")),
        [['.', ..] script, ..] => IsThere(script.StartsWith("./") ? Path.Combine(folder, script) : script),
        _ => "nothing is known of such a line: give it a case here",
    };

    private static string? Runs(string[] words)
    {
        (string project, string[] arguments) = (words[0], words[(Array.IndexOf(words, "--") + 1)..]);
        if (IsThere(project) is { } missing) return missing;
        // Options without a command are BenchmarkDotNet's.
        if (project != Benchmarks || arguments is ["--list" or "--filter" or "--job" or "--help", ..]) return null;
        if (!Commands().TryGetValue(arguments[0], out string[]? options)) return $"there is no {arguments[0]}";
        return Missing(string.Join(' ', options), arguments.Where(word => word.StartsWith("--")));
    }

    private static string? IsThere(string path) => Path.Exists(Path.Combine(Repository.Root, path)) ? null : $"{path} is not there";

    private static string? IsPackage(string name)
    {
        string project = Path.Combine(Repository.Root, "src", name, name + ".csproj");
        return File.Exists(project) && File.ReadAllText(project).Contains("<IsPackable>true") ? null : $"{name} is no package";
    }

    private static string? Missing(string text, IEnumerable<string> words) =>
        words.FirstOrDefault(word => !text.Contains(word, StringComparison.Ordinal)) is { } word ? $"there is no {word.Trim()}" : null;

    private static string Sources(string folder) => string.Concat(
        Directory.GetFiles(Path.Combine(Repository.Root, folder), "*.cs", SearchOption.TopDirectoryOnly).Select(File.ReadAllText));

    // The commands of the benchmarks and the options of each, by what their sources declare: to run them would take a build of all peers.
    private static Dictionary<string, string[]> Commands()
    {
        Dictionary<string, string[]> commands = [];
        foreach (string path in Directory.GetFiles(Path.Combine(Repository.Root, Benchmarks), "*.cs", SearchOption.AllDirectories))
        {
            string text = File.ReadAllText(path);
            MatchCollection options = OptionDeclared().Matches(text);
            foreach (Match command in CommandDeclared().Matches(text))
                commands.Add(command.Groups["name"].Value, [.. from option in options
                    where Regex.IsMatch(command.Value, $@"[{{,]\s*(\w+\.)?{option.Groups["variable"].Value}\s*[,}}]")
                    select option.Groups["name"].Value]);
        }
        return commands;
    }

    [GeneratedRegex(@"Option<[^=\n]*> (?<variable>\w+) = [^;]*?""(?<name>--[a-z-]+)""")]
    private static partial Regex OptionDeclared();

    [GeneratedRegex(@"Command \w+ = new\(\s*""(?<name>[a-z-]+)"",.*?\.SetAction\(", RegexOptions.Singleline)]
    private static partial Regex CommandDeclared();

    [GeneratedRegex(@"^ {4}([A-Z_]+=\S+ )*(dotnet|memprims|\.ci/|\./)")]
    private static partial Regex CommandLine();

    [GeneratedRegex(@"^\| `-- (?<name>[a-z][a-z-]*).*", RegexOptions.Multiline)]
    private static partial Regex CommandRow();

    [GeneratedRegex(@"""[^""]*""|\S+")]
    private static partial Regex Words();
}
