using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace MemPrims.Analyzers;

/// <summary>
/// MEMPRIMS001: an appender is passed or copied by value. The copy and the original then write to the same places, so what one of them
/// writes is lost. An UnsafeAppender may be copied to a local variable: a value that encodes itself does so, and assigns it back.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class AppenderByValue : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor s_rule = new("MEMPRIMS001", "An appender is passed or copied by value",
        "'{0}' is passed or copied by value: what the copy writes is lost. Pass it by ref.", "Usage", DiagnosticSeverity.Error,
            isEnabledByDefault: true);

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(s_rule);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.Analyze | GeneratedCodeAnalysisFlags.ReportDiagnostics);
        context.EnableConcurrentExecution();
        context.RegisterSymbolAction(OfParameter, SymbolKind.Parameter);
        context.RegisterOperationAction(OfArgument, OperationKind.Argument);
        context.RegisterOperationAction(OfInitializer, OperationKind.VariableInitializer);
        context.RegisterOperationAction(OfAssignment, OperationKind.SimpleAssignment);
    }

    private static void OfParameter(SymbolAnalysisContext context)
    {
        IParameterSymbol parameter = (IParameterSymbol)context.Symbol;
        // An `in` parameter counts as well: C# calls a member that changes the struct on a copy of it.
        if (parameter.RefKind is RefKind.Ref or RefKind.Out || !IsAppender(parameter.Type)) return;
        context.ReportDiagnostic(Diagnostic.Create(s_rule, parameter.Locations[0], parameter.Type.Name));
    }

    private static void OfArgument(OperationAnalysisContext context)
    {
        IArgumentOperation argument = (IArgumentOperation)context.Operation;
        if (argument.Parameter is { RefKind: RefKind.None } && IsAppender(argument.Value.Type)) Report(context, argument.Value);
    }

    private static void OfInitializer(OperationAnalysisContext context)
    {
        IVariableInitializerOperation initializer = (IVariableInitializerOperation)context.Operation;
        if (initializer.Parent is IVariableDeclaratorOperation { Symbol.RefKind: RefKind.None }) Copied(context, initializer.Value);
    }

    private static void OfAssignment(OperationAnalysisContext context)
    {
        ISimpleAssignmentOperation assignment = (ISimpleAssignmentOperation)context.Operation;
        if (!assignment.IsRef) Copied(context, assignment.Value);
    }

    private static void Copied(OperationAnalysisContext context, IOperation value)
    {
        bool isVariable = value is ILocalReferenceOperation or IParameterReferenceOperation or IFieldReferenceOperation;
        if (isVariable && IsAppender(value.Type) && value.Type!.Name != "UnsafeAppender") Report(context, value);
    }

    private static void Report(OperationAnalysisContext context, IOperation value) =>
        context.ReportDiagnostic(Diagnostic.Create(s_rule, value.Syntax.GetLocation(), value.Type!.Name));

    private static bool IsAppender(ITypeSymbol? type) => type switch
    {
        ITypeParameterSymbol parameter => parameter.ConstraintTypes.Any(IsInterface),
        null => false,
        _ => type.AllInterfaces.Any(IsInterface),
    };

    private static bool IsInterface(ITypeSymbol type) => type.Name == "IAppender"
        && type.ContainingNamespace?.ToDisplayString() == "MemPrims.Buffers";
}
