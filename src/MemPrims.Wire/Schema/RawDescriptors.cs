namespace MemPrims.Wire;

// What a FileDescriptorSet says, before any name is resolved: one class per message of descriptor.proto, with the fields that matter here.
// There are no lists of tuples or other structs here or in SchemaBuilder: the code of a List<T> of each of them is compiled anew, which
// delays the first message of a process.

internal sealed class RawFile
{
    public string Name = "", Package = "", Syntax = "";
    public int Edition;
    public List<string> Imports = [];
    public List<RawMessage> Messages = [];
    public List<RawEnum> Enums = [];
    public List<RawField> Extensions = [];
    public Features Features;

    public List<int>? PublicImports;

    // The last file whose types were looked for here.
    public RawFile? SeenBy;

    // Whether the check of the imports has begun, and whether it is done.
    public bool IsOpen, IsChecked;
}

internal sealed class RawMessage
{
    public string Name = "";
    public List<RawField> Fields = [], Extensions = [];
    public List<RawMessage> Messages = [];
    public List<RawEnum> Enums = [];
    public List<string> Oneofs = [];

    // Start and end of each range, one after the other.
    public List<int> ExtensionRanges = [];
    public bool IsMapEntry, IsMessageSet;
    public Features Features;
}

internal sealed class RawField
{
    public string Name = "", Extendee = "", TypeName = "", JsonName = "";
    public int Number, Label, Kind, Oneof = -1;
    public byte[]? Default;
    public bool? Packed;
    public bool IsProto3Optional;
    public Features Features;
}

internal sealed class RawEnum
{
    public string Name = "";
    public List<string> Names = [];
    public List<int> Numbers = [];
    public bool AllowsAlias;
    public Features Features;
}

// The features of an edition that the wire and JSON depend on; 0 if a level does not set one: then the level above counts.
internal struct Features
{
    public byte Presence, EnumType, Repeated, Utf8, Encoding;

    public const byte Explicit = 1, Implicit = 2, LegacyRequired = 3;
    public const byte Open = 1, Closed = 2;
    public const byte Packed = 1, Expanded = 2;
    public const byte Verify = 2, NoCheck = 3;
    public const byte LengthPrefixed = 1, Delimited = 2;

    // As descriptor.proto numbers the editions. 2024 changes nothing on the wire.
    public const int Edition2023 = 1000, Edition2024 = 1001;

    public static Features Proto2 => new()
    {
        Presence = Explicit, EnumType = Closed, Repeated = Expanded, Utf8 = NoCheck, Encoding = LengthPrefixed,
    };

    public static Features Proto3 => new()
    {
        Presence = Implicit, EnumType = Open, Repeated = Packed, Utf8 = Verify, Encoding = LengthPrefixed,
    };

    public static Features Edition => Proto3 with { Presence = Explicit };

    public readonly Features Over(Features above) => new()
    {
        Presence = Presence != 0 ? Presence : above.Presence,
        EnumType = EnumType != 0 ? EnumType : above.EnumType,
        Repeated = Repeated != 0 ? Repeated : above.Repeated,
        Utf8 = Utf8 != 0 ? Utf8 : above.Utf8,
        Encoding = Encoding != 0 ? Encoding : above.Encoding,
    };
}
