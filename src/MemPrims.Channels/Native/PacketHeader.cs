namespace MemPrims.Channels.Native;

/// <summary>What a packet is.</summary>
internal enum PacketKind : byte
{
    /// <summary>A whole message; the payload follows.</summary>
    Whole = 1,

    /// <summary>
    /// A part of a message: Id tells which, Offset where. The parts of one message come in order; those of several senders may mix.
    /// </summary>
    Fragment = 2,

    /// <summary>A message whose payload lies in the ring, from position Id on.</summary>
    Ring = 3,

    /// <summary>A message whose payload lies in a segment: Id holds its number and generation, Offset and Total where.</summary>
    Segment = 4,

    /// <summary>What an end has to offer: the first packet in each direction of a new connection.</summary>
    Hello = 5,
}

/// <summary>
/// The 32 bytes before every payload. An empty packet would read like the end of the connection, so there is none.
/// </summary>
internal struct PacketHeader
{
    public const int Size = 32;
    private const uint Magic = 0x3143_504D;

    private uint _magic;
    public PacketKind Kind;
    public byte Handles;

    /// <summary>The processor that the sender ran on: a receiver on the same one does not spin.</summary>
    public ushort Processor;

    public long Total;
    public ulong Id;
    public long Offset;

    public PacketHeader(PacketKind kind, long total)
    {
        _magic = Magic;
        Kind = kind;
        Processor = (ushort)Posix.CurrentProcessor();
        Total = total;
    }

    public readonly bool IsOurs => _magic == Magic;

    public override readonly string ToString() => $"{Kind} of {Total} bytes, id {Id:x}, offset {Offset}, {Handles} descriptors";
}
