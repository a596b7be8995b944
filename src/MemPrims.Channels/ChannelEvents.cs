using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;

namespace MemPrims.Channels;

/// <summary>
/// What can be watched from outside: the meter <c>MemPrims.Channels</c> counts messages, bytes, spins that found a message and waits that
/// slept. The event source <c>MemPrims-Channels</c> tells of channels opened, ended by their peer, broken and disposed, and of handshakes
/// that failed. With nobody listening each costs a load and a branch.
/// </summary>
[EventSource(Name = "MemPrims-Channels")]
internal sealed class ChannelEvents : EventSource
{
    public static readonly ChannelEvents Log = new();

    private static int s_lastChannel;
    private static readonly Meter s_meter = new("MemPrims.Channels");
    private static readonly Counter<long> s_sent =
        s_meter.CreateCounter<long>("memprims.channels.messages.sent", "{message}", "Messages sent.");
    private static readonly Counter<long> s_received =
        s_meter.CreateCounter<long>("memprims.channels.messages.received", "{message}", "Messages received.");
    private static readonly Counter<long> s_bytesSent = s_meter.CreateCounter<long>("memprims.channels.bytes.sent", "By", "Payload sent.");
    private static readonly Counter<long> s_bytesReceived =
        s_meter.CreateCounter<long>("memprims.channels.bytes.received", "By", "Payload received.");
    private static readonly Counter<long> s_spins =
        s_meter.CreateCounter<long>("memprims.channels.spins.hit", "{spin}", "Receives that found a message while they spun.");
    private static readonly Counter<long> s_blocks =
        s_meter.CreateCounter<long>("memprims.channels.blocks", "{wait}", "Waits that slept.");

    [NonEvent]
    public static void Sent(long bytes)
    {
        if (!s_sent.Enabled && !s_bytesSent.Enabled) return;
        s_sent.Add(1);
        s_bytesSent.Add(bytes);
    }

    [NonEvent]
    public static void Received(long bytes)
    {
        if (!s_received.Enabled && !s_bytesReceived.Enabled) return;
        s_received.Add(1);
        s_bytesReceived.Add(bytes);
    }

    [NonEvent]
    public static void SpinHit()
    {
        if (s_spins.Enabled) s_spins.Add(1);
    }

    [NonEvent]
    public static void Blocked()
    {
        if (s_blocks.Enabled) s_blocks.Add(1);
    }

    /// <summary>The number of a new channel: events tell channels of one peer apart by it.</summary>
    [NonEvent]
    public static int NextChannel() => Interlocked.Increment(ref s_lastChannel);

    [Event(1, Level = EventLevel.Informational, Message = "Channel {1}, to process {0}, was opened.")]
    public void Opened(int peer, int channel)
    {
        if (IsEnabled()) WriteEvent(1, peer, channel);
    }

    [Event(2, Level = EventLevel.Error, Message = "Channel {2}, to process {1}, broke: {0}")]
    public void Broke(string why, int peer, int channel)
    {
        if (IsEnabled()) WriteEvent(2, why, peer, channel);
    }

    [Event(3, Level = EventLevel.Warning, Message = "The handshake of a connection to {0} failed: {1}")]
    public void HandshakeFailed(string address, string why)
    {
        if (IsEnabled()) WriteEvent(3, address, why);
    }

    [Event(4, Level = EventLevel.Informational, Message = "Channel {1}, to process {0}, was disposed.")]
    public void Closed(int peer, int channel)
    {
        if (IsEnabled()) WriteEvent(4, peer, channel);
    }

    [Event(5, Level = EventLevel.Informational, Message = "The peer of channel {1}, process {0}, has closed its end.")]
    public void PeerEnded(int peer, int channel)
    {
        if (IsEnabled()) WriteEvent(5, peer, channel);
    }

    [Event(6, Level = EventLevel.Warning, Message = "Channel {2}, to process {1}, has no shared memory: {0}")]
    public void NoSharedMemory(string why, int peer, int channel)
    {
        if (IsEnabled()) WriteEvent(6, why, peer, channel);
    }
}
