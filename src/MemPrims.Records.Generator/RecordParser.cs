using Microsoft.CodeAnalysis.CSharp;

namespace MemPrims.Records.Generator;

// Reads a declaration into a RecordModel, with everything that is wrong about it.
internal sealed class RecordParser
{
    private const int PageRoom = 4064, DescriptorBytes = 4;

    // Each version has a line of its own in the code and in the lock file.
    private const int MaxVersion = 1000;

    private static readonly string[] s_reserved = ["View", "Fields", "Layout", "__slot", "__bytes"];

    private readonly List<Problem> _problems = [];

    public static RecordModel Parse(GeneratorAttributeSyntaxContext context, CancellationToken cancellationToken) =>
        new RecordParser().Parse((INamedTypeSymbol)context.TargetSymbol, (TypeDeclarationSyntax)context.TargetNode, context.Attributes[0],
            cancellationToken);

    private RecordModel Parse(INamedTypeSymbol type, TypeDeclarationSyntax declaration, AttributeData attribute,
        CancellationToken cancellationToken)
    {
        Place? where = Place.Of(declaration.Identifier.GetLocation());
        if (!declaration.Modifiers.Any(SyntaxKind.PartialKeyword) || !type.IsRefLikeType || !type.IsReadOnly)
            Report(Diagnostics.NotRefStruct, where, type.Name);
        if (type.IsGenericType) Report(Diagnostics.Generic, where, type.Name);
        uint id = attribute.ConstructorArguments.Length == 1 && attribute.ConstructorArguments[0].Value is uint number ? number : 0;
        int version = Named(attribute, "Version", 1);
        int readableFrom = Named(attribute, "ReadableFrom", version);
        if (version is < 1 or > MaxVersion) Report(Diagnostics.WrongAttribute, where, type.Name,
            $"Version is from 1 to {MaxVersion}, and not {version}");
        else if (readableFrom < 1 || readableFrom > version) Report(Diagnostics.WrongAttribute, where, type.Name,
            $"ReadableFrom is from 1 to the Version, and not {readableFrom}");

        foreach (string reserved in s_reserved)
            if (type.Name == reserved || type.GetMembers(reserved).Length > 0) Report(Diagnostics.ReservedName, where, reserved);

        List<FieldModel> fields = [];
        foreach (IPropertySymbol property in type.GetMembers().OfType<IPropertySymbol>())
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (ParseField(property) is { } field) fields.Add(field);
        }
        fields = Order(fields, version);
        if (fields.Count == 0 && _problems.Count == 0) Report(Diagnostics.WrongAttribute, where, type.Name,
            "a record needs a property with [Field], [Utf8] or [Bytes]");
        EquatableArray<string> containers = Containers(type, where);
        RecordModel model = new(
            type.ContainingNamespace.IsGlobalNamespace ? ""
                : type.ContainingNamespace.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat).Replace("global::", ""), containers,
                Escaped(type.Name),
            WithContainers(type).All(t => t.DeclaredAccessibility == Accessibility.Public) ? "public" : "internal",
                type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat), id, version, readableFrom,
                new([.. fields]), default, where);
        if (type.ContainingNamespace.GetTypeMembers(model.ExtensionsName).Length > 0)
            Report(Diagnostics.TakenName, where, type.Name, model.ExtensionsName);
        for (int v = 1; v <= version && _problems.Count == 0; v++)
        {
            if (model.RecordBytes(v) > PageRoom) Report(Diagnostics.TooLarge, where, type.Name, model.RecordBytes(v).ToString(),
                v.ToString());
            else if (model.FixedBytes(v) == 0) Report(Diagnostics.WrongAttribute, where, type.Name, $"version {v} has no fields");
        }
        return model with { Problems = new([.. _problems]) };
    }

    private FieldModel? ParseField(IPropertySymbol property)
    {
        AttributeData[] attributes = [.. property.GetAttributes().Where(a =>
            a.AttributeClass?.ContainingNamespace.ToDisplayString() == "MemPrims.Records"
            && a.AttributeClass.Name is "FieldAttribute" or "Utf8Attribute" or "BytesAttribute")];
        if (attributes.Length == 0) return null;
        Place? where = Place.Of(property.Locations.FirstOrDefault());
        AttributeData attribute = attributes[0];
        if (attributes.Length > 1)
        {
            Report(Diagnostics.WrongAttribute, where, property.Name,
                "a property is one field: leave one attribute of [Field], [Utf8] and [Bytes]");
            return null;
        }
        if (property.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax() is not PropertyDeclarationSyntax syntax
            || !syntax.Modifiers.Any(SyntaxKind.PartialKeyword))
        {
            Report(Diagnostics.NotPartial, where, property.Name);
            return null;
        }
        int id = attribute.ConstructorArguments.Length == 1 && attribute.ConstructorArguments[0].Value is int number ? number : -1;
        int since = Named(attribute, "Since", 1), length = Named(attribute, "Length", 0), max = Named(attribute, "Max", 0);
        // Both parts of a property have these.
        string[] modifiers = [.. syntax.Modifiers.Where(m => m.Kind() is SyntaxKind.UnsafeKeyword or SyntaxKind.ReadOnlyKeyword
            or SyntaxKind.NewKeyword).Select(m => m.Text + " ")];
        if (property.IsRequired) Report(Diagnostics.WrongAccessors, where, property.Name, "{ get; set; }' and without 'required");
        FieldModel field = new(Escaped(property.Name), SyntaxFacts.GetText(property.DeclaredAccessibility), string.Concat(modifiers),
            property.Type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat),
            "", "", "", DescriptorBytes, attribute.NamedArguments.Any(a => a.Key == "Length") ? FieldKind.Array : FieldKind.Number,
            false, false, false, id, since, length, max, 0, where);
        return attribute.AttributeClass!.Name == "FieldAttribute"
            ? ParseFixed(property, syntax, field)
            : ParseVariable(property, syntax,
                field with { Kind = attribute.AttributeClass.Name == "Utf8Attribute" ? FieldKind.Text : FieldKind.Bytes });
    }

    private FieldModel? ParseVariable(IPropertySymbol property, PropertyDeclarationSyntax syntax, FieldModel field)
    {
        bool isString = field.Kind == FieldKind.Text && property.Type.SpecialType == SpecialType.System_String;
        if (!isString
            && SpanOf(property.Type, "ReadOnlySpan") is not { SpecialType: SpecialType.System_Byte }) return Unsupported(property, field);
        if (isString && property.Type.NullableAnnotation == NullableAnnotation.Annotated) return Unsupported(property, field);
        if (isString && property.ContainingType.GetMembers(property.Name + "Utf8").Length > 0) Report(Diagnostics.ReservedName,
            field.Where, property.Name + "Utf8");
        if (field.Max is < 1 or > PageRoom) Report(Diagnostics.NoMaximum, field.Where, property.Name);
        RequireAccessors(syntax, property, field, setter: true);
        return field with { Code = field.Kind == FieldKind.Text ? "utf8" : "bytes", IsString = isString };
    }

    private FieldModel? ParseFixed(IPropertySymbol property, PropertyDeclarationSyntax syntax, FieldModel field)
    {
        bool isArray = field.Kind == FieldKind.Array;
        ITypeSymbol? element = isArray ? SpanOf(property.Type, "Span") : Unwrapped(property.Type);
        string why = "";
        if (element is null || ValueTypes.Find(element, out why) is not { } value)
        {
            if (why.Length == 0) return Unsupported(property, field);
            Report(Diagnostics.UnsettledStruct, field.Where, property.Name, element!.ToDisplayString(), why);
            return null;
        }
        // The elements of an array are handed out in place, so that each must be stored as it is in memory.
        if (isArray && value.Stored.Length > 0) return Unsupported(property, field);
        if (isArray && field.Length is < 1 or > PageRoom) Report(Diagnostics.WrongAttribute, field.Where, property.Name,
            "Length is from 1 to 4064");
        RequireAccessors(syntax, property, field, setter: !isArray);
        return field with
        {
            Element = element.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat),
            Code = value.Code,
            Stored = value.Stored,
            ElementSize = value.Size,
            ElementAlignment = value.Alignment,
            IsInteger = value.IsInteger && !isArray && !IsNullable(property.Type),
            IsNullable = !isArray && IsNullable(property.Type),
        };
    }

    // By id, each with its offset.
    private List<FieldModel> Order(List<FieldModel> fields, int version)
    {
        List<FieldModel> ordered = [];
        int offset = 0, since = 1;
        foreach (FieldModel field in fields.OrderBy(f => f.Id))
        {
            FieldModel? before = ordered.LastOrDefault();
            int next = before is null ? 0 : before.Id + 1;
            if (before?.Id == field.Id) Report(Diagnostics.DuplicateId, field.Where, before.Name, field.Name, field.Id.ToString());
            else if (field.Id != next) Report(Diagnostics.GappedIds, field.Where, field.Name, field.Id.ToString(), next.ToString());
            if (field.Since < since || field.Since > version) Report(Diagnostics.SinceOutOfOrder, field.Where, field.Name,
                field.Since.ToString(), since.ToString(), version.ToString());
            since = Math.Max(since, field.Since);
            offset = (offset + field.Alignment - 1) & -field.Alignment;
            ordered.Add(field with { Offset = offset });
            offset += field.FixedSize;
        }
        return ordered;
    }

    private EquatableArray<string> Containers(INamedTypeSymbol type, Place? where)
    {
        List<string> containers = [];
        foreach (INamedTypeSymbol outer in WithContainers(type).Skip(1))
        {
            TypeDeclarationSyntax? syntax = outer.DeclaringSyntaxReferences.Select(r =>
                r.GetSyntax()).OfType<TypeDeclarationSyntax>().FirstOrDefault();
            if (syntax is null || !syntax.Modifiers.Any(SyntaxKind.PartialKeyword) || outer.IsGenericType) Report(Diagnostics.WrongPlace,
                where, type.Name, outer.Name);
            else
            {
                string kind = outer.TypeKind == TypeKind.Struct ? "struct" : outer.TypeKind == TypeKind.Interface ? "interface" : "class";
                containers.Insert(0, $"partial {(outer.IsRecord ? "record " : "")}{kind} {Escaped(outer.Name)}");
            }
        }
        if (WithContainers(type).FirstOrDefault(t => t.DeclaredAccessibility is Accessibility.Private or Accessibility.Protected
            or Accessibility.ProtectedAndInternal) is { } hidden) Report(Diagnostics.WrongPlace, where, type.Name, hidden.Name);
        return new([.. containers]);
    }

    private void RequireAccessors(PropertyDeclarationSyntax syntax, IPropertySymbol property, FieldModel field, bool setter)
    {
        bool has = property.GetMethod is not null && (property.SetMethod is { IsInitOnly: false }) == setter
            && (setter || property.SetMethod is null)
            && !property.IsStatic && syntax.AccessorList?.Accessors.All(a => a.Modifiers.Count == 0) == true;
        if (!has) Report(Diagnostics.WrongAccessors, field.Where, property.Name, setter ? "{ get; set; }" : "{ get; }");
    }

    private FieldModel? Unsupported(IPropertySymbol property, FieldModel field)
    {
        Report(Diagnostics.UnsupportedType, field.Where, property.Name, property.Type.ToDisplayString());
        return null;
    }

    private void Report(DiagnosticDescriptor descriptor, Place? where, params string[] arguments) =>
        _problems.Add(new(descriptor, where, new(arguments)));

    private static string Escaped(string name) => SyntaxFacts.GetKeywordKind(name) != SyntaxKind.None
        || SyntaxFacts.GetContextualKeywordKind(name) != SyntaxKind.None ? "@" + name : name;

    private static IEnumerable<INamedTypeSymbol> WithContainers(INamedTypeSymbol type)
    {
        for (INamedTypeSymbol? t = type; t is not null; t = t.ContainingType) yield return t;
    }

    private static bool IsNullable(ITypeSymbol type) => type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T;

    private static ITypeSymbol Unwrapped(ITypeSymbol type) => IsNullable(type) ? ((INamedTypeSymbol)type).TypeArguments[0] : type;

    private static ITypeSymbol? SpanOf(ITypeSymbol type, string name) =>
        type is INamedTypeSymbol { TypeArguments.Length: 1 } span && span.Name == name
            && span.ContainingNamespace.ToDisplayString() == "System" ? span.TypeArguments[0] : null;

    private static int Named(AttributeData attribute, string name, int otherwise) =>
        attribute.NamedArguments.Where(a => a.Key == name).Select(a => a.Value.Value as int?).FirstOrDefault() ?? otherwise;
}
