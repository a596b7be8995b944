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

    /// <summary>
    /// As a packet: what this end sends next lies in its ring, from position Id on. As an entry of the ring: what it sends next comes in
    /// packets.
    /// </summary>
    Switch = 3,

    /// <summary>
    /// An entry of the ring: a message whose payload lies in a segment. Id holds its number and generation, Offset and Total where.
    /// </summary>
    Segment = 4,

    /// <summary>What an end has to offer: the first packet in each direction of a new connection.</summary>
    Hello = 5,

    /// <summary>Wakes a receiver that sleeps on the socket, for a message in the ring. It says nothing.</summary>
    Bell = 6,

    /// <summary>The descriptors of the message that begins at position Id of the ring.</summary>
    Handles = 7,
}

/// <summary>
/// The 32 bytes before every payload, in a packet and in the ring. An empty packet would read like the end of the connection, so there is
/// none.
/// </summary>
internal struct PacketHeader
{
    public const int Size = 32;
    private const uint Magic = 0x3243_504D;

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
