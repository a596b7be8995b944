namespace MemPrims.Channels.Link;

// How ringing a peer's bell went.
internal enum BellOutcome
{
    // A packet wakes the peer: this one, or one of those that fill its socket.
    Rung,

    // The kernel had no memory for the packet.
    NoMemory,

    // The peer has ended, or this end was disposed.
    PeerGone,
}
