using System.Xml.Linq;

namespace MemPrims.Tests;

// What the project files under src may reference: arrows point one way, and a runtime package depends on nothing else.
internal static class ProjectRules
{
    private static readonly Dictionary<string, string[]> s_references = new()
    {
        ["MemPrims"] = [],
        ["MemPrims.Records"] = ["MemPrims"],
        ["MemPrims.Channels"] = ["MemPrims"],
        ["MemPrims.Wire"] = ["MemPrims"],
        ["MemPrims.Records.Generator"] = [],
        ["MemPrims.Analyzers"] = [],
        ["Precompiled"] = [],
        ["MemPrims.Tool"] = ["MemPrims", "MemPrims.Records", "MemPrims.Channels", "MemPrims.Wire", "MemPrims.Analyzers"],
    };

    // Whatever is loaded into the process of its user: all but the tool.
    private static bool IsLibrary(string project) => project != "MemPrims.Tool";

    public static IEnumerable<string> Violations(string project, string xml)
    {
        XDocument document = XDocument.Parse(xml);
        foreach (string package in document.Descendants("PackageReference").Where(reference => !IsPrivate(reference)).Select(Included))
            if (IsLibrary(project)) yield return $"{project} gains a dependency: {package}.";

        if (!s_references.TryGetValue(project, out string[]? allowed))
        {
            yield return $"{project} is no project of the house: give it a line in ProjectRules and in ARCHITECTURE.md.";
            yield break;
        }
        foreach (string reference in document.Descendants("ProjectReference").Where(reference => !RunsInCompiler(reference))
            .Select(Included))
            if (Path.GetFileNameWithoutExtension(reference.Replace('\\', '/')) is var name && !allowed.Contains(name))
                yield return $"{project} references {name}, which it may not use.";
        foreach (string friend in document.Descendants("InternalsVisibleTo").Select(Included))
            if (s_references.ContainsKey(friend) && friend != "MemPrims.Tool") yield return $"{project} opens its internals to {friend}.";
    }

    private static string Included(XElement item) => item.Attribute("Include")?.Value ?? item.Attribute("Update")?.Value ?? "";

    private static bool IsPrivate(XElement item) =>
        string.Equals(Setting(item, "PrivateAssets"), "all", StringComparison.OrdinalIgnoreCase);

    private static bool RunsInCompiler(XElement item) =>
        Setting(item, "OutputItemType") == "Analyzer" || Setting(item, "ReferenceOutputAssembly") == "false";

    private static string? Setting(XElement item, string name) => item.Attribute(name)?.Value ?? item.Element(name)?.Value;
}
