namespace MemPrims.Channels;

/// <summary>
/// One end of a connection between two processes (or within one) that carries whole messages and file descriptors. Messages go through
/// memory that both ends share, descriptors through a Unix socket. Where there is no shared memory, messages are packets of the socket.
/// </summary>
/// <remarks>
/// <para>Any number of threads may send; a message of one never stands inside another's. One thread receives: others wait for it. Dispose
/// may come beside every call: those under way throw ObjectDisposedException.</para>
/// <para>A breach of the protocol by the peer, a send that must stop in the middle of a message, and a message that takes longer than
/// <see cref="ChannelOptions.Timeout"/> break the channel: every later call throws. A receive that is given up breaks nothing.</para>
/// </remarks>
public sealed class IpcChannel : IDisposable
{
    // The state is in three parts: Life, Sender and Receiver. They share the socket.
    private readonly ChannelSocket _socket;
    private readonly Life _life;
    private readonly Sender _sender;
    private readonly Receiver _receiver;

    private IpcChannel(ChannelSocket socket, ChannelOptions options, Handshake.Agreement agreed, bool heldElsewhere)
    {
        _socket = socket;
        PeerCredentials = socket.PeerCredentials();
        HasSharedMemory = socket.Theirs is not null;
        _life = new(socket, PeerCredentials.ProcessId, heldElsewhere);
        // The kernel refuses descriptors at their sender, where it can (Linux 6.16), or takes them again.
        socket.SetOption(Posix.SO_PASSRIGHTS, options.MaxHandles == 0 ? 0 : 1);
        PacketLink link = new(socket, options.MaxHandles);
        Spinner spinner = new(options.SpinMicroseconds);
        RingWriter? writer = null;
        RingReader? reader = null;
        if (socket is { Mine: { } mine, Theirs: { } theirs })
        {
            writer = new(mine, theirs, spinner, link);
            reader = new(mine, theirs);
        }
        long most = Math.Min(Math.Min(options.MaxMessageBytes, agreed.MaxMessageBytes), Array.MaxLength);
        _sender = new(_life, link, writer, spinner, options.Timeout, agreed.MaxHandles, most);
        _receiver = new(_life, link, reader, spinner, options, _sender);
        _life.TellOpened(agreed.NoSharedMemory);
    }

    /// <summary>The process, user and group that made the other end.</summary>
    public PeerCredentials PeerCredentials { get; }

    /// <summary>Whether an error has broken the channel: all calls but Dispose throw, with the error inside.</summary>
    public bool IsBroken => _life.IsBroken;

    /// <summary>Whether the peer has ended and everything that it sent was received; or this end was disposed or is broken.</summary>
    public bool HasEnded => _life.HasEnded;

    /// <summary>Whether messages go through shared memory.</summary>
    public bool HasSharedMemory { get; }

    // For tests that look where no call does.
    internal ChannelSocket Socket => _socket;

    internal Life Life => _life;

    internal Receiver Receiver => _receiver;

    /// <summary>Two ends that are connected to each other.</summary>
    public static (IpcChannel A, IpcChannel B) CreatePair(ChannelOptions? options = null)
    {
        options = ChannelOptions.Checked(options);
        ChannelSocket[] pair = ChannelSocket.Pair();
        try
        {
            string? first = Handshake.Offer(pair[0], options), second = Handshake.Offer(pair[1], options);
            Deadline deadline = Deadline.After(options.Timeout);
            IpcChannel a = new(pair[0], options, Handshake.Complete(pair[0], first, options, deadline, "The pair's second end"), false);
            return (a, new(pair[1], options, Handshake.Complete(pair[1], second, options, deadline, "The pair's first end"), false));
        }
        catch
        {
            foreach (ChannelSocket socket in pair) socket.Dispose();
            throw;
        }
    }

    /// <summary>Connects to a listener.</summary>
    /// <param name="path">A path, or <c>@name</c> for an abstract address.</param>
    /// <param name="options">How this end behaves.</param>
    /// <exception cref="IOException">Nobody listens there, or it may not be connected to; the message names the path.</exception>
    /// <exception cref="IpcException">Who listens there is no channel, may not be spoken to, or went away.</exception>
    /// <exception cref="TimeoutException">The listener did not answer in time.</exception>
    public static IpcChannel Connect(string path, ChannelOptions? options = null)
    {
        options = ChannelOptions.Checked(options);
        Deadline deadline = Deadline.After(options.Timeout);
        ChannelSocket socket = SocketAddress.Connect(path, deadline);
        try
        {
            SocketAddress.CheckUser(socket, path, options.SameUserOnly);
            return Open(socket, options, deadline, path);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    internal static IpcChannel Open(ChannelSocket socket, ChannelOptions options, Deadline deadline, string peer) =>
        new(socket, options, Handshake.Complete(socket, Handshake.Offer(socket, options), options, deadline, peer), false);

    /// <summary>
    /// Takes over a connected Unix socket of the kind that channels use (SOCK_SEQPACKET), such as one made by
    /// <see cref="DuplicateHandle"/> and received with a message. Its messages go in packets: the shared memory belongs to the two ends
    /// that made the connection.
    /// </summary>
    /// <param name="handle">The socket. The channel owns it from here on, unless this throws.</param>
    /// <param name="options">How this end behaves. Give all holders of one end the same MaxHandles: it is a setting of the socket, and
    /// descriptors that are under way are refused by a holder that takes none.</param>
    /// <exception cref="ArgumentException">It is another kind of file, or not connected.</exception>
    public static IpcChannel FromHandle(SafeHandle handle, ChannelOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handle);
        options = ChannelOptions.Checked(options);
        ChannelSocket socket = ChannelSocket.DuplicateOf(handle);
        IpcChannel channel;
        try
        {
            channel = new(socket, options, Handshake.Agreement.Unknown, heldElsewhere: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
        handle.Dispose();
        return channel;
    }

    /// <summary>
    /// A duplicate of this end's socket, to be sent to another process and opened there by <see cref="FromHandle"/>. Pass an end on
    /// before the first receive: what the peer has sent goes with it.
    /// </summary>
    /// <remarks>
    /// Any number of holders of an end may send, and the messages of each stay whole and in their order. The first holder that receives
    /// is the end's only receiver: no other one may. The connection ends when all holders have disposed their ends or are gone.
    /// </remarks>
    /// <exception cref="InvalidOperationException">A receive was called on this end.</exception>
    public SafeHandle DuplicateHandle()
    {
        using Hold use = _life.Begin();
        return new SafeFileHandle(_receiver.Duplicate(_socket), ownsHandle: true);
    }

    /// <summary>
    /// Ends this process's end. What was sent can still be received. Other holders of the same end go on. Calls under way throw
    /// ObjectDisposedException.
    /// </summary>
    public void Dispose()
    {
        if (_life.TryDispose()) _receiver.Drop();
    }

    // Sending

    /// <summary>Sends a message, and waits while the peer does not keep up, for <see cref="ChannelOptions.Timeout"/> at most.</summary>
    /// <exception cref="ArgumentException">The message is longer than both ends take. Nothing was sent.</exception>
    /// <exception cref="TimeoutException">The peer did not keep up. If a part was sent, the channel is broken, and the message says so;
    /// otherwise nothing was sent.</exception>
    /// <exception cref="IpcPeerGoneException">The peer is gone.</exception>
    /// <exception cref="IpcProtocolException">The channel is broken.</exception>
    public void Send(ReadOnlySpan<byte> payload) => _sender.Send(payload, default, mayWait: true);

    /// <summary>Sends a message with descriptors. The handles stay the caller's.</summary>
    /// <exception cref="ArgumentException">More than 253 handles, one that is null or invalid, or a message longer than both ends take.
    /// Nothing was sent.</exception>
    /// <exception cref="ObjectDisposedException">A handle is closed, or the channel was disposed. Nothing was sent.</exception>
    /// <exception cref="IpcProtocolException">The peer takes no descriptors, or the channel is broken.</exception>
    /// <inheritdoc cref="Send(ReadOnlySpan{byte})"/>
    public void Send(ReadOnlySpan<byte> payload, ReadOnlySpan<SafeHandle> handles) => _sender.Send(payload, handles, mayWait: true);

    /// <summary>Sends a message from the pieces it lies in, with descriptors. The handles stay the caller's.</summary>
    /// <inheritdoc cref="Send(ReadOnlySpan{byte}, ReadOnlySpan{SafeHandle})"/>
    public void Send(in ReadOnlySequence<byte> payload, ReadOnlySpan<SafeHandle> handles = default) =>
        _sender.Send(payload, handles, mayWait: true);

    /// <summary>
    /// Sends a message if that needs no waiting. False, and nothing sent, when the peer is behind or another thread sends.
    /// </summary>
    /// <remarks>
    /// A message that is longer than the ring of a channel holds (1 MiB less 96 bytes) never goes without waiting, so the answer is false
    /// always: use <see cref="SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>. In packets, that is without shared memory and before
    /// the peer has received, it is so for messages beyond one packet: half the socket's send buffer (about 100 KiB), or 1,000 pieces.
    /// </remarks>
    /// <exception cref="ArgumentException">The message is longer than both ends take.</exception>
    /// <exception cref="IpcException">The peer is gone, or the channel is broken.</exception>
    public bool TrySend(ReadOnlySpan<byte> payload) => _sender.Send(payload, default, mayWait: false);

    /// <inheritdoc cref="TrySend(ReadOnlySpan{byte})"/>
    public bool TrySend(ReadOnlySpan<byte> payload, ReadOnlySpan<SafeHandle> handles) => _sender.Send(payload, handles, mayWait: false);

    /// <inheritdoc cref="TrySend(ReadOnlySpan{byte})"/>
    public bool TrySend(in ReadOnlySequence<byte> payload, ReadOnlySpan<SafeHandle> handles = default) =>
        _sender.Send(payload, handles, mayWait: false);

    /// <summary>
    /// Sends a message, and waits for the peer without a thread. Wrong arguments are thrown at once, all else by the task.
    /// </summary>
    /// <exception cref="OperationCanceledException">Cancelled. If a part was sent, the channel is broken, and the message says so;
    /// otherwise nothing was sent.</exception>
    /// <inheritdoc cref="Send(ReadOnlySpan{byte})"/>
    public ValueTask SendAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default) =>
        _sender.SendAsync(new(payload), [], cancellationToken);

    /// <summary>Sends a message with descriptors. The handles stay the caller's and are kept open until the task is done.</summary>
    /// <inheritdoc cref="SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>
    public ValueTask SendAsync(ReadOnlyMemory<byte> payload, IReadOnlyList<SafeHandle> handles,
        CancellationToken cancellationToken = default) => SendAsync(new ReadOnlySequence<byte>(payload), handles, cancellationToken);

    /// <summary>
    /// Sends a message from the pieces it lies in, with descriptors. The handles stay the caller's and are kept open until the task is
    /// done.
    /// </summary>
    /// <inheritdoc cref="SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>
    // Preferred where both fit, so that SendAsync(new(bytes), handles) means a sequence, as in Send.
    [OverloadResolutionPriority(1)]
    public ValueTask SendAsync(ReadOnlySequence<byte> payload, IReadOnlyList<SafeHandle>? handles = null,
        CancellationToken cancellationToken = default) =>
        _sender.SendAsync(payload, handles is null or { Count: 0 } ? [] : [.. handles], cancellationToken);

    // Receiving

    /// <summary>Waits for a message. Null when the peer has closed and everything it sent was received.</summary>
    /// <param name="timeout">How long to wait, <see cref="Timeout.InfiniteTimeSpan"/> for ever. Zero takes what is there.</param>
    /// <exception cref="TimeoutException">No message came whole in time. What came of one is kept, and the next receive goes on with it.
    /// Only a message that takes longer than <see cref="ChannelOptions.Timeout"/> breaks the channel; the text says so then.</exception>
    /// <exception cref="IpcPeerGoneException">The peer ended in the middle of a message, or left messages unread.</exception>
    /// <exception cref="IpcProtocolException">The peer broke the protocol, or the channel is broken.</exception>
    public IpcMessage? Receive(TimeSpan timeout) => _receiver.Receive(timeout);

    /// <summary>Waits for a message, without a limit. Null when the peer has closed and everything it sent was received.</summary>
    /// <inheritdoc cref="Receive(TimeSpan)"/>
    public IpcMessage? Receive() => _receiver.Receive(Timeout.InfiniteTimeSpan);

    /// <summary>Receives into memory of the caller's, without an object. Descriptors that come with the message are closed.</summary>
    /// <param name="destination">Where the message goes. What is written there when this throws means nothing.</param>
    /// <param name="timeout">As for <see cref="Receive(TimeSpan)"/>; for ever without it.</param>
    /// <returns>The length of the message, or -1 when the peer has closed.</returns>
    /// <exception cref="ArgumentException">The message is longer than the destination. It is not lost: the next receive gets
    /// it.</exception>
    /// <inheritdoc cref="Receive(TimeSpan)"/>
    public int Receive(Span<byte> destination, TimeSpan? timeout = null) =>
        _receiver.Receive(destination, timeout ?? Timeout.InfiniteTimeSpan);

    /// <summary>Receives a message if one is there whole. What is there of another one is kept for the next receive.</summary>
    /// <param name="message">The message.</param>
    /// <returns>False when none is there, or another thread is receiving; also at the end, see <see cref="HasEnded"/>.</returns>
    /// <inheritdoc cref="Receive(TimeSpan)"/>
    public bool TryReceive([NotNullWhen(true)] out IpcMessage? message) => (message = _receiver.TryReceive()) is not null;

    /// <summary>Waits for a message without a thread. Null when the peer has closed and everything it sent was received.</summary>
    /// <exception cref="OperationCanceledException">Cancelled. What came of a message is kept, and the next receive goes on with
    /// it.</exception>
    public ValueTask<IpcMessage?> ReceiveAsync(CancellationToken cancellationToken = default) =>
        _receiver.ReceiveAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <inheritdoc cref="ReceiveAsync(CancellationToken)"/>
    /// <exception cref="TimeoutException">As for <see cref="Receive(TimeSpan)"/>.</exception>
    /// <param name="timeout">As for <see cref="Receive(TimeSpan)"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public ValueTask<IpcMessage?> ReceiveAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        _receiver.ReceiveAsync(timeout, cancellationToken);
}
