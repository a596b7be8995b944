namespace MemPrims.Channels;

// Which way messages go; see the tables in ARCHITECTURE.md. A sender begins with packets.
internal enum Way
{
    // Nobody has received. The end can be passed on.
    Fresh,
    // Packets of the socket.
    Packets,
    // Entries of the ring; in the socket the rest.
    Ring,
}
