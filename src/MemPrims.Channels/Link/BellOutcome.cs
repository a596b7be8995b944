namespace MemPrims.Channels.Link;

/// <summary>How ringing a peer's bell went.</summary>
internal enum BellOutcome
{
    /// <summary>A packet wakes the peer: this one, or one of those that fill its socket.</summary>
    Rung,

    /// <summary>The kernel had no memory for the packet.</summary>
    NoMemory,

    /// <summary>The peer has ended, or this end was disposed.</summary>
    PeerGone,
}
