namespace MemPrims.Channels;

/// <summary>Which way messages go; see the tables in ARCHITECTURE.md. A sender begins with packets.</summary>
internal enum Way
{
    /// <summary>Nobody has received. The end can be passed on.</summary>
    Fresh,

    /// <summary>Packets of the socket.</summary>
    Packets,

    /// <summary>Entries of the ring; in the socket the rest.</summary>
    Ring,
}
