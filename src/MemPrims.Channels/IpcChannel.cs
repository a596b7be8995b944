using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using MemPrims.Channels.Native;
using MemPrims.Channels.Shared;

namespace MemPrims.Channels;

/// <summary>
/// One end of a connection between two processes (or within one) that carries whole messages and file descriptors. Messages go through
/// memory that both ends share, descriptors through a Unix socket. Where there is no shared memory, messages are packets of the socket.
/// </summary>
/// <remarks>
/// <para>Any number of threads may send; a message of one never stands inside another's. One thread receives: others wait for it.</para>
/// <para>An error in the middle of a message, and any breach of the protocol by the peer, breaks the channel: every later call
/// throws.</para>
/// </remarks>
public sealed partial class IpcChannel : IDisposable
{
    private readonly ChannelSocket _socket;
    private readonly ChannelOptions _options;
    private readonly ShareLayout _mine, _theirs;
    private readonly Gate _sending = new(), _receiving = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly int _packetRoom, _peersHandles, _number = ChannelEvents.NextChannel();

    // The longest message that both ends take.
    private readonly long _mostBytes;
    private Exception? _broken;
    private SharedSegmentPool? _segments;

    // Whether this end may have other holders: then disposing it must not shut the connection down.
    private volatile bool _isHeldElsewhere, _isDisposed;

    private IpcChannel(ChannelSocket socket, ChannelOptions options, Handshake.Agreement agreed, bool heldElsewhere)
    {
        _socket = socket;
        _options = options;
        (_mine, _theirs) = (agreed.Mine, agreed.Theirs);
        _mostBytes = Math.Min(Math.Min(options.MaxMessageBytes, agreed.MaxMessageBytes), Array.MaxLength);
        _peersHandles = agreed.MaxHandles;
        _isHeldElsewhere = heldElsewhere;
        _spinner = new(options.SpinMicroseconds);
        // The kernel gives twice what is asked for. A packet of a quarter leaves room for the next one while the peer takes this one.
        _packetRoom = Math.Min(Packets.Largest,
            Math.Max(socket.GetOption(Posix.OptionSendBuffer, 1 << 16) / Packets.ShareOfSendBuffer, 4096) & ~7);
        Handshake.LimitHandles(socket, options);
        PeerCredentials = socket.PeerCredentials();
        if (_mine.SegmentCount > 0 && socket.Theirs is not null) _segments = new(this, socket, _mine);
        ChannelEvents.Log.Opened(PeerCredentials.ProcessId, _number);
    }

    /// <summary>The process, user and group that made the other end.</summary>
    public PeerCredentials PeerCredentials { get; }

    /// <summary>
    /// The segments that this end hands over without a copy; null unless the options ask for some and both ends have shared memory.
    /// </summary>
    public SharedSegmentPool? SegmentPool => _segments;

    internal TimeSpan TimeLimit => _options.Timeout;

    /// <summary>
    /// Whether an error has broken the channel: every call but Dispose throws, and <see cref="Completion"/> has the error.
    /// </summary>
    public bool IsBroken => Volatile.Read(ref _broken) is not null;

    /// <summary>Whether messages go through shared memory.</summary>
    public bool HasSharedMemory => _socket.Theirs is not null;

    /// <summary>
    /// Completes when nothing more can come: the peer has closed and everything it sent was received, or this end was disposed. Faults
    /// with what broke the channel.
    /// </summary>
    public Task Completion
    {
        get
        {
            if (!_completion.Task.IsCompleted) WatchForEnd();
            return _completion.Task;
        }
    }

    /// <summary>Two ends that are connected to each other.</summary>
    public static (IpcChannel A, IpcChannel B) CreatePair(ChannelOptions? options = null)
    {
        options = ChannelOptions.Checked(options);
        ChannelSocket[] pair = ChannelSocket.Pair();
        try
        {
            ShareLayout first = Handshake.Offer(pair[0], options), second = Handshake.Offer(pair[1], options);
            Patience patience = new(Deadline.After(options.Timeout));
            IpcChannel a = new(pair[0], options, Handshake.Complete(pair[0], first, options, patience, "The pair's second end"), false);
            return (a, new(pair[1], options, Handshake.Complete(pair[1], second, options, patience, "The pair's first end"), false));
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
    /// <exception cref="TimeoutException">The listener did not answer in time.</exception>
    public static IpcChannel Connect(string path, ChannelOptions? options = null) => ConnectWhile(path, options, default);

    /// <summary>Connects to a listener on a thread of the pool.</summary>
    /// <exception cref="OperationCanceledException">Cancelled before the handshake was over.</exception>
    /// <inheritdoc cref="Connect(string, ChannelOptions?)"/>
    /// <param name="path">A path, or <c>@name</c> for an abstract address.</param>
    /// <param name="options">How this end behaves.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    public static ValueTask<IpcChannel> ConnectAsync(string path, ChannelOptions? options = null,
        CancellationToken cancellationToken = default) =>
        new(Task.Run(() => ConnectWhile(path, options, cancellationToken), cancellationToken));

    private static IpcChannel ConnectWhile(string path, ChannelOptions? options, CancellationToken token)
    {
        options = ChannelOptions.Checked(options);
        Patience patience = new(Deadline.After(options.Timeout), token);
        ChannelSocket socket = SocketAddress.Connect(path, patience);
        try
        {
            SocketAddress.CheckUser(socket, path, options.SameUserOnly);
            return Open(socket, options, patience, path);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

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
        bool held = false;
        ChannelSocket socket;
        try
        {
            handle.DangerousAddRef(ref held);
            using ChannelSocket look = new((int)handle.DangerousGetHandle());
            try
            {
                if (look.GetOption(Posix.OptionDomain, -1) != Posix.Unix || look.GetOption(Posix.OptionType, -1) != Posix.SeqPacket
                    || look.GetOption(Posix.OptionAccepting, 0) != 0 || !look.IsConnected)
                    throw new ArgumentException("A channel is made from a connected Unix socket of the kind SOCK_SEQPACKET; this " +
                        "handle is none.", nameof(handle));
                socket = new(look.Duplicate());
            }
            finally
            {
                look.SetHandleAsInvalid();
            }
        }
        finally
        {
            if (held) handle.DangerousRelease();
        }
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

    internal static IpcChannel Open(ChannelSocket socket, ChannelOptions options, in Patience patience, string peer) =>
        new(socket, options, Handshake.Complete(socket, Handshake.Offer(socket, options), options, patience, peer), false);

    /// <summary>
    /// A duplicate of this end's socket, to be sent to another process and opened there by <see cref="FromHandle"/>. From now on the peer
    /// sends this end its messages in packets, which every holder can receive.
    /// </summary>
    /// <remarks>
    /// <para>An end on which nobody has called Receive yet can be passed on whole: what the peer sent waits in the socket, but for
    /// segments.</para>
    /// <para>Once it has received, what the peer sent before this call may lie in shared memory, which the other holder has not. Such
    /// messages are received here. They are all taken when <see cref="TryReceive(out IpcMessage?)"/> answers false.</para>
    /// <para>One holder at a time receives: the parts of a long message are several packets, and a holder that gets some of them finds a
    /// breach of the protocol, which breaks the channel for all. Any number of holders may send.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">This end has received nothing yet, and the peer has handed a segment over to it, which
    /// no other holder can read.</exception>
    /// <exception cref="TimeoutException">The peer stopped in the moment in which it began a message.</exception>
    public SafeHandle DuplicateHandle()
    {
        using Use use = new(this);
        // Before the duplicate exists: whoever gets it must find no message in memory that it was not given.
        bool isFirst = !_isHeldElsewhere;
        _isHeldElsewhere = true;
        TakeNoRing();
        if (!isFirst || _hasReceived || !HasRingBytes) return new SafeFileHandle(_socket.Duplicate(), ownsHandle: true);
        _isHeldElsewhere = false;
        TakeRingAgain();
        throw new InvalidOperationException(
            "The peer has handed a segment over, which only this end can read: receive it before the end is passed on.");
    }

    /// <summary>
    /// Ends this process's end. What was sent can still be received. Other holders of the same end go on. Calls under way throw
    /// ObjectDisposedException.
    /// </summary>
    public void Dispose()
    {
        lock (_completion)
        {
            if (_isDisposed) return;
            _isDisposed = true;
        }
        bool held = false;
        try
        {
            _socket.DangerousAddRef(ref held);
            // Wakes the calls that sleep on the socket. With other holders they wake by themselves, a moment later.
            if (!_isHeldElsewhere) Shutdown();
            EndWaits();
        }
        finally
        {
            if (held) _socket.DangerousRelease();
        }
        _socket.Dispose();
        DropUnreceived();
        _segments?.End();
        _completion.TrySetResult();
        ChannelEvents.Log.Closed(PeerCredentials.ProcessId, _number);
    }

    private unsafe void Shutdown()
    {
        if (_socket.Mine is { } mine && _socket.Theirs is { } theirs)
        {
            Volatile.Write(ref mine.Header->HasEnded, 1);
            WakeSleepersOn(mine.Header);
            // This end's own sleep on the peer's counters.
            WakeSleepersOn(theirs.Header);
        }
        _ = Posix.Shutdown(_socket.File, Posix.ShutdownBoth);
    }

    /// <summary>
    /// From now on every call fails, on both sides: what comes next could not be told from the rest of the message that was cut.
    /// </summary>
    private void Break(Exception cause)
    {
        if (Interlocked.CompareExchange(ref _broken, cause, null) is not null) return;
        TellPeer();
        ChannelEvents.Log.Broke(cause.Message, PeerCredentials.ProcessId, _number);
        _completion.TrySetException(cause);
        _ = _completion.Task.Exception;
    }

    private unsafe void TellPeer()
    {
        bool held = false;
        try
        {
            // Not every caller uses the socket at this moment: without the reference its memory could be unmapped meanwhile.
            _socket.DangerousAddRef(ref held);
            if (_socket.Mine is { } mine)
            {
                Volatile.Write(ref mine.Header->HasEnded, 1);
                WakeSleepersOn(mine.Header);
            }
            _ = Posix.Shutdown(_socket.File, Posix.ShutdownBoth);
        }
        catch (ObjectDisposedException)
        {
            // Disposed in this moment: the peer sees the end.
        }
        finally
        {
            if (held) _socket.DangerousRelease();
        }
    }

    private static ObjectDisposedException Disposed() => new(typeof(IpcChannel).FullName);

    private void ThrowIfUnusable()
    {
        if (_broken is { } cause) throw new IpcProtocolException(IpcFault.Broken,
            "The channel was broken by an earlier error; close it and connect anew", cause);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
    }

    /// <summary>A call that uses the socket and the memory: they stay until it ends.</summary>
    internal readonly ref struct Use
    {
        private readonly ChannelSocket _used;

        public Use(IpcChannel channel, bool evenIfBroken = false)
        {
            if (evenIfBroken) ObjectDisposedException.ThrowIf(channel._isDisposed, channel);
            else channel.ThrowIfUnusable();
            bool added = false;
            try
            {
                channel._socket.DangerousAddRef(ref added);
            }
            catch (ObjectDisposedException)
            {
                // Disposed since the look above. The caller knows the channel and not its socket.
                throw Disposed();
            }
            _used = channel._socket;
        }

        public void Dispose() => _used.DangerousRelease();
    }
}
