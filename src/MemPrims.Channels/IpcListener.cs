using System.Collections.Concurrent;

namespace MemPrims.Channels;

/// <summary>
/// Waits for connections at a path or an abstract name. Its one thread accepts them, polls those that have not spoken yet, and answers
/// those that have, in the order in which they connected. So a client that says nothing costs a descriptor and holds up nobody, and
/// <see cref="IpcChannel.Connect"/> does not wait for the call of Accept.
/// </summary>
/// <remarks>Any number of threads may accept. Dispose may come beside any call.</remarks>
public sealed class IpcListener : IDisposable
{
    // When as many clients as MostSilent have not spoken, the oldest makes room: a client that means it speaks at once.
    private const int Backlog = 128, MostReady = 64, MostSilent = 128, MoreThanWaiters = 1 << 30;

    // How long the thread pauses where memory or descriptors are short, and between two looks whether there is room for clients again.
    private const int PauseMilliseconds = 10;

    private readonly string _path;
    private readonly ChannelOptions _options;
    private readonly ChannelSocket _socket;
    private readonly FileIdentity? _file;
    private readonly ConcurrentQueue<Accepted> _ready = new();
    private readonly SemaphoreSlim _accepted = new(0);
    private readonly ManualResetEventSlim _threadHasEnded = new();

    // Results that nobody has taken yet.
    private int _open;
    private int _isDisposed;

    private IpcListener(string path, ChannelOptions options, ChannelSocket socket)
    {
        (_path, _options, _socket) = (path, options, socket);
        _file = SocketAddress.IsAbstract(path) ? null : FileIdentity.Of(path, followsLinks: false);
        BackgroundThread.Start($"listener at {path}", Run);
    }

    // A finished handshake, or why it failed.
    private readonly record struct Accepted(IpcChannel? Channel, Exception? Failure);

    // A client that is connected and has not spoken yet.
    private readonly record struct Silent(ChannelSocket Socket, Deadline Deadline);

    /// <summary>
    /// Listens at a path, for this user only (mode 0600), or at an abstract address <c>@name</c>, for this user's processes.
    /// </summary>
    /// <param name="path">A path of 107 bytes at most, or a name after an @. A socket there that nobody answers at is replaced.</param>
    /// <param name="options">How the accepted ends behave.</param>
    /// <exception cref="IOException">Somebody listens there already, or the path is a file of another kind; the message names
    /// it.</exception>
    /// <exception cref="TimeoutException">Another process is about to listen there, and was so for the Timeout.</exception>
    public static IpcListener Listen(string path, ChannelOptions? options = null)
    {
        options = ChannelOptions.Checked(options);
        ArgumentException.ThrowIfNullOrEmpty(path);
        // As the system will follow it: GetFullPath would take ".." away by its text, even after a link.
        if (!SocketAddress.IsAbstract(path)) path = Path.Combine(Environment.CurrentDirectory, path);
        SocketAddress.Check(path);
        ChannelSocket socket = SocketAddress.New(path);
        try
        {
            using LockFile? held = SocketAddress.IsAbstract(path) ? null : LockFile.Take(path, Deadline.After(options.Timeout));
            if (held is not null) RemoveStale(path);
            SocketAddress.Bind(socket, path);
            try
            {
                // Still under the lock: a socket that is bound and does not listen yet looks stale.
                if (Posix.Listen(socket.File, Backlog) != 0) throw Errno.Failure($"Listening at {path} failed", Errno.Last);
                return new(path, options, socket);
            }
            catch
            {
                if (held is not null) _ = Posix.Unlink(path);
                throw;
            }
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Waits for a connection whose handshake is done.</summary>
    /// <exception cref="TimeoutException">Nobody connected in time, or a client did not begin its handshake within
    /// <see cref="ChannelOptions.Timeout"/>.</exception>
    /// <exception cref="IpcProtocolException">A client connected that is no channel or belongs to another user. The listener goes on. A
    /// client that left again without a word is not told of: it only looked whether somebody listens.</exception>
    /// <exception cref="IOException">This process lacked what a client takes, such as a descriptor. The listener goes on.</exception>
    public IpcChannel Accept(TimeSpan timeout)
    {
        Deadline deadline = Deadline.After(timeout);
        ObjectDisposedException.ThrowIf(_isDisposed != 0, this);
        while (!_accepted.Wait(deadline.MillisecondsLeft))
            if (deadline.HasPassed) throw new TimeoutException($"Nobody connected to {_path} within {timeout}.");
        return Next();
    }

    /// <summary>Waits for a connection, without a limit.</summary>
    /// <inheritdoc cref="Accept(TimeSpan)"/>
    public IpcChannel Accept() => Accept(Timeout.InfiniteTimeSpan);

    /// <summary>Waits for a connection without a thread.</summary>
    /// <inheritdoc cref="Accept(TimeSpan)"/>
    public async ValueTask<IpcChannel> AcceptAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed != 0, this);
        await _accepted.WaitAsync(cancellationToken).ConfigureAwait(false);
        return Next();
    }

    /// <summary>Stops listening and removes the path. Connections that nobody accepted are closed.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0) return;
        // Without a lock: no other listener replaces a socket that still listens.
        if (_file is { } own && FileIdentity.Of(_path, followsLinks: false) is { } there && there.IsSameAs(own)) _ = Posix.Unlink(_path);
        // Wakes the calls that wait, which find nothing, and the thread.
        Uninterrupted.Run(_accepted, static accepted => _ = accepted.Release(MoreThanWaiters));
        _ = Posix.Shutdown(_socket.File, Posix.SHUT_RDWR);
        Uninterrupted.Run(_threadHasEnded, static ended => ended.Wait());
        _socket.Dispose();
        while (_ready.TryDequeue(out Accepted left)) left.Channel?.Dispose();
    }

    // Removes a socket that nobody answers at. Anything else stays.
    private static void RemoveStale(string path)
    {
        if (FileIdentity.Of(path, followsLinks: false) is not { } found) return;
        if (!found.IsSocket) throw new IOException($"{path} is a file and no socket: it is not replaced. Choose another path, or " +
            "remove it.");
        ChannelSocket? answer = SocketAddress.TryConnect(path, out int error);
        answer?.Dispose();
        // Refused is the one sure sign. A full queue, or another kind of socket, is somebody's.
        if (answer is not null || error != Errno.ECONNREFUSED)
            throw new IOException($"Somebody listens at {path} already.", Errno.EADDRINUSE);
        // What is left is in the way of the bind, which says so.
        _ = Posix.Unlink(path);
    }

    private IpcChannel Next()
    {
        // Empty: Dispose has ended the wait, or has taken what was there in the moment after it.
        ObjectDisposedException.ThrowIf(!_ready.TryDequeue(out Accepted next), this);
        Interlocked.Decrement(ref _open);
        if (next.Failure is { } failure) System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(failure);
        return next.Channel!;
    }

    private void Run()
    {
        List<Silent> silent = new(MostSilent);
        while (_isDisposed == 0 || silent.Count > 0)
            try
            {
                if (_isDisposed == 0) Serve(silent);
                else Remove(silent, 0).Dispose();
            }
            catch (Exception)
            {
                // The program could catch nothing on this thread: it would end. What is short, mostly memory, may be there again later.
                Thread.Sleep(PauseMilliseconds);
            }
        _threadHasEnded.Set();
    }

    // Waits until a client has come or spoken, and serves those that have.
    private unsafe void Serve(List<Silent> silent)
    {
        Posix.Pollfd* files = stackalloc Posix.Pollfd[MostSilent + 1];
        int polled = silent.Count;
        // While nobody takes those that are ready, new clients wait in the kernel's queue.
        bool hasRoom = Volatile.Read(ref _open) < MostReady;
        Deadline first = Deadline.Never;
        foreach (Silent client in silent) first = Deadline.Earlier(first, client.Deadline);
        files[0] = new() { File = hasRoom ? _socket.File : -1, Wanted = Posix.POLLIN };
        for (int i = 0; i < polled; i++) files[i + 1] = new() { File = silent[i].Socket.File, Wanted = Posix.POLLIN };
        _ = Posix.Poll(files, (ulong)polled + 1, first.Milliseconds(hasRoom ? int.MaxValue : PauseMilliseconds));
        for (int i = 0, at = 0; i < polled; i++)
        {
            if (files[i + 1].Ready != 0) Answer(Remove(silent, at));
            else if (silent[at].Deadline.HasPassed) Refuse(Remove(silent, at), isOver: true);
            else at++;
        }
        // After Dispose it is ready for ever.
        if (files[0].Ready != 0 && _isDisposed == 0) AcceptOne(silent);
    }

    private static ChannelSocket Remove(List<Silent> silent, int at)
    {
        ChannelSocket socket = silent[at].Socket;
        silent.RemoveAt(at);
        return socket;
    }

    private unsafe void AcceptOne(List<Silent> silent)
    {
        int file = Posix.Accept4(_socket.File, null, null, Posix.SOCK_CLOEXEC);
        if (file < 0)
        {
            // Out of descriptors or memory: the client stays in the queue, and a pause gives others time to close some.
            if (Errno.Last is not (Errno.EAGAIN or Errno.EINTR)) Thread.Sleep(PauseMilliseconds);
            return;
        }
        ChannelSocket socket = new(file);
        if (silent.Count == MostSilent)
        {
            ChannelSocket oldest = Remove(silent, 0);
            if (oldest.Poll(Posix.POLLIN, 0)) Answer(oldest);
            else Refuse(oldest, isOver: false);
        }
        silent.Add(new(socket, Deadline.After(_options.Timeout)));
    }

    // Closes the connection of a client that has not spoken. Accept tells of it when its time is over.
    private void Refuse(ChannelSocket socket, bool isOver)
    {
        TimeoutException silent = new($"A client of {_path} did not begin its handshake " +
            (isOver ? $"within {_options.Timeout}." : $"and made room for others: {MostSilent} clients had not spoken."));
        Fail(socket, silent, isTold: isOver);
    }

    // Answers a client that has spoken. Its whole part of the handshake is there, so this waits for nobody; one by one, they keep their
    // order.
    [SuppressMessage("Design", "CA1031", Justification = "Whatever fails is the accepting call's to throw.")]
    private void Answer(ChannelSocket socket)
    {
        try
        {
            SocketAddress.CheckUser(socket, _path, _options.SameUserOnly);
            Finish(new(IpcChannel.Open(socket, _options, Deadline.After(_options.Timeout), $"The client of {_path}"), null));
        }
        catch (IpcPeerGoneException)
        {
            // Who connects and is gone again only looked whether somebody listens, as a second listener does.
            socket.Dispose();
        }
        catch (Exception e)
        {
            Fail(socket, e is IpcException or TimeoutException ? e
                : new IOException($"A client of {_path} could not be served: {e.Message}", e), isTold: true);
        }
    }

    private void Fail(ChannelSocket socket, Exception failure, bool isTold)
    {
        socket.Dispose();
        ChannelEvents.Log.HandshakeFailed(_path, failure.Message);
        if (isTold) Finish(new(null, failure));
    }

    private void Finish(Accepted result)
    {
        Interlocked.Increment(ref _open);
        _ready.Enqueue(result);
        _accepted.Release();
        if (_isDisposed == 0) return;
        while (_ready.TryDequeue(out Accepted left)) left.Channel?.Dispose();
    }
}
