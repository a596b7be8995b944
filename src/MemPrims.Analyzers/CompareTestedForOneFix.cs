using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace MemPrims.Analyzers;

/// <summary>Tests the sign in place of the number.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class CompareTestedForOneFix : CodeFixProvider
{
    private const string Title = "Test the sign";

    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = ImmutableArray.Create("MEMPRIMS003");

    /// <inheritdoc/>
    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        if (await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false) is not { } root) return;
        foreach (Diagnostic diagnostic in context.Diagnostics)
            if (root.FindNode(diagnostic.Location.SourceSpan, getInnermostNodeForTie: true) is BinaryExpressionSyntax test)
                context.RegisterCodeFix(CodeAction.Create(Title, async cancel =>
                {
                    SemanticModel model = (await context.Document.GetSemanticModelAsync(cancel).ConfigureAwait(false))!;
                    bool numberFirst = model.GetConstantValue(test.Left, cancel).HasValue;
                    (ExpressionSyntax compared, ExpressionSyntax number) = numberFirst ? (test.Right, test.Left) : (test.Left, test.Right);
                    int value = (int)model.GetConstantValue(number, cancel).Value!;
                    string sign = Known.Sign(value, test.IsKind(SyntaxKind.EqualsExpression));
                    ExpressionSyntax tested = SyntaxFactory.ParseExpression($"{compared.WithoutTrivia().ToFullString()} {sign}");
                    return context.Document.WithSyntaxRoot(root.ReplaceNode(test, tested.WithTriviaFrom(test)));
                }, Title), diagnostic);
    }
}
