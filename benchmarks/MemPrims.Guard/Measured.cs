namespace MemPrims.Guard;

/// <summary>What one process measured of a row: nanoseconds of one operation, and bytes that it allocated.</summary>
internal sealed record Measured(string Row, double Least, double Median, double Bytes, string? Peer, double PeerLeast, double PeerMedian);
