namespace MemPrims.Analyzers;

/// <summary>
/// Writes the call of MemPrims in place of the runtime's. MEMPRIMS013 has no fix: an appender over a SegmentList takes the place of a
/// BinaryWriter over a stream, which is more than one call.
/// </summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class FasterCallFix : CodeFixProvider
{
    private const string Title = "Call MemPrims";

    public override ImmutableArray<string> FixableDiagnosticIds { get; } =
        ImmutableArray.Create(FasterCall.MemoryCopy, FasterCall.CopyBlock, FasterCall.SequenceCompareTo);

    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        if (await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false) is not { } root) return;
        foreach (Diagnostic diagnostic in context.Diagnostics)
            if (root.FindNode(diagnostic.Location.SourceSpan, getInnermostNodeForTie: true) is InvocationExpressionSyntax call)
                context.RegisterCodeFix(CodeAction.Create(Title, async cancel =>
                {
                    SemanticModel model = (await context.Document.GetSemanticModelAsync(cancel).ConfigureAwait(false))!;
                    if (model.GetOperation(call, cancel) is not IInvocationOperation operation) return context.Document;
                    ExpressionSyntax fast = SyntaxFactory.ParseExpression(Written(diagnostic.Id, call, operation))
                        .WithTriviaFrom(call).WithAdditionalAnnotations(Simplifier.Annotation);
                    return context.Document.WithSyntaxRoot(root.ReplaceNode(call, fast));
                }, Title), diagnostic);
    }

    // Arguments by the place of their parameter: the call may have named them in another order.
    private static string Written(string id, InvocationExpressionSyntax call, IInvocationOperation operation)
    {
        string Argument(int place) => operation.Arguments.Single(argument => argument.Parameter!.Ordinal == place).Value.Syntax.ToString();
        return id switch
        {
            FasterCall.MemoryCopy => $"global::MemPrims.DropIn.Buffer.MemoryCopy{call.ArgumentList}",
            FasterCall.CopyBlock =>
                $"global::MemPrims.Block.Copy((byte*)({Argument(0)}), (byte*)({Argument(1)}), (nint)({Argument(2)}))",
            _ => $"global::MemPrims.Block.Compare({Argument(0)}, {Argument(1)})",
        };
    }
}
