namespace MemPrims.Analyzers;

/// <summary>Tests the sign in place of the number.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class CompareTestedForOneFix : CodeFixProvider
{
    private const string Title = "Test the sign";

    public override ImmutableArray<string> FixableDiagnosticIds { get; } = ImmutableArray.Create("MEMPRIMS003");

    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        SyntaxNode? root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        SemanticModel? model = await context.Document.GetSemanticModelAsync(context.CancellationToken).ConfigureAwait(false);
        if (root is null || model is null) return;
        foreach (Diagnostic diagnostic in context.Diagnostics)
        {
            // A pattern and its number have the same place in the text.
            NumberTest? test = root.FindNode(diagnostic.Location.SourceSpan, getInnermostNodeForTie: true).AncestorsAndSelf()
                .TakeWhile(node => node.Span == diagnostic.Location.SourceSpan)
                .Select(node => NumberTest.Of(model.GetOperation(node, context.CancellationToken)))
                .FirstOrDefault(found => found is not null);
            if (test is not { Sign: { } sign }) continue;
            SyntaxNode tested = Written(test.Syntax, test.Compared.Syntax,
                sign.Insert(sign.LastIndexOf(' ') + 1, CommentsIn(test.Syntax, test.Compared.Syntax))).WithTriviaFrom(test.Syntax);
            context.RegisterCodeFix(CodeAction.Create(Title,
                _ => Task.FromResult(context.Document.WithSyntaxRoot(root.ReplaceNode(test.Syntax, tested))), Title), diagnostic);
        }
    }

    // Those of the test that what is compared does not bring with it.
    private static string CommentsIn(SyntaxNode test, SyntaxNode compared) => string.Concat(test.DescendantTrivia()
        .Where(trivia => trivia.IsKind(SyntaxKind.MultiLineCommentTrivia) || trivia.IsKind(SyntaxKind.SingleLineCommentTrivia))
        .Where(comment => test.Span.Contains(comment.Span) && !compared.Span.Contains(comment.Span))
        .Select(comment => comment.IsKind(SyntaxKind.SingleLineCommentTrivia) ? $"{comment}\n" : $"{comment} "));

    private static SyntaxNode Written(SyntaxNode test, SyntaxNode compared, string sign) => test switch
    {
        PatternSyntax => Pattern(sign),
        CaseSwitchLabelSyntax label => SyntaxFactory.CasePatternSwitchLabel(label.Keyword, Pattern(sign), null, label.ColonToken),
        InvocationExpressionSyntax =>
            SyntaxFactory.ParseExpression($"({compared} {sign})").WithAdditionalAnnotations(Simplifier.Annotation),
        _ => SyntaxFactory.ParseExpression($"{compared} {sign}"),
    };

    private static PatternSyntax Pattern(string sign) =>
        ((IsPatternExpressionSyntax)SyntaxFactory.ParseExpression($"x is {sign}")).Pattern;
}
