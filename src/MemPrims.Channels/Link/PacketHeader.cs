namespace MemPrims.Channels.Link;

// The 32 bytes before every payload, in a packet and in the ring. No packet is empty: it would read like the end of the connection.
internal struct PacketHeader(PacketKind kind, long total)
{
    public const int Size = 32;
    private const uint Magic = 0x3243_504D;

    private uint _magic = Magic;
    public PacketKind Kind = kind;
    public byte Handles;

    // The processor that the sender ran on: a receiver on the same one does not spin.
    public ushort Processor = (ushort)Posix.SchedGetcpu();

    public long Total = total;
    public ulong Id;
    public long Offset;

    public readonly bool IsOurs => _magic == Magic;

    // Whether it says no more than its kind.
    public readonly bool IsBare => Total == 0 && Offset == 0 && Id == 0 && Handles == 0;

    public readonly IpcProtocolException Lie(int length) =>
        new(IpcFault.BadHeader, $"A packet with {length} bytes of payload has a header that cannot be true: {this}");

    public readonly IpcProtocolException LieInRing() =>
        new(IpcFault.BadHeader, $"An entry of the ring has a header that cannot be true: {this}");

    public override readonly string ToString() => $"{Kind} of {Total} bytes, id {Id:x}, offset {Offset}, {Handles} descriptors";
}
