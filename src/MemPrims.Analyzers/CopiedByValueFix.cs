using Microsoft.CodeAnalysis.Editing;
using Microsoft.CodeAnalysis.Formatting;

namespace MemPrims.Analyzers;

/// <summary>
/// A parameter becomes a ref parameter, and so do its arguments in the same file; a local copy becomes a ref local. The fix is offered
/// only if the file then has no more errors than before. A default value, a lambda or an interface may forbid the ref.
/// </summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class CopiedByValueFix : CodeFixProvider
{
    private const string Title = "By ref";

    public override ImmutableArray<string> FixableDiagnosticIds { get; } = ImmutableArray.Create("MEMPRIMS001", "MEMPRIMS002");

    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        if (await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false) is not { } root) return;
        foreach (Diagnostic diagnostic in context.Diagnostics)
        {
            SyntaxNode node = root.FindNode(diagnostic.Location.SourceSpan, getInnermostNodeForTie: true);
            ParameterSyntax? parameter = node as ParameterSyntax
                ?? (node.Parent is ArgumentSyntax argument ? await ParameterOfAsync(context, root, argument).ConfigureAwait(false) : null);
            Document changed;
            if (parameter is not null)
                changed = await OfParameterAsync(context.Document, parameter, context.CancellationToken).ConfigureAwait(false);
            else if (node.Parent is EqualsValueClauseSyntax { Parent.Parent: VariableDeclarationSyntax { Variables.Count: 1 } copy })
                changed = await OfLocalAsync(context.Document, copy, context.CancellationToken).ConfigureAwait(false);
            else continue;
            if (await ErrorsAsync(changed, context.CancellationToken).ConfigureAwait(false)
                <= await ErrorsAsync(context.Document, context.CancellationToken).ConfigureAwait(false))
                context.RegisterCodeFix(CodeAction.Create(Title, _ => Task.FromResult(changed), Title), diagnostic);
        }
    }

    private static async Task<int> ErrorsAsync(Document document, CancellationToken cancel) =>
        (await document.GetSemanticModelAsync(cancel).ConfigureAwait(false))!.GetDiagnostics(cancellationToken: cancel)
            .Count(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error);

    // The parameter of an argument, where it is declared in the same file.
    private static async Task<ParameterSyntax?> ParameterOfAsync(CodeFixContext context, SyntaxNode root, ArgumentSyntax argument)
    {
        SemanticModel? model = await context.Document.GetSemanticModelAsync(context.CancellationToken).ConfigureAwait(false);
        return (model?.GetOperation(argument, context.CancellationToken) as IArgumentOperation)?.Parameter?.OriginalDefinition
            .DeclaringSyntaxReferences.Select(reference => reference.GetSyntax(context.CancellationToken)).OfType<ParameterSyntax>()
            .FirstOrDefault(declared => declared.SyntaxTree == root.SyntaxTree);
    }

    private static async Task<Document> OfParameterAsync(Document document, ParameterSyntax parameter, CancellationToken cancel)
    {
        DocumentEditor editor = await DocumentEditor.CreateAsync(document, cancel).ConfigureAwait(false);
        ParameterSyntax byRef = parameter.WithoutLeadingTrivia().WithModifiers(SyntaxFactory.TokenList(
            parameter.Modifiers.Where(modifier => !modifier.IsKind(SyntaxKind.InKeyword)).Select(modifier => modifier.WithoutTrivia())
                .Append(SyntaxFactory.Token(SyntaxKind.RefKeyword)).Select(modifier => modifier.WithTrailingTrivia(SyntaxFactory.Space))));
        editor.ReplaceNode(parameter, byRef.WithLeadingTrivia(parameter.GetLeadingTrivia()));
        IParameterSymbol symbol = (IParameterSymbol)editor.SemanticModel.GetDeclaredSymbol(parameter, cancel)!;
        foreach (InvocationExpressionSyntax call in editor.OriginalRoot.DescendantNodes().OfType<InvocationExpressionSyntax>())
        {
            if (editor.SemanticModel.GetSymbolInfo(call, cancel).Symbol is not IMethodSymbol called
                || !SymbolEqualityComparer.Default.Equals(called.OriginalDefinition, symbol.ContainingSymbol)) continue;
            ArgumentSyntax? argument = call.ArgumentList.Arguments.FirstOrDefault(a => a.NameColon?.Name.Identifier.Text == symbol.Name)
                ?? call.ArgumentList.Arguments.ElementAtOrDefault(symbol.Ordinal);
            if (argument is not null && !argument.RefKindKeyword.IsKind(SyntaxKind.RefKeyword))
                editor.ReplaceNode(argument, argument.WithRefKindKeyword(
                    SyntaxFactory.Token(SyntaxKind.RefKeyword).WithTrailingTrivia(SyntaxFactory.Space)));
        }
        return editor.GetChangedDocument();
    }

    private static async Task<Document> OfLocalAsync(Document document, VariableDeclarationSyntax copy, CancellationToken cancel)
    {
        DocumentEditor editor = await DocumentEditor.CreateAsync(document, cancel).ConfigureAwait(false);
        VariableDeclaratorSyntax variable = copy.Variables[0];
        ExpressionSyntax value = variable.Initializer!.Value;
        editor.ReplaceNode(value, SyntaxFactory.RefExpression(value.WithoutTrivia()).WithTriviaFrom(value)
            .WithAdditionalAnnotations(Formatter.Annotation));
        editor.ReplaceNode(copy.Type, SyntaxFactory.RefType(copy.Type.WithoutTrivia()).WithTriviaFrom(copy.Type)
            .WithAdditionalAnnotations(Formatter.Annotation));
        return editor.GetChangedDocument();
    }
}
