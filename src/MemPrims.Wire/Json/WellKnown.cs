namespace MemPrims.Wire;

// The messages that have a form of their own in JSON.
internal enum WellKnown : byte
{
    None, Any, Timestamp, Duration, FieldMask, Struct, Value, ListValue, Wrapper,
}

// Tells well-known types by name and shape: one of the name and another shape is an ordinary message.
internal static class WellKnownTypes
{
    public const string Package = "google.protobuf", NullValue = Package + ".NullValue";

    private const string Value = Package + ".Value", Struct = Package + ".Struct", ListValue = Package + ".ListValue";

    // Each has a wrapper of its name: Int32Value.
    private static readonly FieldKind[] s_wrapped =
    [
        FieldKind.Double, FieldKind.Float, FieldKind.Int64, FieldKind.UInt64, FieldKind.Int32, FieldKind.UInt32, FieldKind.Bool,
        FieldKind.String, FieldKind.Bytes,
    ];

    // Which one a message of the package is.
    public static WellKnown Recognize(MessageType type) => type.Name switch
    {
        "Any" when Has(type, (1, "type_url", FieldKind.String), (2, "value", FieldKind.Bytes)) => WellKnown.Any,
        "Timestamp" when Has(type, (1, "seconds", FieldKind.Int64), (2, "nanos", FieldKind.Int32)) => WellKnown.Timestamp,
        "Duration" when Has(type, (1, "seconds", FieldKind.Int64), (2, "nanos", FieldKind.Int32)) => WellKnown.Duration,
        "FieldMask" when type.Fields is [{ Number: 1, Name: "paths", Kind: FieldKind.String, IsRepeated: true }] =>
            WellKnown.FieldMask,
        "Struct" when IsStruct(type) => WellKnown.Struct,
        "Value" when IsValue(type) => WellKnown.Value,
        "ListValue" when type.Fields is [{ Number: 1, Name: "values", IsRepeated: true, MessageType.FullName: Value }] =>
            WellKnown.ListValue,
        var name when type.Fields is [{ Number: 1, Name: "value", IsRepeated: false } wrapped]
            && Array.IndexOf(s_wrapped, wrapped.Kind) >= 0 && name == $"{wrapped.Kind}Value" => WellKnown.Wrapper,
        _ => WellKnown.None,
    };

    private static bool Has(MessageType type, params ReadOnlySpan<(int Number, string Name, FieldKind Kind)> fields)
    {
        if (type.Fields.Count != fields.Length) return false;
        for (int i = 0; i < fields.Length; i++)
        {
            MessageField field = type.Fields[i];
            if ((field.Number, field.Name, field.Kind) != fields[i] || field.IsRepeated) return false;
        }
        return true;
    }

    private static bool IsStruct(MessageType type) =>
        type.Fields is [{ Number: 1, Name: "fields", IsMap: true } fields] && fields.MessageType!.Fields[0].Kind == FieldKind.String
        && fields.MessageType.Fields[1].MessageType?.FullName == Value;

    private static bool IsValue(MessageType type) => type.Fields is
        [
            { Number: 1, Kind: FieldKind.Enum, IsRepeated: false }, { Number: 2, Kind: FieldKind.Double, IsRepeated: false },
            { Number: 3, Kind: FieldKind.String, IsRepeated: false }, { Number: 4, Kind: FieldKind.Bool, IsRepeated: false },
            { Number: 5, IsRepeated: false, MessageType.FullName: Struct },
            { Number: 6, IsRepeated: false, MessageType.FullName: ListValue },
        ];
}
