using System.Collections.Immutable;

namespace MemPrims.Records.Generator;

// A type of fixed layout: how the layout's line calls it, and its size.
// Stored: the type arguments for the accessor of a value that is not stored as it is in memory; empty for all others.
internal sealed record ValueType(string Code, int Size, bool IsInteger, string Stored = "")
{
    // Where the runtime puts such a value within a struct: at a multiple of this.
    public int Alignment { get; init; } = Size;
}

internal static class ValueTypes
{
    // The type's layout; null when it has none, and why where more is to be said about it.
    public static ValueType? Find(ITypeSymbol type, out string why, ImmutableArray<ITypeSymbol>? within = null)
    {
        why = "";
        if (type is INamedTypeSymbol { TypeKind: TypeKind.Enum, EnumUnderlyingType: { } underlying })
            return Known(underlying) is { } value ? value with { IsInteger = false } : null;
        if (Known(type) is { } known) return known;
        bool mayBeField = type is INamedTypeSymbol { TypeKind: TypeKind.Struct, IsTupleType: false }
            && type.SpecialType == SpecialType.None && type.ContainingNamespace?.ToDisplayString() != "System";
        return mayBeField ? StructFields.Find((INamedTypeSymbol)type, within ?? ImmutableArray<ITypeSymbol>.Empty, out why) : null;
    }

    private static ValueType? Known(ITypeSymbol type) => type.ToDisplayString() switch
    {
        "sbyte" => new("i8", 1, true),
        "byte" => new("u8", 1, true),
        "short" => new("i16", 2, true),
        "ushort" => new("u16", 2, true),
        "int" => new("i32", 4, true),
        "uint" => new("u32", 4, true),
        "long" => new("i64", 8, true),
        "ulong" => new("u64", 8, true),
        "float" => new("f32", 4, false),
        "double" => new("f64", 8, false),
        "bool" => new("bool", 1, false),
        "decimal" => new("decimal", 16, false, Stored("decimal", "UInt128", "Decimal")),
        "System.DateTime" => new("date", 8, false),
        "System.Guid" => new("guid", 16, false) { Alignment = 4 },
        "System.Int128" => new("i128", 16, true),
        "System.UInt128" => new("u128", 16, true),
        "System.Half" => new("f16", 2, false),
        "System.TimeSpan" => new("span", 8, false),
        "System.DateOnly" => new("day", 4, false, Stored("global::System.DateOnly", "UInt32", "DateOnly")),
        "System.TimeOnly" => new("time", 8, false, Stored("global::System.TimeOnly", "UInt64", "TimeOnly")),
        "System.DateTimeOffset" => new("zoned", 16, false, Stored("global::System.DateTimeOffset", "UInt128", "DateTimeOffset")),
        _ => null,
    };

    private static string Stored(string type, string bits, string format) =>
        $"{type}, global::System.{bits}, global::MemPrims.Records.Stored{format}";
}
