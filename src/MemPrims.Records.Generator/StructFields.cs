using System.Collections.Immutable;

namespace MemPrims.Records.Generator;

// A struct of numbers as one field: stored as it is in memory, so its layout must follow from its declaration alone. That is so for fields
// in the order of one declaration, each at a multiple of its alignment, without a gap between them or after the last.
internal static class StructFields
{
    // The struct as one value; null, and why, when its bytes are not settled by its declaration.
    public static ValueType? Find(INamedTypeSymbol type, ImmutableArray<ITypeSymbol> within, out string why)
    {
        why = type.DeclaringSyntaxReferences.Length != 1 ? "it must be declared in this project, and in one part"
            : within.Contains(type, SymbolEqualityComparer.Default) ? "it contains itself"
            : type.IsGenericType || type.IsRefLikeType || type.ContainingType?.IsGenericType == true ? "it must be neither generic nor "
                + "a ref struct"
            : type.GetAttributes().Any(a => a.AttributeClass?.Name is "StructLayoutAttribute" or "InlineArrayAttribute")
                ? "its layout must be the default one, without [StructLayout] and [InlineArray]"
            : "";
        if (why.Length > 0) return null;
        List<string> codes = [];
        int offset = 0, alignment = 1;
        foreach (IFieldSymbol field in type.GetMembers().OfType<IFieldSymbol>().Where(f => !f.IsStatic))
        {
            string name = (field.AssociatedSymbol ?? field).Name;
            ValueType? value = field.IsFixedSizeBuffer ? null : ValueTypes.Find(field.Type, out why, within.Add(type));
            if (value is null || value.Stored.Length > 0 || value.Code is "bool" or "date")
            {
                if (why.Length == 0) why = $"its field '{name}' is of type '{field.Type.ToDisplayString()}', and within a struct any "
                    + $"bits must be a value: "
                    + "use integers, enums, Half, float, double, Guid, TimeSpan, Int128, UInt128 or such structs";
                return null;
            }
            int gap = -offset & (value.Alignment - 1);
            if (gap != 0)
            {
                why = $"there would be {gap} unused bytes before its field '{name}': put larger fields first, or declare a field for them";
                return null;
            }
            offset += value.Size;
            alignment = Math.Max(alignment, value.Alignment);
            codes.Add(value.Code);
        }
        int end = -offset & (alignment - 1);
        why = codes.Count == 0 ? "it has no fields"
            : end != 0 ? $"there would be {end} unused bytes behind its last field: declare a field for them" : "";
        return why.Length > 0 ? null : new($"{{{string.Join("+", codes)}}}", offset, IsInteger: false) { Alignment = alignment };
    }
}
