using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;

namespace MemPrims.Channels;

// What can be watched from outside: the meter `MemPrims.Channels` counts messages, bytes, spins that found a message and waits that slept.
// The event source `MemPrims-Channels` tells of channels opened, ended by their peer, broken and disposed, and of handshakes that failed.
// With nobody listening each costs some loads and branches. The meter may begin a moment after the process's first channel; what is
// counted before, it counts when it begins.
internal sealed class ChannelEvents : EventSource
{
    public static readonly ChannelEvents Log = new();

    private const int MeterStack = 256 * 1024;

    // How long after the first message the meter begins. Changed by a test alone.
    internal static int MeterAfterMilliseconds { get; set; } = 50;

    private static readonly long[] s_before = new long[(int)Counted.Blocked + 1];
    private static int s_lastChannel;
    private static Counters? s_counters;

    // What is counted, in the order of Counters.
    private enum Counted { Sent, Received, BytesSent, BytesReceived, SpinHit, Blocked }

    // Its name by the constructor: the runtime takes 3 ms to find it in an attribute.
    private ChannelEvents() : base("MemPrims-Channels", EventSourceSettings.EtwManifestEventFormat) { }

    public static void Sent(long bytes)
    {
        Count(Counted.Sent, 1);
        Count(Counted.BytesSent, bytes);
    }

    public static void Received(long bytes)
    {
        Count(Counted.Received, 1);
        Count(Counted.BytesReceived, bytes);
    }

    public static void SpinHit() => Count(Counted.SpinHit, 1);

    public static void Blocked() => Count(Counted.Blocked, 1);

    // The number of a new channel: events tell channels of one peer apart by it.
    public static int NextChannel()
    {
        int number = Interlocked.Increment(ref s_lastChannel);
        if (number == 1) BeginMeterSoon();
        return number;
    }

    [Event(1, Level = EventLevel.Informational, Message = "Channel {1}, to process {0}, was opened.")]
    public void Opened(int peer, int channel) => WriteEvent(1, peer, channel);

    [Event(2, Level = EventLevel.Error, Message = "Channel {2}, to process {1}, broke: {0}")]
    public void Broke(string why, int peer, int channel) => WriteEvent(2, why, peer, channel);

    [Event(3, Level = EventLevel.Warning, Message = "The handshake of a connection to {0} failed: {1}")]
    public void HandshakeFailed(string address, string why) => WriteEvent(3, address, why);

    [Event(4, Level = EventLevel.Informational, Message = "Channel {1}, to process {0}, was disposed.")]
    public void Closed(int peer, int channel) => WriteEvent(4, peer, channel);

    [Event(5, Level = EventLevel.Informational, Message = "The peer of channel {1}, process {0}, has closed its end.")]
    public void PeerEnded(int peer, int channel) => WriteEvent(5, peer, channel);

    [Event(6, Level = EventLevel.Warning, Message = "Channel {2}, to process {1}, has no shared memory: {0}")]
    public void NoSharedMemory(string why, int peer, int channel) => WriteEvent(6, why, peer, channel);

    private static void Count(Counted what, long by)
    {
        if (s_counters is { } counters) counters.Add(what, by);
        else CountBefore(what, by);
    }

    private static void CountBefore(Counted what, long by)
    {
        lock (s_before)
        {
            if (s_counters is null)
            {
                s_before[(int)what] += by;
                return;
            }
        }
        Count(what, by);
    }

    // A process's first meter takes the runtime 8 ms, longer than the first connection. So another thread makes it, when that is through.
    // Where the runtime's metrics are loaded already, somebody may listen, and a meter takes less.
    private static void BeginMeterSoon()
    {
        if (Platform.HasMetrics || !BackgroundThread.TryStart("meter", static () =>
            {
                Thread.Sleep(MeterAfterMilliseconds);
                TryBeginMeter();
            }, MeterStack)) TryBeginMeter();
    }

    private static void TryBeginMeter()
    {
        try
        {
            BeginMeter();
        }
        catch (Exception)
        {
            // A channel goes without, and on a thread of its own nobody could catch this. An assembly that cannot be loaded while
            // descriptors are out is none for the runtime from then on: there is no meter.
        }
    }

    // Its code needs the metrics: what calls it must not.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void BeginMeter()
    {
        Counters counters = new();
        // After this nobody changes what was counted before. A listener is called without the lock.
        lock (s_before) s_counters = counters;
        for (int i = 0; i < s_before.Length; i++) counters.Add((Counted)i, s_before[i]);
    }

    private sealed class Counters
    {
        private readonly Counter<long>[] _counters;

        public Counters()
        {
            Meter meter = new("MemPrims.Channels");
            _counters =
            [
                meter.CreateCounter<long>("memprims.channels.messages.sent", "{message}", "Messages sent."),
                meter.CreateCounter<long>("memprims.channels.messages.received", "{message}", "Messages received."),
                meter.CreateCounter<long>("memprims.channels.bytes.sent", "By", "Payload sent."),
                meter.CreateCounter<long>("memprims.channels.bytes.received", "By", "Payload received."),
                meter.CreateCounter<long>("memprims.channels.spins.hit", "{spin}", "Receives that found a message while they spun."),
                meter.CreateCounter<long>("memprims.channels.blocks", "{wait}", "Waits that slept."),
            ];
        }

        public void Add(Counted what, long by)
        {
            Counter<long> counter = _counters[(int)what];
            if (counter.Enabled && by > 0) counter.Add(by);
        }
    }
}
