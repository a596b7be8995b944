namespace MemPrims.Channels;

/// <summary>Who made the other end of a channel, as the kernel noted it then: process, user and group.</summary>
public readonly record struct PeerCredentials(int ProcessId, uint UserId, uint GroupId);
