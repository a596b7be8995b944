namespace MemPrims.Analyzers;

/// <summary>
/// MEMPRIMS003: the result of Compare is tested for a number, by an operator, a pattern, a case or Equals. Only its sign means anything:
/// it may be any number, and differs between processors. A local variable counts as the result if nothing else is ever assigned to it.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class CompareTestedForOne : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor s_rule = new("MEMPRIMS003", "The result of Compare is tested for a number",
        "Only the sign of Compare's result means anything: test for '{0}'", "Usage", DiagnosticSeverity.Warning, isEnabledByDefault: true);

    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(s_rule);

    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterOperationAction(Look, OperationKind.Binary, OperationKind.Invocation, OperationKind.ConstantPattern,
            OperationKind.RelationalPattern, OperationKind.CaseClause);
    }

    private static void Look(OperationAnalysisContext context)
    {
        if (NumberTest.Of(context.Operation) is { Sign: { } sign } test && IsCompare(test.Compared))
            context.ReportDiagnostic(Diagnostic.Create(s_rule, test.Syntax.GetLocation(), sign));
    }

    private static bool IsCompare(IOperation compared)
    {
        if (compared is not ILocalReferenceOperation { Local: { IsRef: false } local }) return Known.IsCompare(compared);
        bool isCompare = false;
        foreach (IOperation use in Known.RootOf(compared).DescendantsAndSelf())
        {
            if (AssignedBy(use, local) is not { } value) continue;
            if (!HasSignOfCompare(value)) return false;
            isCompare = true;
        }
        return isCompare;
    }

    // A call of Compare, or a choice between two of them or one and 0.
    private static bool HasSignOfCompare(IOperation value) => Known.WithoutConversions(value) switch
    {
        IConditionalOperation { WhenTrue: var first, WhenFalse: { } second } =>
            IsZero(first) ? HasSignOfCompare(second) : HasSignOfCompare(first) && (IsZero(second) || HasSignOfCompare(second)),
        var plain => Known.IsCompare(plain),
    };

    private static bool IsZero(IOperation operation) => operation.ConstantValue is { HasValue: true, Value: 0 };

    // What an operation assigns to a local variable; the operation itself where that is not to be told.
    private static IOperation? AssignedBy(IOperation use, ILocalSymbol local)
    {
        if (use is IVariableDeclaratorOperation declared && Is(declared.Symbol)) return declared.GetVariableInitializer()?.Value;
        if (use is IDeclarationPatternOperation { DeclaredSymbol: ILocalSymbol found } && Is(found))
            return use.Parent is IIsPatternOperation { Value: var matched } ? matched : use;
        if (use is not ILocalReferenceOperation { Parent: { } parent } reference || !Is(reference.Local)) return null;
        return parent switch
        {
            ISimpleAssignmentOperation assignment when assignment.Target == use => assignment.Value,
            IAssignmentOperation assignment when assignment.Target == use => use,
            IIncrementOrDecrementOperation or ITupleOperation or IAddressOfOperation => use,
            IArgumentOperation { Parameter.RefKind: RefKind.Ref or RefKind.Out } => use,
            IVariableInitializerOperation { Parent: IVariableDeclaratorOperation { Symbol.IsRef: true } } => use,
            _ => null,
        };

        bool Is(ILocalSymbol other) => SymbolEqualityComparer.Default.Equals(other, local);
    }
}

// A test of an integer for a constant: what is tested, where, and the test of the sign that it stands for.
internal sealed class NumberTest
{
    private NumberTest(IOperation compared, SyntaxNode syntax, BinaryOperatorKind kind, long number)
    {
        (Compared, Syntax) = (Known.WithoutConversions(compared), syntax);
        Sign = SignOf(kind, number);
        IsOfSign = Sign is null && kind is BinaryOperatorKind.Equals or BinaryOperatorKind.NotEquals or BinaryOperatorKind.LessThan
            or BinaryOperatorKind.LessThanOrEqual or BinaryOperatorKind.GreaterThan or BinaryOperatorKind.GreaterThanOrEqual;
    }

    public IOperation Compared { get; }

    public SyntaxNode Syntax { get; }

    // The test in words of C#, as "> 0". Null: the test is one of the sign, or none.
    public string? Sign { get; }

    public bool IsOfSign { get; }

    public static NumberTest? Of(IOperation? test) => test switch
    {
        IBinaryOperation { LeftOperand: var left, RightOperand: var right } binary =>
            Number(right) is { } number ? new(left, test.Syntax, binary.OperatorKind, number)
            : Number(left) is { } first ? new(right, test.Syntax, Mirrored(binary.OperatorKind), first) : null,
        IInvocationOperation { TargetMethod: { Name: "Equals", Parameters.Length: 1 }, Instance: { } instance } call =>
            Number(Unboxed(call)) is { } number ? new(instance, test.Syntax, BinaryOperatorKind.Equals, number)
            : Number(instance) is { } first ? new(Unboxed(call), test.Syntax, BinaryOperatorKind.Equals, first) : null,
        IConstantPatternOperation { Value: var value } when Number(value) is { } number && MatchedBy(test) is { } matched =>
            new(matched, test.Syntax, BinaryOperatorKind.Equals, number),
        IRelationalPatternOperation { Value: var value } pattern when Number(value) is { } number && MatchedBy(test) is { } matched =>
            new(matched, test.Syntax, pattern.OperatorKind, number),
        ISingleValueCaseClauseOperation { Value: var value } when Number(value) is { } number && MatchedBy(test) is { } matched =>
            new(matched, test.Syntax, BinaryOperatorKind.Equals, number),
        _ => null,
    };

    // What a pattern or a case is matched with. A pattern within a property or a list is matched with something else.
    private static IOperation? MatchedBy(IOperation pattern)
    {
        IOperation? at = pattern.Parent;
        while (at is INegatedPatternOperation or IBinaryPatternOperation or IPatternCaseClauseOperation or ISwitchCaseOperation
            or ISwitchExpressionArmOperation) at = at.Parent;
        return at switch
        {
            IIsPatternOperation { Value: var value } => value,
            ISwitchExpressionOperation { Value: var value } => value,
            ISwitchOperation { Value: var value } => value,
            _ => null,
        };
    }

    private static IOperation Unboxed(IInvocationOperation call) => Known.WithoutConversions(call.Arguments[0].Value);

    private static long? Number(IOperation operation) => Known.WithoutConversions(operation).ConstantValue is { HasValue: true } constant
        ? constant.Value switch { int number => number, long number => number, _ => null } : null;

    private static BinaryOperatorKind Mirrored(BinaryOperatorKind kind) => kind switch
    {
        BinaryOperatorKind.LessThan => BinaryOperatorKind.GreaterThan,
        BinaryOperatorKind.LessThanOrEqual => BinaryOperatorKind.GreaterThanOrEqual,
        BinaryOperatorKind.GreaterThan => BinaryOperatorKind.LessThan,
        BinaryOperatorKind.GreaterThanOrEqual => BinaryOperatorKind.LessThanOrEqual,
        _ => kind,
    };

    // "≥ 1" and "> −1" are tests of the sign, as those for 0 are. "> 1" is not: it fails for a positive result of 1.
    private static string? SignOf(BinaryOperatorKind kind, long number) => kind switch
    {
        BinaryOperatorKind.Equals => number == 0 ? null : number > 0 ? "> 0" : "< 0",
        BinaryOperatorKind.NotEquals => number == 0 ? null : number > 0 ? "<= 0" : ">= 0",
        BinaryOperatorKind.GreaterThan => number is 0 or -1 ? null : number > 0 ? "> 0" : ">= 0",
        BinaryOperatorKind.LessThanOrEqual => number is 0 or -1 ? null : number > 0 ? "<= 0" : "< 0",
        BinaryOperatorKind.GreaterThanOrEqual => number is 0 or 1 ? null : number > 0 ? "> 0" : ">= 0",
        BinaryOperatorKind.LessThan => number is 0 or 1 ? null : number > 0 ? "<= 0" : "< 0",
        _ => null,
    };
}
