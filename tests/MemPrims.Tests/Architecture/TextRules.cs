using System.Text;
using System.Text.RegularExpressions;

namespace MemPrims.Tests;

/// <summary>What holds for every hand-written C# file, tests included.</summary>
internal static partial class TextRules
{
    public const int LargestFile = 25 * 1024, LongestLine = 139;

    // The folders whose lines are held to LongestLine. A room is added by its name here, once its lines are short.
    private static readonly string[] s_withShortLines =
    [
        "MemPrims/Compare/", "MemPrims/Copy/", "MemPrims/Native/", "MemPrims/Hardware/", "MemPrims/Checksums/",
        "MemPrims.Tool/", "MemPrims.Tests/Architecture/", "MemPrims.Tests/Compare/", "MemPrims.Tests/Copy/",
        "MemPrims.Tests/Native/", "MemPrims.Tests/Hardware/", "MemPrims.Tests/Checksums/", "MemPrims.DropIn.Tests/",
        "MemPrims.TestKit/", "MemPrims.Benchmarks/Compare/", "MemPrims.Benchmarks/Copy/",
        "MemPrims.Benchmarks/Checksums/", "MemPrims.Benchmarks/Cold/", "MemPrims.Benchmarks/Ratio/",
        "MemPrims.Benchmarks/Latency/", "MemPrims.Benchmarks/Workloads/",
        "MemPrims/Sets/", "MemPrims.Tests/Sets/", "MemPrims.Benchmarks/Sets/",
    ];

    public static IEnumerable<string> Violations(SourceFile file)
    {
        int size = Encoding.UTF8.GetByteCount(file.Text);
        if (size > LargestFile) yield return $"{file.Path} has {size} bytes: split it, no file is over {LargestFile}.";
        if (s_withShortLines.Any(folder => file.Path.StartsWith(folder, StringComparison.Ordinal)))
            foreach ((int line, string text) in file.Text.Split('\n').Index())
                if (text.TrimEnd('\r').Length > LongestLine)
                    yield return $"{file.Path}, line {line + 1} has {text.Length} columns: break it before column {LongestLine + 1}.";
        if (Region().IsMatch(file.Text)) yield return $"{file.Path} hides code in a region.";
        if (Unfinished().IsMatch(file.Text)) yield return $"{file.Path} is unfinished by its own words.";
    }

    [GeneratedRegex(@"^\s*#\s*region\b", RegexOptions.Multiline)]
    private static partial Regex Region();

    // In brackets, so that this file is not found by itself.
    [GeneratedRegex(@"\b[T]ODO\b|\b[F]IXME\b")]
    private static partial Regex Unfinished();
}
