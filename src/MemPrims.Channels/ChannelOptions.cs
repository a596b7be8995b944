namespace MemPrims.Channels;

/// <summary>How one end of a channel behaves. The two ends may differ: each caps what it takes itself.</summary>
public sealed record ChannelOptions
{
    /// <summary>
    /// The largest message this end sends and takes, 256 MiB by default; never more than 2,147,483,591 bytes. Sending a longer one, or a
    /// longer one than the peer has announced to take, is an ArgumentException. A peer that sends one all the same breaks the channel,
    /// before anything is allocated for it.
    /// </summary>
    public long MaxMessageBytes { get; init; } = 256L << 20;

    /// <summary>
    /// The most file descriptors this end takes with a message, 0 to 253. With 0, the default, the kernel refuses them at the sender
    /// where it can (Linux 6.16).
    /// </summary>
    public int MaxHandles { get; init; }

    /// <summary>
    /// How long a receive looks for a message before it sleeps, 20 µs by default; 0 for never. Five times as long after a send that woke
    /// a sleeping peer: its answer cannot come sooner. A spinning thread uses its processor.
    /// </summary>
    public int SpinMicroseconds { get; init; } = 20;

    /// <summary>
    /// The most time for a whole send, for a whole receive once its first byte is there, and for the handshake; 30 seconds by default,
    /// <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no limit.
    /// </summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Whether messages go through shared memory, true by default: 1 MiB for each direction, taken when it is used first. Without it, and
    /// where the system refuses it, they go in packets.
    /// </summary>
    public bool UseSharedMemory { get; init; } = true;

    /// <summary>
    /// How many segments of <see cref="SegmentBytes"/> this end can hand to its peer without a copy, 0 to 256; none by default. It is the
    /// sender that needs them: they make <see cref="IpcChannel.SegmentPool"/> of this end. Without shared memory there are none.
    /// </summary>
    /// <remarks>
    /// Each connection has its own. A segment takes its memory when it is rented for the first time and keeps it as long as the channel
    /// lives (before Linux 5.14: all of them take it at the handshake). A listener pays for every connection that rents.
    /// </remarks>
    public int SegmentCount { get; init; }

    /// <summary>How long each segment is, 1 MiB by default; rounded up to whole pages.</summary>
    public int SegmentBytes { get; init; } = 1 << 20;

    /// <summary>
    /// The most memory that all segments of one end may have together, 1 GiB by default: this end's own (<see cref="SegmentCount"/> times
    /// <see cref="SegmentBytes"/>), and the peer's. A peer that announces more is refused at the handshake, before anything is mapped.
    /// </summary>
    public long MaxPoolBytes { get; init; } = 1L << 30;

    /// <summary>
    /// Whether the peer is trusted not to write to a segment it has handed over. Then a message's payload is the segment itself until the
    /// message is disposed. Otherwise, by default, it is a copy, which can be validated and does not change any more.
    /// </summary>
    public bool TrustPeer { get; init; }

    /// <summary>
    /// Whether a listener takes connections of its own user only: true by default for abstract names, which have no permissions, false
    /// for paths.
    /// </summary>
    public bool? SameUserOnly { get; init; }

    internal static ChannelOptions Checked(ChannelOptions? options)
    {
        Platform.Require();
        options ??= new();
        Require(options.MaxMessageBytes >= 0, options.MaxMessageBytes, "MaxMessageBytes is 0 or more.");
        Require(options.MaxHandles is >= 0 and <= Native.Rights.Most, options.MaxHandles,
            $"MaxHandles is 0 to {Native.Rights.Most}: the kernel passes no more with one message.");
        Require(options.SpinMicroseconds >= 0, options.SpinMicroseconds, "SpinMicroseconds is 0 or more.");
        Require(options.SegmentCount is >= 0 and <= Shared.ShareLayout.MostSegments, options.SegmentCount,
            $"SegmentCount is 0 to {Shared.ShareLayout.MostSegments}.");
        const int longest = int.MaxValue / Shared.ShareLayout.Page * Shared.ShareLayout.Page;
        Require(options.SegmentBytes is > 0 and <= longest, options.SegmentBytes, $"SegmentBytes is 1 to {longest}.");
        Require(options.MaxPoolBytes >= 0, options.MaxPoolBytes, "MaxPoolBytes is 0 or more.");
        Require((long)options.SegmentCount * options.SegmentBytes <= options.MaxPoolBytes, options.SegmentCount,
            $"{options.SegmentCount} segments of {options.SegmentBytes} bytes are more than MaxPoolBytes, {options.MaxPoolBytes}.");
        Require(options.Timeout > TimeSpan.Zero || options.Timeout == System.Threading.Timeout.InfiniteTimeSpan, options.Timeout,
            "Timeout is more than zero, or Timeout.InfiniteTimeSpan.");
        return options;
    }

    private static void Require(bool holds, object actual, string rule)
    {
        if (!holds) throw new ArgumentOutOfRangeException("options", actual, rule);
    }
}
