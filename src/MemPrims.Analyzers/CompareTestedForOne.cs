using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace MemPrims.Analyzers;

/// <summary>
/// MEMPRIMS003: the result of Compare is tested for one number other than 0. Only its sign means anything: it may be any number, and
/// differs between processors. The call is seen in the test itself, or as what the tested local variable begins with.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class CompareTestedForOne : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor s_rule = new("MEMPRIMS003", "The result of Compare is tested for a number",
        "Only the sign of Compare's result means anything: test for '{0}'", "Usage", DiagnosticSeverity.Warning, isEnabledByDefault: true);

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(s_rule);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterOperationAction(OfTest, OperationKind.Binary);
    }

    private static void OfTest(OperationAnalysisContext context)
    {
        IBinaryOperation test = (IBinaryOperation)context.Operation;
        if (test.OperatorKind is not (BinaryOperatorKind.Equals or BinaryOperatorKind.NotEquals)) return;
        bool numberFirst = test.LeftOperand.ConstantValue.HasValue;
        IOperation compared = Known.WithoutConversions(numberFirst ? test.RightOperand : test.LeftOperand);
        IOperation number = numberFirst ? test.LeftOperand : test.RightOperand;
        if (number.ConstantValue is not { HasValue: true, Value: int value } || value == 0 || !IsCompare(compared)) return;
        context.ReportDiagnostic(Diagnostic.Create(s_rule, test.Syntax.GetLocation(),
            Known.Sign(value, test.OperatorKind == BinaryOperatorKind.Equals)));
    }

    private static bool IsCompare(IOperation compared) => Known.IsCompare(compared)
        || (compared is ILocalReferenceOperation { Local.DeclaringSyntaxReferences: { Length: 1 } declarations }
            && compared.SemanticModel is { } model
            && declarations[0].GetSyntax() is VariableDeclaratorSyntax { Initializer.Value: var value }
            && declarations[0].SyntaxTree == model.SyntaxTree
            && model.GetOperation(value) is { } begun && Known.IsCompare(Known.WithoutConversions(begun)));
}
