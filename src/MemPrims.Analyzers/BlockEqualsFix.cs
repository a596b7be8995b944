namespace MemPrims.Analyzers;

/// <summary>Block.Equals is the compiler's error CS0619. The fix writes Block.Equal.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class BlockEqualsFix : CodeFixProvider
{
    private const string Title = "Use Block.Equal";

    public override ImmutableArray<string> FixableDiagnosticIds { get; } = ImmutableArray.Create("CS0619");

    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        SyntaxNode? root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        SemanticModel? model = await context.Document.GetSemanticModelAsync(context.CancellationToken).ConfigureAwait(false);
        if (root is null || model is null) return;
        foreach (Diagnostic diagnostic in context.Diagnostics)
        {
            SyntaxNode node = root.FindNode(diagnostic.Location.SourceSpan, getInnermostNodeForTie: true);
            if (node.FirstAncestorOrSelf<InvocationExpressionSyntax>()?.Expression is not MemberAccessExpressionSyntax called
                || model.GetSymbolInfo(called, context.CancellationToken).Symbol is not IMethodSymbol method
                || !Known.Is(method, "MemPrims", "Block", "Equals")) continue;
            context.RegisterCodeFix(CodeAction.Create(Title, _ => Task.FromResult(context.Document.WithSyntaxRoot(root.ReplaceNode(
                called.Name, SyntaxFactory.IdentifierName("Equal").WithTriviaFrom(called.Name)))), Title), diagnostic);
        }
    }
}
