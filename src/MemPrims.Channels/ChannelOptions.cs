namespace MemPrims.Channels;

/// <summary>How one end of a channel behaves. The two ends may differ: each caps what it takes itself.</summary>
public sealed record ChannelOptions
{
    /// <summary>
    /// The largest message this end sends and takes, 256 MiB by default; never more than 2,147,483,591 bytes, which a larger
    /// value means too. Sending a longer one, or a longer one than the peer has announced to take, is an ArgumentException. A peer that
    /// sends one all the same breaks the channel, before anything is allocated for it.
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
    /// The most time for a whole send, for a message that comes from its first byte to its last, and for the handshake; 30 seconds by
    /// default,
    /// <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no limit. A message that takes longer breaks the channel. The time
    /// that a receive is given breaks nothing.
    /// </summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Whether messages go through shared memory, true by default: 36 KiB for each direction, and 1 MiB more once a message finds no room
    /// there. Without it, and where the system refuses it, they go in packets: <see cref="IpcChannel.HasSharedMemory"/> and an event tell.
    /// </summary>
    public bool UseSharedMemory { get; init; } = true;

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
        Require(options.MaxHandles is >= 0 and <= Link.Rights.Most, options.MaxHandles,
            $"MaxHandles is 0 to {Link.Rights.Most}: the kernel passes no more with one message.");
        Require(options.SpinMicroseconds >= 0, options.SpinMicroseconds, "SpinMicroseconds is 0 or more.");
        Require(options.Timeout > TimeSpan.Zero || options.Timeout == System.Threading.Timeout.InfiniteTimeSpan, options.Timeout,
            "Timeout is more than zero, or Timeout.InfiniteTimeSpan.");
        return options;
    }

    private static void Require(bool holds, object actual, string rule)
    {
        if (!holds) throw new ArgumentOutOfRangeException("options", actual, rule);
    }
}
