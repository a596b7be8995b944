using System.Collections.Immutable;
using MemPrims.Analyzers;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace MemPrims.Tests;

// A member in a class of its own, compiled against MemPrims: what the analyzers say of it, and what it is after a fix.
internal sealed class AnalyzerSample : IDisposable
{
    private const string Before = "using System; using System.Collections.Generic; using System.IO; "
        + "using System.Runtime.CompilerServices; using MemPrims; using MemPrims.Buffers; using MemPrims.Pages; "
        + "static unsafe class Sample { ", After = " }";

    public static readonly ImmutableArray<DiagnosticAnalyzer> Analyzers =
        [new CopiedByValue(), new CompareTestedForOne(), new FasterCall()];

    private static readonly CodeFixProvider[] s_fixes =
        [new CopiedByValueFix(), new CompareTestedForOneFix(), new FasterCallFix(), new BlockEqualsFix()];

    // Read once: there are two hundred of them.
    private static readonly MetadataReference[] s_references =
        [.. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator).Append(typeof(Block).Assembly.Location)
            .Distinct().Select(path => MetadataReference.CreateFromFile(path))];

    private readonly AdhocWorkspace _workspace = new();
    private Document _document;

    public AnalyzerSample(string member)
    {
        _document = _workspace.AddProject("Sample", LanguageNames.CSharp)
            .WithCompilationOptions(new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true))
            .WithParseOptions(new CSharpParseOptions(LanguageVersion.Preview))
            .AddMetadataReferences(s_references)
            .AddDocument("Sample.cs", Before + member + After);
    }

    public void Dispose() => _workspace.Dispose();

    // What the analyzers report, and the errors of the compiler.
    public async Task<Diagnostic[]> DiagnosticsAsync()
    {
        Compilation compilation = (await _document.Project.GetCompilationAsync())!;
        ImmutableArray<Diagnostic> found = await compilation.WithAnalyzers(Analyzers).GetAnalyzerDiagnosticsAsync();
        return [.. found, .. compilation.GetDiagnostics().Where(d => d.Severity == DiagnosticSeverity.Error)];
    }

    // Applies the first fix of a diagnostic. It gives the member as it is then; null where there is no fix.
    public async Task<string?> FixAsync(Diagnostic diagnostic)
    {
        List<CodeAction> actions = [];
        foreach (CodeFixProvider fix in s_fixes.Where(fix => fix.FixableDiagnosticIds.Contains(diagnostic.Id)))
            await fix.RegisterCodeFixesAsync(new(_document, diagnostic, (action, _) => actions.Add(action), default));
        if (actions.Count == 0) return null;
        ApplyChangesOperation change = (await actions[0].GetOperationsAsync(default)).OfType<ApplyChangesOperation>().Single();
        _document = change.ChangedSolution.GetDocument(_document.Id)!;
        string text = (await _document.GetTextAsync()).ToString();
        return text[Before.Length..^After.Length];
    }
}
