namespace MemPrims.Channels.Link;

/// <summary>A packet that came. <see cref="Length"/> counts its payload; -1 when none came, and 0 at the end, where it is <see
/// cref="IsEnd"/>.</summary>
internal struct Packet
{
    public PacketHeader Header;
    public SafeHandle[]? Handles;
    public int Length;
    public bool IsEnd;

    /// <summary>This process had no numbers left for the descriptors: they are gone.</summary>
    public bool LostHandles;
}
