using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;

namespace MemPrims.Channels;

/// <summary>
/// What can be watched from outside: the meter <c>MemPrims.Channels</c> counts messages, bytes, spins that found a message and waits that
/// slept. The event source <c>MemPrims-Channels</c> tells of channels opened, ended by their peer, broken and disposed, and of handshakes
/// that failed. With nobody listening each costs some loads and branches. The meter begins a moment after the process's first channel.
/// </summary>
internal sealed class ChannelEvents : EventSource
{
    public static readonly ChannelEvents Log = new();

    private const int MeterAfterMilliseconds = 50, MeterStack = 256 * 1024;

    private static int s_lastChannel;
    private static Counters? s_counters;

    // A process's first meter takes the runtime 8 ms, longer than the first connection. So another thread makes it, when that is through.
    static ChannelEvents()
    {
        try
        {
            new Thread(static () =>
            {
                Thread.Sleep(MeterAfterMilliseconds);
                Volatile.Write(ref s_counters, new());
            }, MeterStack) { IsBackground = true, Name = "MemPrims.Channels: meter" }.UnsafeStart();
        }
        catch (OutOfMemoryException)
        {
            // The system has no thread to give: nothing is counted.
        }
    }

    // Its name by the constructor: the runtime takes 3 ms to find it in an attribute.
    private ChannelEvents() : base("MemPrims-Channels", EventSourceSettings.EtwManifestEventFormat)
    {
    }

    [NonEvent]
    public static void Sent(long bytes) => s_counters?.Sent(bytes);

    [NonEvent]
    public static void Received(long bytes) => s_counters?.Received(bytes);

    [NonEvent]
    public static void SpinHit() => s_counters?.SpinHit();

    [NonEvent]
    public static void Blocked() => s_counters?.Blocked();

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

    private sealed class Counters
    {
        private readonly Counter<long> _sent, _received, _bytesSent, _bytesReceived, _spins, _blocks;

        public Counters()
        {
            Meter meter = new("MemPrims.Channels");
            _sent = meter.CreateCounter<long>("memprims.channels.messages.sent", "{message}", "Messages sent.");
            _received = meter.CreateCounter<long>("memprims.channels.messages.received", "{message}", "Messages received.");
            _bytesSent = meter.CreateCounter<long>("memprims.channels.bytes.sent", "By", "Payload sent.");
            _bytesReceived = meter.CreateCounter<long>("memprims.channels.bytes.received", "By", "Payload received.");
            _spins = meter.CreateCounter<long>("memprims.channels.spins.hit", "{spin}", "Receives that found a message while they spun.");
            _blocks = meter.CreateCounter<long>("memprims.channels.blocks", "{wait}", "Waits that slept.");
        }

        public void Sent(long bytes)
        {
            if (!_sent.Enabled && !_bytesSent.Enabled) return;
            _sent.Add(1);
            _bytesSent.Add(bytes);
        }

        public void Received(long bytes)
        {
            if (!_received.Enabled && !_bytesReceived.Enabled) return;
            _received.Add(1);
            _bytesReceived.Add(bytes);
        }

        public void SpinHit()
        {
            if (_spins.Enabled) _spins.Add(1);
        }

        public void Blocked()
        {
            if (_blocks.Enabled) _blocks.Add(1);
        }
    }
}
