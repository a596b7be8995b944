using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

// The compiler documents internal members, too, and a package would carry that to editors that cannot show it.
// MemPrims.PublicDocs ASSEMBLY FROM.xml TO.xml: copies the documentation of what other assemblies see. Packing runs it
// (Directory.Build.targets).
if (args is not [var assembly, var from, var to]) throw new ArgumentException("MemPrims.PublicDocs ASSEMBLY FROM.xml TO.xml");

PortableExecutableReference documented = MetadataReference.CreateFromFile(assembly);
string[] others = [.. Directory.GetFiles(Path.GetDirectoryName(Path.GetFullPath(assembly))!, "*.dll"),
    .. Directory.GetFiles(Path.GetDirectoryName(typeof(object).Assembly.Location)!, "System*.dll")];
CSharpCompilation compilation = CSharpCompilation.Create("docs",
    references: [documented, .. others.Where(path => Path.GetFileName(path) != Path.GetFileName(assembly))
        .Select(static path => MetadataReference.CreateFromFile(path))]);

HashSet<string> visible = [];
See(((IAssemblySymbol)compilation.GetAssemblyOrModuleSymbol(documented)!).GlobalNamespace);
XDocument docs = XDocument.Load(from, LoadOptions.PreserveWhitespace);
docs.Descendants("member").Where(member => !visible.Contains((string)member.Attribute("name")!)).Remove();
docs.Save(to, SaveOptions.DisableFormatting);

void See(INamespaceOrTypeSymbol within)
{
    foreach (ISymbol member in within.GetMembers())
    {
        if (member is not INamespaceSymbol && member.DeclaredAccessibility is not
            (Accessibility.Public or Accessibility.Protected or Accessibility.ProtectedOrInternal)) continue;
        if (member.GetDocumentationCommentId() is string id) visible.Add(id);
        if (member is INamespaceOrTypeSymbol inner) See(inner);
    }
}
