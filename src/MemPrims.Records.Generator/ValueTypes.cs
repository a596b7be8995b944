using Microsoft.CodeAnalysis;

namespace MemPrims.Records.Generator;

/// <summary>A type of fixed layout: how the layout's line calls it, and its size.</summary>
internal sealed record ValueType(string Code, int Size, bool IsInteger);

internal static class ValueTypes
{
    public static ValueType? Find(ITypeSymbol type)
    {
        if (type is INamedTypeSymbol { TypeKind: TypeKind.Enum, EnumUnderlyingType: { } underlying }) return Find(underlying) is { } value ? value with { IsInteger = false } : null;
        return type.SpecialType switch
        {
            SpecialType.System_SByte => new("i8", 1, true),
            SpecialType.System_Byte => new("u8", 1, true),
            SpecialType.System_Int16 => new("i16", 2, true),
            SpecialType.System_UInt16 => new("u16", 2, true),
            SpecialType.System_Int32 => new("i32", 4, true),
            SpecialType.System_UInt32 => new("u32", 4, true),
            SpecialType.System_Int64 => new("i64", 8, true),
            SpecialType.System_UInt64 => new("u64", 8, true),
            SpecialType.System_Single => new("f32", 4, false),
            SpecialType.System_Double => new("f64", 8, false),
            SpecialType.System_Boolean => new("bool", 1, false),
            SpecialType.System_DateTime => new("date", 8, false),
            _ => type.ToDisplayString() switch
            {
                "System.Guid" => new("guid", 16, false),
                "System.Int128" => new("i128", 16, true),
                "System.UInt128" => new("u128", 16, true),
                _ => null,
            },
        };
    }
}
