using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Wire;

/// <summary>What a caller did wrong, told away from the code that finds it.</summary>
internal static class MessageErrors
{
    public static ArgumentException WrongType<T>(MessageField field) => new(
        $"{field} is {Article(field)}; it is read and set as {Expected(field)}, not as {typeof(T)}.");

    public static ArgumentException WrongObject(MessageField field, object value) => new(
        $"{field} is {Article(field)}; it is read and set as {Expected(field)}, not as {value.GetType()}.");

    [DoesNotReturn]
    public static void OtherMessage(MessageField field, MessageType type) =>
        throw new ArgumentException($"{field} is a field of {field.Type.FullName}; this message is a {type.FullName}{(field.Type.FullName == type.FullName ? " of another schema" : "")}.");

    [DoesNotReturn]
    public static void WrongMessage(MessageField field, MessageType given) =>
        throw new ArgumentException($"{field} holds messages of {field.MessageType!.FullName}; a {given.FullName} was given{(field.MessageType.FullName == given.FullName ? ", of another schema" : "")}.");

    [DoesNotReturn]
    public static void IsRepeated(MessageField field) =>
        throw new ArgumentException($"{field} is repeated: read it by CountOf, GetAt or GetSpan, change it by Add, SetAt and Clear.");

    [DoesNotReturn]
    public static void IsNotRepeated(MessageField field) => throw new ArgumentException($"{field} is not repeated: read it by Get and set it by Set.");

    [DoesNotReturn]
    public static void OutOfRange(MessageField field, int index, int count) =>
        throw new ArgumentOutOfRangeException(nameof(index), index, $"{field} has {count} values.");

    [DoesNotReturn]
    public static void NotUtf8(MessageField field) => throw new ArgumentException($"The bytes given for {field} are not UTF-8. A field for any bytes is declared as bytes.");

    [DoesNotReturn]
    public static void HalfSurrogate(string path) =>
        throw new WireException("the text has half of a surrogate pair, which UTF-8 cannot express", -1, path);

    private static string Article(MessageField field) => field.IsMap ? "a map of entry messages" : field.IsRepeated ? $"repeated {field.Kind}" : $"of the kind {field.Kind}";

    private static string Expected(MessageField field) => field.Kind switch
    {
        FieldKind.String => "string or ReadOnlyMemory<byte> (its UTF-8)",
        FieldKind.Bytes => "byte[] or ReadOnlyMemory<byte>",
        FieldKind.Message or FieldKind.Group => "Message",
        FieldKind.Enum => "int (or the name, by GetName)",
        _ => Scalars.TypeOf(field.Kind)!.Name,
    };
}
