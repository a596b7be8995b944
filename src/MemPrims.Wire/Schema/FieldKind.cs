namespace MemPrims.Wire;

/// <summary>The kinds of a field, numbered as in descriptor.proto.</summary>
public enum FieldKind : byte
{
    /// <summary>A <see cref="double"/>, 8 bytes.</summary>
    Double = 1,

    /// <summary>A <see cref="float"/>, 4 bytes.</summary>
    Float = 2,

    /// <summary>A <see cref="long"/> as a varint; ten bytes when negative.</summary>
    Int64 = 3,

    /// <summary>A <see cref="ulong"/> as a varint.</summary>
    UInt64 = 4,

    /// <summary>An <see cref="int"/> as a varint; ten bytes when negative.</summary>
    Int32 = 5,

    /// <summary>A <see cref="ulong"/>, 8 bytes.</summary>
    Fixed64 = 6,

    /// <summary>A <see cref="uint"/>, 4 bytes.</summary>
    Fixed32 = 7,

    /// <summary>A <see cref="bool"/>.</summary>
    Bool = 8,

    /// <summary>Text: a <see cref="string"/>, or its UTF-8.</summary>
    String = 9,

    /// <summary>A message between a start tag and an end tag.</summary>
    Group = 10,

    /// <summary>A message after its length.</summary>
    Message = 11,

    /// <summary>Bytes.</summary>
    Bytes = 12,

    /// <summary>A <see cref="uint"/> as a varint.</summary>
    UInt32 = 13,

    /// <summary>An enum: an <see cref="int"/>.</summary>
    Enum = 14,

    /// <summary>An <see cref="int"/>, 4 bytes.</summary>
    SFixed32 = 15,

    /// <summary>A <see cref="long"/>, 8 bytes.</summary>
    SFixed64 = 16,

    /// <summary>An <see cref="int"/> as a zigzag varint.</summary>
    SInt32 = 17,

    /// <summary>A <see cref="long"/> as a zigzag varint.</summary>
    SInt64 = 18,
}

/// <summary>How often a field occurs.</summary>
public enum FieldLabel : byte
{
    /// <summary>Once at most.</summary>
    Optional = 1,

    /// <summary>Exactly once.</summary>
    Required = 2,

    /// <summary>Any number of times.</summary>
    Repeated = 3,
}

/// <summary>What follows a tag.</summary>
public enum WireType : byte
{
    /// <summary>A varint.</summary>
    Varint = 0,

    /// <summary>Eight bytes.</summary>
    Fixed64 = 1,

    /// <summary>A length and that many bytes.</summary>
    Bytes = 2,

    /// <summary>Fields up to the end tag.</summary>
    StartGroup = 3,

    /// <summary>The end tag itself.</summary>
    EndGroup = 4,

    /// <summary>Four bytes.</summary>
    Fixed32 = 5,
}
