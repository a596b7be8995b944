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

    private const int MostFields = 6;

    private const string Time = "1 Int64 seconds, 2 Int32 nanos";

    // Each has a wrapper of its name: Int32Value.
    private static readonly string[] s_wrapped = ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"];

    public static WellKnown Recognize(MessageType type) => type.Fields.Count > MostFields ? WellKnown.None
        : (type.Name, ShapeOf(type)) switch
        {
            ("Any", "1 String type_url, 2 Bytes value") => WellKnown.Any,
            ("Timestamp", Time) => WellKnown.Timestamp,
            ("Duration", Time) => WellKnown.Duration,
            ("FieldMask", "1 list of String paths") => WellKnown.FieldMask,
            ("Struct", "1 map of (1 String key, 2 google.protobuf.Value value) fields") => WellKnown.Struct,
            ("ListValue", "1 list of google.protobuf.Value values") => WellKnown.ListValue,
            ("Value", "1 Enum null_value, 2 Double number_value, 3 String string_value, 4 Bool bool_value, "
                + "5 google.protobuf.Struct struct_value, 6 google.protobuf.ListValue list_value") => WellKnown.Value,
            var (name, shape) => Array.Exists(s_wrapped, kind => name == $"{kind}Value" && shape == $"1 {kind} value")
                ? WellKnown.Wrapper : WellKnown.None,
        };

    private static string ShapeOf(MessageType type) => string.Join(", ", type.Fields.Select(field => $"{field.Number} "
        + (field.IsMap ? $"map of ({ShapeOf(field.MessageType!)})" : (field.IsRepeated ? "list of " : "")
            + (field.MessageType?.FullName ?? $"{field.Kind}")) + $" {field.Name}"));
}
