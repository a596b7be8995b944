namespace MemPrims.Channels.Link;

/// <summary>What a packet or an entry of the ring is. PROTOCOL.md has the layouts.</summary>
internal enum PacketKind : byte
{
    /// <summary>A whole message; the payload follows. In a packet and in the ring.</summary>
    Whole = 1,

    /// <summary>
    /// A packet with a part of a message: Id tells which, Offset where. The parts of one message come in order; those of several senders
    /// may mix.
    /// </summary>
    Fragment = 2,

    /// <summary>A packet: what this end sends next lies in its ring.</summary>
    Switch = 3,

    /// <summary>An entry of the ring: what follows lies in the large ring.</summary>
    Grow = 4,

    /// <summary>What an end has to offer: the first packet in each direction of a new connection.</summary>
    Hello = 5,

    /// <summary>A packet that wakes a receiver that sleeps on the socket, for a message in the ring. It says nothing.</summary>
    Bell = 6,

    /// <summary>A packet with the descriptors of the message that begins at position Id of the ring.</summary>
    Handles = 7,
}
