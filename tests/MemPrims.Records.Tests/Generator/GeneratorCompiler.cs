using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;
using MemPrims.Records.Generator;

namespace MemPrims.Records.Tests.Generator;

// The compiler with the generator in it, in this process: no SDK has to start.
internal static class GeneratorCompiler
{
    private static readonly MetadataReference[] s_references = [.. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
        .Split(Path.PathSeparator).Select(path => MetadataReference.CreateFromFile(path))];

    /// <param name="released">What stands in the file of released layouts, if there is one.</param>
    public static CSharpGeneratorDriver Driver(string? released = null) =>
        CSharpGeneratorDriver.Create([new RecordGenerator().AsSourceGenerator()], released is null ? [] : [new Layouts(released)],
            driverOptions: new(IncrementalGeneratorOutputKind.None, trackIncrementalGeneratorSteps: true));

    public static CSharpCompilation Compile(string source) => CSharpCompilation.Create("Sample",
        [CSharpSyntaxTree.ParseText($"using System;\nusing MemPrims.Records;\nnamespace Sample;\n{source}", path: "Record.cs")],
        s_references, new(OutputKind.DynamicallyLinkedLibrary));

    private sealed class Layouts(string content) : AdditionalText
    {
        public override string Path => "Records.recordlayout";

        public override SourceText GetText(CancellationToken cancellationToken = default) => SourceText.From(content);
    }
}
