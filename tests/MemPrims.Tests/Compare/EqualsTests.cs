using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace MemPrims.Tests;

public class EqualsTests
{
    [Theory]
    [InlineData("byte[] a, byte[] b", "Block.Equals(a, b)")]
    [InlineData("object a, object b", "Block.Equals(a, b)")]
    [InlineData("ReadOnlySpan<byte> a, Span<byte> b", "Block.Equals(a, b)")]
    [InlineData("byte* a, byte* b", "Block.Equals(a, b, 8)")]
    public void No_call_of_Equals_compiles_and_that_of_arrays_names_Equal(string parameters, string call)
    {
        Diagnostic[] errors = Errors($"static unsafe bool F({parameters}) => {call};");
        Assert.NotEmpty(errors);
        if (parameters.Contains("byte[]") || parameters.Contains("object"))
        {
            Diagnostic error = Assert.Single(errors, error => error.Id == "CS0619");
            Assert.Contains("Use Block.Equal.", error.GetMessage(), StringComparison.Ordinal);
        }
        if (!parameters.StartsWith("object", StringComparison.Ordinal))
            Assert.Empty(Errors($"static unsafe bool F({parameters}) => {call.Replace("Equals", "Equal")};"));
    }

    private static Diagnostic[] Errors(string member)
    {
        string trusted = (string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!;
        CSharpCompilation compilation = CSharpCompilation.Create("Sample",
            [CSharpSyntaxTree.ParseText($"using System; using MemPrims; static class Sample {{ {member} }}",
                new CSharpParseOptions(LanguageVersion.Preview))],
            trusted.Split(Path.PathSeparator).Append(typeof(Block).Assembly.Location).Distinct()
                .Select(path => MetadataReference.CreateFromFile(path)),
            new(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
        return [.. compilation.GetDiagnostics().Where(found => found.Severity == DiagnosticSeverity.Error)];
    }
}
