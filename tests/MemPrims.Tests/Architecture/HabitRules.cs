using System.Text.RegularExpressions;

namespace MemPrims.Tests;

// Words by which code and pages tell how they came to be. A reader was not there: what counts is what is, why, and what was measured.
internal static partial class HabitRules
{
    public static IEnumerable<string> Violations(string path, string text)
    {
        foreach ((int line, string words) in text.Split('\n').Index())
            if (History().Match(words) is { Success: true } match)
                yield return $"{path}, line {line + 1} tells its own history (\"{match.Value}\"): say what is, and why.";
    }

    // "Asked" is a demand only where it stands alone: sets are asked for ids. In brackets, so that this file is not found by itself.
    [GeneratedRegex("""
        \b(?i:a|the|one|every)\ [Rr]eviewers?\b | \b[Rr]eviewer's\b
        | \b[Tt]he\ (?:first|old|previous|earlier)\ [d]esigns?\b
        | \b(?:this|first|second|third|next|last|previous|earlier)\ [w]aves?\b | \b[Ww]ave\ \d
        | \b[Tt]he\ [s]eed(?:'s|\ library|\ code|\ of\ this\ library)
        | \b[A]sked(?::|\ (?:of|on|is)\b) | \b(?:was|were)\ [a]sked[.;]
        """, RegexOptions.IgnorePatternWhitespace)]
    private static partial Regex History();
}
