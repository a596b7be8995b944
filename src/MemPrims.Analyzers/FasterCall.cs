namespace MemPrims.Analyzers;

/// <summary>
/// Suggestions where MemPrims does the same work faster: MEMPRIMS010 Buffer.MemoryCopy, MEMPRIMS011 Unsafe.CopyBlock and
/// CopyBlockUnaligned of pointers, MEMPRIMS012 SequenceCompareTo of bytes of which only the sign is tested, MEMPRIMS013
/// Write7BitEncodedInt. A copy of a constant length of at most 16 bytes is left alone: the JIT writes it out.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class FasterCall : DiagnosticAnalyzer
{
    internal const string MemoryCopy = "MEMPRIMS010", CopyBlock = "MEMPRIMS011", SequenceCompareTo = "MEMPRIMS012",
        SevenBits = "MEMPRIMS013";

    private const int WrittenOut = 16;

    private static readonly DiagnosticDescriptor s_memoryCopy = Rule(MemoryCopy, "Buffer.MemoryCopy can be MemPrims' copy",
        "MemPrims.DropIn.Buffer.MemoryCopy takes the same arguments, throws the same exceptions and copies short blocks faster"),
        s_copyBlock = Rule(CopyBlock, "Unsafe.CopyBlock can be Block.Copy",
            "Block.Copy copies short blocks faster, and blocks that overlap rightly"),
        s_compare = Rule(SequenceCompareTo, "SequenceCompareTo can be Block.Compare",
            "Block.Compare gives the same sign, faster in searches"),
        s_sevenBits = Rule(SevenBits, "Write7BitEncodedInt can be WriteVarint",
            "WriteVarint of an Appender writes the same bytes, without a call to a stream for each number");

    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        ImmutableArray.Create(s_memoryCopy, s_copyBlock, s_compare, s_sevenBits);

    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterOperationAction(OfCall, OperationKind.Invocation);
    }

    private static DiagnosticDescriptor Rule(string id, string title, string message) =>
        new(id, title, message, "Performance", DiagnosticSeverity.Info, isEnabledByDefault: true);

    private static void OfCall(OperationAnalysisContext context)
    {
        IInvocationOperation call = (IInvocationOperation)context.Operation;
        IMethodSymbol method = call.TargetMethod;
        DiagnosticDescriptor? rule =
            Known.Is(method, "System", "Buffer", "MemoryCopy") ? IsWrittenOut(call, 3) ? null : s_memoryCopy
            : Known.Is(method, "System.Runtime.CompilerServices", "Unsafe", "CopyBlock", "CopyBlockUnaligned")
                ? method.Parameters[0].Type is IPointerTypeSymbol && !IsWrittenOut(call, 2) ? s_copyBlock : null
            : Known.Is(method, "System", "MemoryExtensions", "SequenceCompareTo")
                ? IsOfBytes(method) && HasNoComparer(method) && IsTestedForSign(call) ? s_compare : null
            : Known.Is(method, "System.IO", "BinaryWriter", "Write7BitEncodedInt", "Write7BitEncodedInt64")
                ? IsNegative(call) ? null : s_sevenBits
            : null;
        if (rule is not null) context.ReportDiagnostic(Diagnostic.Create(rule, call.Syntax.GetLocation()));
    }

    private static bool IsWrittenOut(IInvocationOperation call, int lengthParameter)
    {
        IOperation? length = call.Arguments.FirstOrDefault(argument => argument.Parameter?.Ordinal == lengthParameter)?.Value;
        return length?.ConstantValue is { HasValue: true, Value: { } value } && Convert.ToDecimal(value) <= WrittenOut;
    }

    // WriteVarint refuses it.
    private static bool IsNegative(IInvocationOperation call) =>
        call.Arguments[0].Value.ConstantValue is { HasValue: true, Value: { } value } && Convert.ToDecimal(value) < 0;

    private static bool IsOfBytes(IMethodSymbol method) =>
        method.TypeArguments.Length == 1 && method.TypeArguments[0].SpecialType == SpecialType.System_Byte;

    // The overload with a comparer has an order of its own.
    private static bool HasNoComparer(IMethodSymbol method) => method.Parameters.Length == 2;

    // By an operator, a pattern or a switch: the call itself, or a local variable that holds nothing else.
    private static bool IsTestedForSign(IOperation value)
    {
        IOperation? parent = value.Parent;
        while (parent is IConversionOperation { IsImplicit: true }) parent = parent.Parent;
        return parent switch
        {
            IBinaryOperation test => NumberTest.Of(test) is { IsOfSign: true },
            IIsPatternOperation test => IsOfSign(test.Pattern),
            ISwitchExpressionOperation test => test.Arms.All(arm => IsOfSign(arm.Pattern)),
            ISwitchOperation test => test.Cases.SelectMany(section => section.Clauses).All(clause =>
                clause is IDefaultCaseClauseOperation || (clause is IPatternCaseClauseOperation { Pattern: var pattern }
                    ? IsOfSign(pattern) : NumberTest.Of(clause) is { IsOfSign: true })),
            IVariableInitializerOperation { Parent: IVariableDeclaratorOperation { Symbol: { IsRef: false } local } } =>
                Known.RootOf(parent).Descendants().OfType<ILocalReferenceOperation>()
                    .Where(use => SymbolEqualityComparer.Default.Equals(use.Local, local)).Select(IsTestedForSign)
                    .DefaultIfEmpty(false).All(isTested => isTested),
            _ => false,
        };
    }

    private static bool IsOfSign(IPatternOperation pattern) => pattern switch
    {
        INegatedPatternOperation { Pattern: var negated } => IsOfSign(negated),
        IBinaryPatternOperation { LeftPattern: var left, RightPattern: var right } => IsOfSign(left) && IsOfSign(right),
        _ => pattern is IDiscardPatternOperation || NumberTest.Of(pattern) is { IsOfSign: true },
    };
}
