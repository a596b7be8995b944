namespace MemPrims.Channels.Link;

// What a packet or an entry of the ring is. PROTOCOL.md has the layouts.
internal enum PacketKind : byte
{
    // A whole message; the payload follows. In a packet and in the ring.
    Whole = 1,
    // A packet with a part of a message: Id tells which, Offset where. They come in order; those of several senders may mix.
    Fragment = 2,
    // A packet: what this end sends next lies in its ring.
    Switch = 3,
    // An entry of the ring: what follows lies in the large ring.
    Grow = 4,
    // What an end has to offer: the first packet in each direction of a new connection.
    Hello = 5,
    // A packet that wakes a receiver that sleeps on the socket, for a message in the ring. It says nothing.
    Bell = 6,
    // A packet with the descriptors of the message that begins at position Id of the ring.
    Handles = 7,
}
