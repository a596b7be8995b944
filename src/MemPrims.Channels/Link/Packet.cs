namespace MemPrims.Channels.Link;

// A packet that came. Length counts its payload; -1 when none came, and 0 at the end, where it is IsEnd.
internal struct Packet
{
    public PacketHeader Header;
    public SafeHandle[]? Handles;
    public int Length;
    public bool IsEnd;
}
