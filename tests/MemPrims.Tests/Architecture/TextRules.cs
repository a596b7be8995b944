using System.Text;
using System.Text.RegularExpressions;

namespace MemPrims.Tests;

// What holds for every hand-written C# file, tests included.
internal static partial class TextRules
{
    public const int LargestFile = 25 * 1024, LongestLine = 139;

    public static IEnumerable<string> Violations(SourceFile file)
    {
        int size = Encoding.UTF8.GetByteCount(file.Text);
        if (size > LargestFile) yield return $"{file.Path} has {size} bytes: split it, no file is over {LargestFile}.";
        foreach ((int line, string text) in file.Text.Split('\n').Index())
            if (text.TrimEnd('\r').Length > LongestLine)
                yield return $"{file.Path}, line {line + 1} has {text.Length} columns: break it before column {LongestLine + 1}.";
        if (Region().IsMatch(file.Text)) yield return $"{file.Path} hides code in a region.";
        if (Qualified().IsMatch(file.Text)) yield return $"{file.Path} names a field by this: its underscore tells that it is one.";
        if (Unfinished().IsMatch(file.Text)) yield return $"{file.Path} is unfinished by its own words.";
    }

    [GeneratedRegex(@"^\s*#\s*region\b", RegexOptions.Multiline)]
    private static partial Regex Region();

    // The one rule of .editorconfig that a build does not hold its code to.
    [GeneratedRegex(@"\bthis\s*\.\s*(?:_|s_)")]
    private static partial Regex Qualified();

    // In brackets, so that this file is not found by itself.
    [GeneratedRegex(@"\b[T]ODO\b|\b[F]IXME\b")]
    private static partial Regex Unfinished();
}
