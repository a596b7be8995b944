using System.Text.RegularExpressions;

namespace MemPrims.TestKit;

// Holds the C# samples of a page to code that is compiled and run. A source repeats each sample word for word, between the lines "//
// README" and "// end of README"; what stands after a later line "// README goes on" is more of the same sample. Its `using` lines stand
// at the top of the file; the page names them in a sample, or the namespace in a link of a heading. Blank lines and indentation do not
// count.
public static partial class PageSamples
{
    // The C# samples of a page, in order.
    public static IEnumerable<string> Samples(string page) => CodeBlock().Matches(page).Select(match => match.Groups[1].Value);

    // What differs between the samples of the page and those of the sources, in order; empty if nothing does.
    public static IReadOnlyList<string> Differences(string page, params string[] sources)
    {
        List<string> differences = [];
        string[][] samples = [.. Samples(page).Select(Lines)];
        int at = 0;
        foreach (string source in sources)
        {
            string[] imports = [.. Lines(source).TakeWhile(line => !line.StartsWith("namespace")).Where(line => Import().IsMatch(line))];
            HashSet<string> named = [];
            foreach (string block in Blocks(source))
            {
                if (at == samples.Length) break;
                string[] sample = samples[at++], compiled = Lines(block);
                string[] sampleImports = [.. sample.Where(line => Import().IsMatch(line))];
                named.UnionWith(sampleImports);
                differences.AddRange(sampleImports.Except(imports).Select(line => $"Sample {at}: its source lacks '{line}'."));
                string[] code = [.. sample.Where(line => !Import().IsMatch(line))];
                if (!code.SequenceEqual(compiled))
                    differences.Add($"Sample {at} is\n    {string.Join("\n    ", code)}\nbut this is compiled:\n    "
                        + string.Join("\n    ", compiled));
            }
            // What the sample needs and the page does not name: the reader's compiler would ask for it.
            differences.AddRange(imports.Except(named).Where(line => !IsInHeading(page, line))
                .Select(line => $"Up to sample {at}: '{line}' is compiled but not named there."));
        }
        int blocks = sources.Sum(source => Blocks(source).Count);
        if (samples.Length == 0 || samples.Length != blocks)
            differences.Add($"The page has {samples.Length} samples; {blocks} are compiled.");
        return differences;
    }

    private static List<string> Blocks(string source)
    {
        List<string> blocks = [];
        foreach (Match match in CompiledBlock().Matches(source))
            if (match.Groups[1].Length > 0 && blocks.Count > 0) blocks[^1] += match.Groups[2].Value;
            else blocks.Add(match.Groups[2].Value);
        return blocks;
    }

    private static bool IsInHeading(string page, string import) => Heading().Matches(page).Any(heading =>
        heading.Groups[1].Value.Split(", ").Contains(import["using ".Length..^1]));

    private static string[] Lines(string text) => text.Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);

    [GeneratedRegex("^```csharp\r?\n(.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex CodeBlock();

    [GeneratedRegex("^ *// README( goes on)?\r?\n(.*?)^ *// end of README", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex CompiledBlock();

    [GeneratedRegex(@"^## .*?\[([^\]]*)\]", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"^using [\w.]+;$")]
    private static partial Regex Import();
}
