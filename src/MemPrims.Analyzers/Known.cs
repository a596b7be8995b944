namespace MemPrims.Analyzers;

// The names that the rules look for.
internal static class Known
{
    public static bool IsIn(ISymbol symbol, string space) => symbol.ContainingNamespace?.ToDisplayString() == space;

    public static bool Is(IMethodSymbol method, string space, string type, params string[] names) =>
        method.ContainingType?.Name == type && IsIn(method.ContainingType, space) && Array.IndexOf(names, method.Name) >= 0;

    // A call of Block.Compare or Libc.Compare, whose result has a sign and no size.
    public static bool IsCompare(IOperation operation) => operation is IInvocationOperation { TargetMethod: var method }
        && (Is(method, "MemPrims", "Block", "Compare") || Is(method, "MemPrims", "Libc", "Compare"));

    public static IOperation WithoutConversions(IOperation operation)
    {
        while (operation is IConversionOperation { OperatorMethod: null } conversion) operation = conversion.Operand;
        return operation;
    }

    // The whole member that an operation is a part of.
    public static IOperation RootOf(IOperation operation)
    {
        while (operation.Parent is { } parent) operation = parent;
        return operation;
    }
}
