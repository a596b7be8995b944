using System.Text.RegularExpressions;

namespace MemPrims.Tests;

// A type that a file declares outside any other type.
internal sealed record DeclaredType(string Name, string Namespace, string Room, bool IsPublic);

// A C# file, read as far as the rules need it: which types it declares and which names it uses. `path` is relative, with slashes.
internal sealed partial class SourceFile(string path, string text)
{
    private readonly string _code = NotCode().Replace(text, " ");

    public string Path { get; } = path;

    public string Text { get; } = text;

    // The folder it lies in; empty at the top.
    public string Room { get; } = path.Contains('/') ? path[..path.IndexOf('/')] : "";

    public string Namespace => NamespaceLine().Match(_code).Groups[1].Value;

    public IEnumerable<DeclaredType> Types =>
        from Match match in TopLevelType().Matches(_code)
        let modifiers = match.Groups["modifiers"].Value
        // No other file sees a type that is the file's own.
        where !modifiers.Contains("file ")
        select new DeclaredType(match.Groups["name"].Value, Namespace, Room, modifiers.Contains("public "));

    // Whether the code, not a comment or a string, names the type in a place where the name can mean it.
    public bool Names(DeclaredType type)
    {
        if (!_code.Contains(type.Name, StringComparison.Ordinal)) return false;
        string lastOfNamespace = type.Namespace[(type.Namespace.LastIndexOf('.') + 1)..];
        return (Sees(type.Namespace) && Regex.IsMatch(_code, $@"(?<![\w.]|\bnew\b\s*){type.Name}\b(?!\s*\()|\bnew\s+{type.Name}\b"))
            || Regex.IsMatch(_code, $@"\b{lastOfNamespace}\s*\.\s*{type.Name}\b");
    }

    private bool Sees(string space) =>
        Namespace == space || Namespace.StartsWith(space + ".", StringComparison.Ordinal)
            || Regex.IsMatch(_code, $@"\busing\s+(static\s+)?{Regex.Escape(space)}\s*[;.]");

    [GeneratedRegex("""
        \"{3}[\s\S]*?\"{3} | @\$?"(?:[^"]|"")*" | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+' | //[^\n]* | /\*[\s\S]*?\*/
        """, RegexOptions.IgnorePatternWhitespace)]
    private static partial Regex NotCode();

    [GeneratedRegex(@"^namespace\s+([\w.]+)", RegexOptions.Multiline)]
    private static partial Regex NamespaceLine();

    // With a namespace for the whole file, only what begins at the margin lies outside any other type.
    [GeneratedRegex(
        @"^(?<modifiers>(?:(?:public|internal|file|static|sealed|abstract|readonly|ref|unsafe|partial)\s+)*)(?:class"
        + @"|interface|enum|record\s+struct|record\s+class|record|struct|delegate\s+[\w<>*?.\[\], ]+?)\s+(?<name>\w+)",
        RegexOptions.Multiline)]
    private static partial Regex TopLevelType();
}
