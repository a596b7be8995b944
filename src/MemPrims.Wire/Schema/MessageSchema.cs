namespace MemPrims.Wire;

/// <summary>
/// The messages, enums and extensions of a set of .proto files, loaded from what <c>protoc --descriptor_set_out --include_imports</c>
/// writes. It does not change after loading and may be used by several threads.
/// </summary>
/// <remarks>
/// Load a schema once and keep it. Its types, fields and handles are its own: those of a second <see cref="Load"/>, also of the same
/// bytes, are others. A message refuses their handles and their messages by an <see cref="ArgumentException"/> that says so, and no
/// message equals one of another schema. What crosses between the two is the encoding, and names and numbers of fields.
/// </remarks>
public sealed class MessageSchema
{
    private readonly NameScope _root;

    private MessageType? _empty;

    internal MessageSchema(NameScope root, IReadOnlyList<MessageType> messages, IReadOnlyList<EnumType> enums,
        IReadOnlyList<MessageField> extensions)
    {
        _root = root;
        Messages = messages;
        Enums = enums;
        Extensions = extensions;
    }

    /// <summary>The messages, file by file as in the descriptor set (imports first), without the entries of maps.</summary>
    public IReadOnlyList<MessageType> Messages { get; }

    /// <summary>The enums in the order of their declaration.</summary>
    public IReadOnlyList<EnumType> Enums { get; }

    /// <summary>The extensions in the order of their declaration.</summary>
    public IReadOnlyList<MessageField> Extensions { get; }

    /// <summary>The message of a full name, as <c>pkg.Outer.Inner</c>.</summary>
    /// <exception cref="KeyNotFoundException">There is none.</exception>
    public MessageType this[string fullName] =>
        TryGetMessage(fullName, out MessageType? type) ? type
        : throw new KeyNotFoundException(NoMessage(fullName));

    // Messages of the same last name are what was meant, most likely; Google's own are not.
    private string NoMessage(string name)
    {
        string last = name[(name.LastIndexOf('.') + 1)..];
        MessageType[] like = [.. Messages.Where(type => type.Name.Equals(last, StringComparison.OrdinalIgnoreCase)).Take(3)];
        string hint = like.Length > 0 ? $"Did you mean {string.Join(" or ", like.Select(type => type.FullName))}?"
            : Messages.Count == 0 ? "It has none: is it what protoc --descriptor_set_out wrote?"
            : "Names are full, with the package: "
                + string.Join(", ", Messages.Where(type => !type.File.StartsWith("google/", StringComparison.Ordinal)).Take(5)) + ", …";
        return $"The schema has no message '{PathText.Shown(name)}'. {hint}";
    }

    /// <summary>Loads a FileDescriptorSet.</summary>
    /// <exception cref="WireException">
    /// It is damaged, contradicts itself, or is above the limits; the path is file, message and field.
    /// </exception>
    public static MessageSchema Load(ReadOnlySpan<byte> fileDescriptorSet, SchemaLimits? limits = null) =>
        new SchemaBuilder(DescriptorReader.Read(fileDescriptorSet, limits ?? SchemaLimits.Default),
            limits ?? SchemaLimits.Default).Build();

    // The type that an Any names. The one without fields, google.protobuf.Empty, is known without loading it.
    internal bool TryGetByUrl(string url, [NotNullWhen(true)] out MessageType? type)
    {
        type = null;
        int slash = url.LastIndexOf('/');
        if (slash < 0) return false;
        string name = url[(slash + 1)..];
        if (TryGetMessage(name, out type)) return true;
        if (name == "google.protobuf.Empty") type = _empty ??= MakeEmpty();
        return type is not null;
    }

    private MessageType MakeEmpty()
    {
        NameScope package = new(new(new(null, ""), "google"), "protobuf");
        MessageType empty = new(new(package, "Empty"), "Empty", "google/protobuf/empty.proto", false, false) { Schema = this };
        empty.Compile();
        return empty;
    }

    /// <summary>The message of a full name.</summary>
    public bool TryGetMessage(string fullName, [NotNullWhen(true)] out MessageType? type)
    {
        type = Find(fullName) as MessageType;
        return type is not null;
    }

    /// <summary>The enum of a full name.</summary>
    public bool TryGetEnum(string fullName, [NotNullWhen(true)] out EnumType? type)
    {
        type = Find(fullName) as EnumType;
        return type is not null;
    }

    private object? Find(string fullName) => _root.Find(fullName ?? throw new ArgumentNullException(nameof(fullName)));
}
