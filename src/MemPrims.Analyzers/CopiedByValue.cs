namespace MemPrims.Analyzers;

/// <summary>
/// MEMPRIMS001: an appender is passed or copied by value. The copy and the original then write to the same places, so what one of them
/// writes is lost. An UnsafeAppender may be copied to a local variable: a value that encodes itself does so, and assigns it back.
/// MEMPRIMS002: a SortedCursor that a variable holds is passed or copied by value. The copy moves, and the original stays where it was.
/// A value that is handed over as a call returns it has no original.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class CopiedByValue : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor s_appender = new("MEMPRIMS001", "An appender is passed or copied by value",
        "'{0}' is passed or copied by value: what the copy writes is lost. Pass it by ref.", "Usage", DiagnosticSeverity.Error,
            isEnabledByDefault: true);

    private static readonly DiagnosticDescriptor s_cursor = new("MEMPRIMS002", "A cursor is passed or copied by value",
        "'{0}' is passed or copied by value: the copy moves, and the original stays where it was. Pass it by ref.", "Usage",
            DiagnosticSeverity.Warning, isEnabledByDefault: true);

    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(s_appender, s_cursor);

    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.Analyze | GeneratedCodeAnalysisFlags.ReportDiagnostics);
        context.EnableConcurrentExecution();
        context.RegisterSymbolAction(OfParameter, SymbolKind.Parameter);
        context.RegisterSymbolAction(OfField, SymbolKind.Field);
        context.RegisterOperationAction(OfCall, OperationKind.Invocation);
        context.RegisterOperationAction(OfReturn, OperationKind.Return);
        context.RegisterOperationAction(OfChoice, OperationKind.Conditional, OperationKind.SwitchExpressionArm);
        context.RegisterOperationAction(OfPattern, OperationKind.DeclarationPattern);
        context.RegisterOperationAction(OfArgument, OperationKind.Argument);
        context.RegisterOperationAction(OfInitializer, OperationKind.VariableInitializer);
        context.RegisterOperationAction(OfAssignment, OperationKind.SimpleAssignment);
    }

    private static void OfParameter(SymbolAnalysisContext context)
    {
        IParameterSymbol parameter = (IParameterSymbol)context.Symbol;
        // An `in` parameter counts as well: C# calls a member that changes the struct on a copy of it.
        if (parameter.RefKind is RefKind.Ref or RefKind.Out || RuleOf(parameter.Type) is not { } rule
            || (rule == s_cursor && parameter.RefKind == RefKind.None)) return;
        context.ReportDiagnostic(Diagnostic.Create(rule, parameter.Locations[0], parameter.Type.Name));
    }

    // C# calls the members of a readonly field on a copy, each time anew.
    private static void OfField(SymbolAnalysisContext context)
    {
        IFieldSymbol field = (IFieldSymbol)context.Symbol;
        if (field.IsReadOnly && field.RefKind == RefKind.None && RuleOf(field.Type) is { } rule)
            context.ReportDiagnostic(Diagnostic.Create(rule, field.Locations[0], field.Type.Name));
    }

    // The same for a `ref readonly` local variable, and for a field in a readonly member.
    private static void OfCall(OperationAnalysisContext context)
    {
        IInvocationOperation call = (IInvocationOperation)context.Operation;
        bool isOfCopy = call.Instance is ILocalReferenceOperation { Local.RefKind: RefKind.RefReadOnly }
            || (call.Instance is IFieldReferenceOperation { Instance: IInstanceReferenceOperation, Field.IsReadOnly: false } field
                && field.Field.RefKind == RefKind.None && context.ContainingSymbol is IMethodSymbol { IsReadOnly: true });
        if (isOfCopy && !call.TargetMethod.IsReadOnly) Report(context, call.Instance!);
    }

    private static void OfReturn(OperationAnalysisContext context)
    {
        // A local variable that is returned is gone: only what outlives the method has a copy.
        if (((IReturnOperation)context.Operation).ReturnedValue is { } value and not ILocalReferenceOperation
            && context.ContainingSymbol is not IMethodSymbol { RefKind: not RefKind.None }) Copied(context, value);
    }

    private static void OfChoice(OperationAnalysisContext context)
    {
        if (context.Operation is ISwitchExpressionArmOperation arm) Copied(context, arm.Value);
        else if (context.Operation is IConditionalOperation { IsRef: false, Type: not null, WhenFalse: { } otherwise } choice)
        {
            Copied(context, choice.WhenTrue);
            Copied(context, otherwise);
        }
    }

    private static void OfPattern(OperationAnalysisContext context)
    {
        IDeclarationPatternOperation pattern = (IDeclarationPatternOperation)context.Operation;
        if (pattern.DeclaredSymbol is not null && pattern.InputType.Name != "UnsafeAppender" && RuleOf(pattern.InputType) is { } rule)
            context.ReportDiagnostic(Diagnostic.Create(rule, pattern.Syntax.GetLocation(), pattern.InputType.Name));
    }

    private static void OfArgument(OperationAnalysisContext context)
    {
        IArgumentOperation argument = (IArgumentOperation)context.Operation;
        if (argument.Parameter is { RefKind: RefKind.None } && IsVariable(argument.Value)) Report(context, argument.Value);
    }

    private static void OfInitializer(OperationAnalysisContext context)
    {
        IVariableInitializerOperation initializer = (IVariableInitializerOperation)context.Operation;
        if (initializer.Parent is IVariableDeclaratorOperation { Symbol.RefKind: RefKind.None }) Copied(context, initializer.Value);
    }

    private static void OfAssignment(OperationAnalysisContext context)
    {
        ISimpleAssignmentOperation assignment = (ISimpleAssignmentOperation)context.Operation;
        if (!assignment.IsRef && assignment.Target is not IDiscardOperation) Copied(context, assignment.Value);
    }

    private static void Copied(OperationAnalysisContext context, IOperation value)
    {
        if (IsVariable(value) && value.Type?.Name != "UnsafeAppender") Report(context, value);
    }

    // What a ref is returned to, or a pointer leads to, is a variable as well. Roslyn has no public operation for `*pointer`.
    private static bool IsVariable(IOperation value) => value switch
    {
        ILocalReferenceOperation or IParameterReferenceOperation or IFieldReferenceOperation => true,
        IInvocationOperation { TargetMethod.RefKind: not RefKind.None } => true,
        IPropertyReferenceOperation { Property.RefKind: not RefKind.None } => true,
        IConversionOperation { OperatorMethod: null, Operand: var converted } => IsVariable(converted),
        _ => value.Syntax.IsKind(SyntaxKind.PointerIndirectionExpression),
    };

    private static void Report(OperationAnalysisContext context, IOperation value)
    {
        if (RuleOf(value.Type) is { } rule)
            context.ReportDiagnostic(Diagnostic.Create(rule, value.Syntax.GetLocation(), value.Type!.Name));
    }

    private static DiagnosticDescriptor? RuleOf(ITypeSymbol? type) =>
        type is null ? null : IsCursor(type) ? s_cursor : IsAppender(type) ? s_appender : null;

    private static bool IsCursor(ITypeSymbol type) => type.Name == "SortedCursor" && Known.IsIn(type, "MemPrims.Pages");

    private static bool IsAppender(ITypeSymbol type) =>
        type.Name is "Appender" or "ReservedAppender" or "UnsafeAppender" && Known.IsIn(type, "MemPrims.Buffers");
}
