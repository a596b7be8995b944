using System.Text.RegularExpressions;

namespace MemPrims.Tests;

// A file is named by a type that it holds. A dot in its name means a part of a partial type and nothing else.
internal static partial class FileNameRules
{
    public static IEnumerable<string> Violations(SourceFile file)
    {
        string name = file.Path[(file.Path.LastIndexOf('/') + 1)..^".cs".Length];
        string[] types = [.. Type().Matches(file.Text).Select(match => match.Groups["name"].Value)];
        if (types.Length == 0) yield break;
        int dot = name.IndexOf('.', StringComparison.Ordinal);
        if (dot < 0 && !types.Contains(name)) yield return $"{file.Path} holds {string.Join(", ", types)}: name it by one of them.";
        if (dot >= 0 && types.Any(type => type != name[..dot]))
            yield return $"{file.Path} is a part of {name[..dot]} by its name: put {string.Join(", ", types)} into files of their own.";
    }

    // Types of the namespace: they are not indented.
    [GeneratedRegex(@"^(?:(?:public|internal|static|sealed|abstract|readonly|unsafe|ref|partial|record) )*"
        + @"(?:class|struct|interface|enum|record) (?<name>\w+)", RegexOptions.Multiline)]
    private static partial Regex Type();
}
