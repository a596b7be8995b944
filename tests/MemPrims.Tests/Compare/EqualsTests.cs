using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace MemPrims.Tests;

public class EqualsTests
{
    [Fact]
    public void Every_Equals_of_Block_is_a_compile_error_that_names_Equal()
    {
        MethodInfo[] equals =
            [.. typeof(Block).GetMethods(BindingFlags.Public | BindingFlags.Static).Where(method => method.Name == "Equals")];
        Assert.Equal(3, equals.Length);
        Assert.All(equals, method =>
        {
            ObsoleteAttribute obsolete = method.GetCustomAttribute<ObsoleteAttribute>()!;
            Assert.True(obsolete.IsError);
            Assert.Contains("Block.Equal.", obsolete.Message, StringComparison.Ordinal);
        });
    }

    // What a call means is asked of the compiler's own rules: the generic form takes arrays and spans alike.
    [Fact]
    public void The_forms_take_objects_spans_and_pointers()
    {
        MethodInfo generic = typeof(Block).GetMethods().Single(method => method is { Name: "Equals", IsGenericMethodDefinition: true });
        Assert.All(generic.GetGenericArguments(), type =>
            Assert.True(type.GenericParameterAttributes.HasFlag(GenericParameterAttributes.AllowByRefLike)));
        Assert.NotNull(typeof(Block).GetMethod("Equals", [typeof(object), typeof(object)]));
        Assert.NotNull(typeof(Block).GetMethod("Equals", [typeof(byte).MakePointerType(), typeof(byte).MakePointerType(), typeof(nint)]));
    }

    [Theory]
    [InlineData("byte[] a, byte[] b", "Block.Equals(a, b)")]
    [InlineData("object a, object b", "Block.Equals(a, b)")]
    [InlineData("byte* a, byte* b", "Block.Equals(a, b, 8)")]
    public void No_call_of_Equals_compiles_and_the_error_names_Equal(string parameters, string call)
    {
        Diagnostic error = Assert.Single(Errors($"static unsafe bool F({parameters}) => {call};"));
        Assert.Equal("CS0619", error.Id);
        Assert.Contains("Use Block.Equal.", error.GetMessage(), StringComparison.Ordinal);
        if (!parameters.StartsWith("object", StringComparison.Ordinal))
            Assert.Empty(Errors($"static unsafe bool F({parameters}) => {call.Replace("Equals", "Equal")};"));
    }

    // The SDK's compiler says CS0619 here too. The one in the tests is older: it refuses spans as type arguments before it looks at
    // Obsolete.
    [Fact]
    public void No_call_of_Equals_with_spans_compiles() =>
        Assert.NotEmpty(Errors("static bool F(ReadOnlySpan<byte> a, Span<byte> b) => Block.Equals(a, b);"));

    private static IEnumerable<Diagnostic> Errors(string member)
    {
        string trusted = (string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!;
        CSharpCompilation compilation = CSharpCompilation.Create("Sample",
            [CSharpSyntaxTree.ParseText($"using System; using MemPrims; static class Sample {{ {member} }}",
                new CSharpParseOptions(LanguageVersion.Preview))],
            trusted.Split(Path.PathSeparator).Append(typeof(Block).Assembly.Location).Distinct()
                .Select(path => MetadataReference.CreateFromFile(path)),
            new(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
        return compilation.GetDiagnostics().Where(found => found.Severity == DiagnosticSeverity.Error);
    }
}
