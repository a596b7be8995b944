using System.Text.RegularExpressions;

namespace MemPrims.Tests;

// Records and Pages name no system: they ask SystemFile, behind which is one class for each, chosen once.
internal static partial class SystemRules
{
    // path: Counted from src.
    // text: The source.
    public static IEnumerable<string> Violations(string path, string text)
    {
        bool isOfASystem = path.StartsWith("Linux/", StringComparison.Ordinal) || path.StartsWith("Systems/", StringComparison.Ordinal)
            || path.StartsWith("MemPrims.Records/Storage/Linux/", StringComparison.Ordinal)
            || path.StartsWith("MemPrims.Records/Storage/Mac/", StringComparison.Ordinal)
            || path.StartsWith("MemPrims.Records/Storage/Windows/", StringComparison.Ordinal);
        bool isHeld = isOfASystem || path.StartsWith("MemPrims.Records/", StringComparison.Ordinal)
            || path.StartsWith("MemPrims/Pages/", StringComparison.Ordinal);
        if (!isHeld || path == "Systems/SystemFile.cs") yield break;
        foreach ((int line, string words) in text.Split('\n').Index())
            if ((isOfASystem ? Choice() : Call()).Match(words) is { Success: true } match)
                yield return $"{path}, line {line + 1} has {match.Value}: ask SystemFile.Here, by a verb that each system answers.";
    }

    [GeneratedRegex(@"\bOperatingSystem\.Is\w+|\bIsOSPlatform\b")]
    private static partial Regex Choice();

    [GeneratedRegex(
        @"\bOperatingSystem\.Is\w+|\bIsOSPlatform\b|\b(?:DllImport|LibraryImport)\b|\bPosix\.|\bFile(?:Identity|Rights)\.Of\b")]
    private static partial Regex Call();
}
