namespace MemPrims.Wire;

// Errors of callers, made here to keep the code that finds them small.
internal static class MessageErrors
{
    public static ArgumentException WrongType(MessageField field, Type given) => new(
        $"{field} is {Article(field)}; it is read and set as {Expected(field)}, not as {NameOf(given)}.");

    public static ArgumentException OtherMessage(FieldHandle? handle, MessageType type) => handle is null
        ? new ArgumentNullException("field")
        : new ArgumentException($"{handle} is a field of {handle.Type.FullName}; this message is a {type.FullName}"
            + $"{OfAnother(handle.Type.FullName == type.FullName)}.", "field");

    public static ArgumentException WrongMessage(MessageField field, MessageType given) => new(
            $"{field} holds messages of {field.MessageType!.FullName}; a {given.FullName}"
            + $"{OfAnother(field.MessageType.FullName == given.FullName)} was given.");

    public static ArgumentException Repeated(MessageField field) =>
        new($"{field} is repeated: read it by CountOf, GetAt or GetSpan, change it by Add and Clear.");

    public static ArgumentException NotRepeated(MessageField field) =>
        new($"{field} is not repeated: read it by Get and set it by Set.");

    public static ArgumentOutOfRangeException OutOfRange(MessageField field, int index, int count) =>
        new(nameof(index), index, $"{field} has {count} values.");

    public static InvalidOperationException ListIsFull() =>
        new($"A repeated field has at most {Array.MaxLength} values. Split the message.");

    public static ArgumentException NotUtf8(MessageField field) =>
        new($"The bytes given for {field} are not UTF-8. Declare the field as bytes if it holds arbitrary bytes.");

    public static ArgumentException BadKey(MessageField field) =>
        new($"The key given for {field} has half of a surrogate pair, which UTF-8 cannot express.");

    public static InvalidOperationException KeyIsFixed(MessageType entry) => new(
        $"This {entry.FullName} is or was in a map, which finds it by its key: the key cannot be changed. "
        + "Remove it from the map and add a new entry.");

    public static WireException HalfSurrogate(string path) =>
        new("the text has half of a surrogate pair, which UTF-8 cannot express", -1, path);

    public static string OfAnother(bool isSameName) => isSameName ? " of another schema" : "";

    private static string Article(MessageField field) =>
        field.IsMap ? "a map of entry messages" : field.IsRepeated ? $"repeated {field.Kind}" : $"of the kind {field.Kind}";

    private static string Expected(MessageField field) => field.Kind switch
    {
        FieldKind.String => "string or ReadOnlyMemory<byte> (its UTF-8)",
        FieldKind.Bytes => "byte[] or ReadOnlyMemory<byte>",
        FieldKind.Message or FieldKind.Group => "Message",
        FieldKind.Enum => "int or a .NET enum of ints",
        _ => NameOf(Scalars.TypeOf(field.Kind)!),
    };

    // As C# writes it.
    private static string NameOf(Type type) =>
        type == typeof(int) ? "int" : type == typeof(long) ? "long" : type == typeof(uint) ? "uint" : type == typeof(ulong) ? "ulong"
        : type == typeof(bool) ? "bool" : type == typeof(float) ? "float" : type == typeof(double) ? "double"
        : type == typeof(string) ? "string" : type == typeof(byte[]) ? "byte[]" : type == typeof(Message) ? "Message" : type.ToString();
}
