namespace MemPrims.Wire;

// What encoding and decoding do with a field. Up to 18 these are the FieldKinds; the flag Repeated is added if the field has a list.
internal enum Op : byte
{
    Double = 1, Float, Int64, UInt64, Int32, Fixed64, Fixed32, Bool, String, Group, Message, Bytes, UInt32, Enum, SFixed32, SFixed64,
    SInt32, SInt64,

    // An enum that keeps only the values it declares; others go to the unknown fields.
    ClosedEnum,

    // Text that the schema does not want checked.
    RawString,

    // An extension of a message set, which is written as a group of its number and its bytes.
    SetItem,

    Repeated = 0x20,
}

// An entry of the flat table of a message, in the order of the field numbers. The index in the table is the field's slot.
internal struct FieldOp
{
    // The bytes of the tag, in the highest bytes of a word: encoding goes backwards, and stores all eight.
    public ulong TagTop;

    // The tag as a number; for packed fields that of the packed form.
    public uint Tag;

    // The other form of a repeated scalar, packed or not, which is read as well; 0 if there is none.
    public uint OtherTag;

    public byte TagLength;

    public Op Code;

    // Without presence: a value that is zero or empty is not there.
    public bool IsImplicit;

    public bool IsPacked;

    public bool IsInOneof;

    public MessageField Field;

    public MessageType? Type;
}
