namespace MemPrims.Channels.Link;

// A packet that came. Its payload lies where it was expected to belong, as far as there was room, and the rest in an overflow.
internal unsafe struct Packet(byte* target, int room, byte* overflow)
{
    public PacketHeader Header;
    public SafeHandle[]? Handles;

    // Of the payload; -1 when no packet came, and 0 at the end, where it is IsEnd.
    public int Length = -1;
    public bool IsEnd;

    public readonly bool FitsTarget => Length <= room;

    public readonly void CopyTo(byte* place)
    {
        int first = Math.Min(Length, room);
        if (place != target) Block.Copy(place, target, first);
        Block.Copy(place + first, overflow, Length - first);
    }
}
