using System.Collections.Immutable;
using MemPrims.Analyzers;
using MemPrims.Buffers;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace MemPrims.Tests.Buffers;

// Appenders that are passed or copied by value do not compile; the shapes that lose nothing do.
public class AppenderByValueTests
{
    [Theory]
    [InlineData("static void F(Appender to) { }", 1)]
    [InlineData("static void F(in ReservedAppender to) { }", 1)]
    [InlineData("static void F(UnsafeAppender to) { }", 1)]
    [InlineData("static void F(ref Appender to) { Appender copy = to; copy.Commit(); }", 1)]
    [InlineData("static void F(ref Appender to, ref Appender other) { other = to; }", 1)]
    [InlineData("static void F(ref Appender to) { to.Write(1); to.WriteVarint(3); }", 0)]
    [InlineData("static void F(ref ReservedAppender to) { to.Write(1); to.WriteText(\"a\"); }", 0)]
    [InlineData("static void F(SegmentList list) { using Appender to = new(list); to.Write(1); to.WriteText(\"a\"); to.Commit(); }", 0)]
    [InlineData("static void F(SegmentList list) { using var to = new ReservedAppender(list, 9); to.Write([1]); to.WriteVarint(1); "
        + "to.Commit(); }", 0)]
    [InlineData("static void F(SegmentList list) { Appender to = new(list); try { to.Write(1); to.Commit(); } finally { to.Dispose(); } "
        + "}", 0)]
    [InlineData("static void F(ref UnsafeAppender to) { UnsafeAppender local = to; local.Write(1); to = local; }", 0)]
    public async Task By_value_is_an_error_and_by_ref_is_not(string code, int errors)
    {
        string trusted = (string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!;
        CSharpCompilation compilation = CSharpCompilation.Create("Sample",
            [CSharpSyntaxTree.ParseText($"using MemPrims.Buffers; static class Sample {{ {code} }}", new CSharpParseOptions(
                LanguageVersion.Preview))],
            trusted.Split(Path.PathSeparator).Append(typeof(Appender).Assembly.Location).Distinct().Select(path =>
                MetadataReference.CreateFromFile(path)),
            new(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
        ImmutableArray<Diagnostic> found = await compilation.WithAnalyzers([new CopiedByValue()]).GetAnalyzerDiagnosticsAsync();
        Assert.Equal(errors, found.Count(d => d.Id == "MEMPRIMS001" && d.Severity == DiagnosticSeverity.Error));
        Assert.Equal(errors, found.Length);
    }
}
