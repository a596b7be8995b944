namespace MemPrims.Wire;

/// <summary>
/// What encoding and decoding do with a field: one entry of a message's flat table. Up to 18 these are the <see cref="FieldKind"/>s; the
/// flag
/// <see cref="Repeated"/> is added where the field has a list.
/// </summary>
internal enum Op : byte
{
    Double = 1, Float, Int64, UInt64, Int32, Fixed64, Fixed32, Bool, String, Group, Message, Bytes, UInt32, Enum, SFixed32, SFixed64,
        SInt32, SInt64,

    /// <summary>An enum that keeps only the values it declares; others go to the unknown fields.</summary>
    ClosedEnum,

    /// <summary>Text that the schema does not want checked.</summary>
    RawString,

    /// <summary>An extension of a message set, which is written as a group of its number and its bytes.</summary>
    SetItem,

    Repeated = 0x20,
}

/// <summary>
/// An entry of the flat table of a message, in the order of the field numbers. The index in the table is the field's slot.
/// </summary>
internal struct FieldOp
{
    /// <summary>The bytes of the tag, in the highest bytes of a word: encoding goes backwards, and stores all eight.</summary>
    public ulong TagTop;

    /// <summary>The tag as a number; for packed fields that of the packed form.</summary>
    public uint Tag;

    /// <summary>The other form of a repeated scalar, packed or not, which is read as well; 0 where there is none.</summary>
    public uint OtherTag;

    public byte TagLength;

    public Op Code;

    /// <summary>Without presence: a value that is zero or empty is not there.</summary>
    public bool IsImplicit;

    public bool IsPacked;

    /// <summary>Whether setting it clears others.</summary>
    public bool IsInOneof;

    public MessageField Field;

    /// <summary>The message type of a message field.</summary>
    public MessageType? Type;
}
