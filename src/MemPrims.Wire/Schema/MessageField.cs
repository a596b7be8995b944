namespace MemPrims.Wire;

/// <summary>A field of a message, or an extension of it.</summary>
public sealed class MessageField
{
    private readonly NameScope _scope;
    private readonly string _simpleName;

    // scope: what declares it: the message, or where the extension is written.
    internal MessageField(MessageType owner, NameScope scope, string simpleName, string name, string jsonName, int number, string file)
    {
        Type = owner;
        (_scope, _simpleName, File) = (scope, simpleName, file);
        Name = name;
        JsonName = jsonName;
        Number = number;
    }

    /// <summary>The message that has it; of an extension, the message that it extends.</summary>
    public MessageType Type { get; }

    /// <summary>What methods call it: the declared name, or <c>[full.name]</c> of an extension.</summary>
    public string Name { get; }

    /// <summary>The name with the package and message that declare it.</summary>
    public string FullName => field ??= _scope.FullNameOf(_simpleName);

    /// <summary>
    /// The name in JSON, as the schema says. Where another field of the message has the same, one of the two is written by its
    /// <see cref="Name"/>.
    /// </summary>
    public string JsonName { get; }

    /// <summary>The number on the wire.</summary>
    public int Number { get; }

    /// <summary>The kind of its values.</summary>
    public FieldKind Kind { get; internal set; }

    /// <summary>How often it occurs.</summary>
    public FieldLabel Label { get; internal set; }

    /// <summary>Whether it has a list of values; a map has, too.</summary>
    public bool IsRepeated => Label == FieldLabel.Repeated;

    /// <summary>Whether it must be set: decoding refuses a message without it, unless AllowPartial is set.</summary>
    public bool IsRequired => Label == FieldLabel.Required;

    /// <summary>Whether it is a map: its values are entry messages, with a typed view beside them.</summary>
    public bool IsMap => IsRepeated && MessageType is { IsMapEntry: true };

    /// <summary>Whether it is an extension.</summary>
    public bool IsExtension { get; internal set; }

    /// <summary>Whether Has tells "set to the default" from "not set": then Has is true after Set(0).</summary>
    public bool HasPresence { get; internal set; }

    /// <summary>Whether its values are written after one tag.</summary>
    public bool IsPacked { get; internal set; }

    /// <summary>Whether its text is checked to be UTF-8.</summary>
    public bool IsUtf8Checked { get; internal set; }

    /// <summary>The oneof that it is in; null if in none. <c>optional</c> in proto3 does not count as a oneof.</summary>
    public Oneof? Oneof { get; internal set; }

    /// <summary>The type of its messages.</summary>
    public MessageType? MessageType { get; internal set; }

    /// <summary>The type of its enum values.</summary>
    public EnumType? EnumType { get; internal set; }

    /// <summary>Whether the schema declares a default of its own.</summary>
    public bool HasDefault { get; internal set; }

    /// <summary>
    /// What it is when not set: the declared default or the zero of its kind, an <see cref="int"/> for an enum, null for a message. For a
    /// repeated field, the zero of its elements.
    /// </summary>
    public object? DefaultValue => Element.Default<object?>(this);

    // Its name in JSON, and the one in JSON by names of the schema: each such that a parser takes it for this field.
    internal string WrittenName => field ??= Type.JsonNames[JsonName] == this ? JsonName : Name;

    internal string WrittenOwnName => field ??= Type.JsonNames[Name] == this ? Name : JsonName;

    internal string File { get; }

    // Its place in the table and, in small messages, in the slots.
    internal int Index { get; set; }

    internal FieldDefault Defaults { get; set; } = FieldDefault.Zero;

    internal bool IsMapKey => Number == 1 && Type.IsMapEntry;

    internal string KindName => Kind.ToString().ToLowerInvariant();

    internal bool IsMessage => Kind is FieldKind.Message or FieldKind.Group;

    internal bool IsText => Kind is FieldKind.String or FieldKind.Bytes;

    /// <inheritdoc/>
    public override string ToString() => IsExtension ? FullName : $"{Type.FullName}.{Name}";
}

// What a field is when it is not set.
internal sealed record FieldDefault(ulong Bits, string Text, byte[] Utf8)
{
    public static FieldDefault Zero { get; } = new(0, "", []);
}
