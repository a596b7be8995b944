using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using MemPrims.Channels.Native;

namespace MemPrims.Channels;

/// <summary>
/// Waits for connections at a path or an abstract name. Its own thread accepts them and runs their handshakes side by side, so a client
/// that says
/// nothing holds up nobody, and <see cref="IpcChannel.Connect"/> does not wait for the call of Accept.
/// </summary>
public sealed class IpcListener : IDisposable
{
    private const int Backlog = 128, MostReady = 64, MostHandshakes = 16;

    private readonly string _path;
    private readonly ChannelOptions _options;
    private readonly ChannelSocket _socket;
    private readonly FileIdentity? _file;
    private readonly ConcurrentQueue<Accepted> _ready = new();
    private readonly SemaphoreSlim _accepted = new(0), _room = new(MostReady), _handshakes = new(MostHandshakes);
    private readonly CancellationTokenSource _end = new();
    private readonly Thread _thread;
    private int _isDisposed;

    private IpcListener(string path, ChannelOptions options, ChannelSocket socket)
    {
        _path = path;
        _options = options;
        _socket = socket;
        _file = SocketAddress.IsAbstract(path) ? null : FileIdentity.Of(path);
        _thread = new(Run) { IsBackground = true, Name = $"MemPrims.Channels listener {path}" };
        _thread.Start();
    }

    // A finished handshake, or why it failed.
    private readonly record struct Accepted(IpcChannel? Channel, Exception? Failure);

    /// <summary>
    /// Listens at a path, for this user only (mode 0600), or at an abstract address <c>@name</c>, for processes of this user.
    /// </summary>
    /// <param name="path">A path of 107 bytes at most, or a name after an @. A socket there that nobody answers at is replaced.</param>
    /// <param name="options">How the accepted ends behave.</param>
    /// <exception cref="IOException">Somebody listens there already, or the path is a file of another kind; the message names
    /// it.</exception>
    public static IpcListener Listen(string path, ChannelOptions? options = null)
    {
        options = ChannelOptions.Checked(options);
        ArgumentException.ThrowIfNullOrEmpty(path);
        if (!SocketAddress.IsAbstract(path)) path = Path.GetFullPath(path);
        SocketAddress.Check(path);
        ChannelSocket socket = SocketAddress.New(nonBlocking: true);
        try
        {
            if (SocketAddress.IsAbstract(path)) SocketAddress.Bind(socket, path);
            else
            {
                using LockFile held = LockFile.Take(path, Deadline.After(options.Timeout));
                RemoveStale(path);
                SocketAddress.Bind(socket, path);
                // Still under the lock: a socket that is bound and does not listen yet looks stale.
                StartListening(socket, path);
                return new(path, options, socket);
            }
            StartListening(socket, path);
            return new(path, options, socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Waits for a connection whose handshake is done.</summary>
    /// <exception cref="TimeoutException">Nobody connected in time, or a client did not say its handshake within
    /// <see cref="ChannelOptions.Timeout"/>.</exception>
    /// <exception cref="IpcProtocolException">A client connected that is no channel or belongs to another user. The listener goes
    /// on.</exception>
    public IpcChannel Accept(TimeSpan timeout)
    {
        Deadline deadline = Deadline.After(timeout);
        ObjectDisposedException.ThrowIf(_isDisposed != 0, this);
        try
        {
            while (!_accepted.Wait(deadline.Milliseconds(int.MaxValue), _end.Token))
                if (deadline.HasPassed) throw new TimeoutException($"Nobody connected to {_path} within {timeout}.");
        }
        catch (OperationCanceledException) when (_isDisposed != 0)
        {
            throw new ObjectDisposedException(nameof(IpcListener));
        }
        return Next();
    }

    /// <inheritdoc cref="Accept(TimeSpan)"/>
    public async ValueTask<IpcChannel> AcceptAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed != 0, this);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _end.Token);
        try
        {
            await _accepted.WaitAsync(either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (_isDisposed != 0)
        {
            throw new ObjectDisposedException(nameof(IpcListener));
        }
        catch (OperationCanceledException e)
        {
            throw new OperationCanceledException(e.Message, e, cancellationToken);
        }
        return Next();
    }

    /// <summary>Stops listening and removes the path. Connections that nobody accepted are closed.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0) return;
        _end.Cancel();
        // On Linux this ends the poll and the accept of the thread.
        _ = Posix.Shutdown(_socket.File, Posix.ShutdownBoth);
        _thread.Join();
        if (_file is not null) RemoveOwn();
        _socket.Dispose();
        while (_ready.TryDequeue(out Accepted left)) left.Channel?.Dispose();
    }

    private static void StartListening(ChannelSocket socket, string path)
    {
        if (Posix.Listen(socket.File, Backlog) != 0) throw Errno.Failure($"Listening at {path} failed", Errno.Last);
    }

    /// <summary>Removes a socket that nobody answers at. Anything else stays.</summary>
    private static void RemoveStale(string path)
    {
        if (FileIdentity.Of(path) is not { } found) return;
        if (!found.IsSocket) throw new IOException($"{path} is a file and no socket: it is not replaced. Choose another path, or " +
            "remove it.");
        ChannelSocket? answer = SocketAddress.TryConnect(path, out int error);
        answer?.Dispose();
        // Refused is the one sure sign. A full queue, or another kind of socket, is somebody's.
        if (answer is not null || error != Errno.Refused)
            throw new IOException($"Somebody listens at {path} already.", Errno.AddressInUse);
        File.Delete(path);
    }

    private void RemoveOwn()
    {
        try
        {
            using LockFile held = LockFile.Take(_path, Deadline.After(TimeSpan.FromSeconds(1)));
            if (FileIdentity.Of(_path) == _file) File.Delete(_path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or TimeoutException)
        {
            // A folder that is gone, or not ours any more: the next listener finds a stale socket and replaces it.
        }
    }

    private IpcChannel Next()
    {
        _room.Release();
        _ready.TryDequeue(out Accepted next);
        if (next.Failure is { } failure) System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(failure);
        return next.Channel!;
    }

    private unsafe void Run()
    {
        try
        {
            while (true)
            {
                // Clients wait in the kernel's queue while nobody takes those that are ready.
                _room.Wait(_end.Token);
                _handshakes.Wait(_end.Token);
                int file;
                while ((file = Posix.Accept(_socket.File, null, null, Posix.CloseOnExecSocket)) < 0)
                {
                    _end.Token.ThrowIfCancellationRequested();
                    // Out of descriptors or memory: the client stays in the queue, and a pause gives others time to close some.
                    if (Errno.Last == Errno.TryAgain) _socket.Poll(Posix.PollIn, 500);
                    else Thread.Sleep(10);
                }
                ThreadPool.UnsafeQueueUserWorkItem(Greet, new ChannelSocket(file), preferLocal: false);
            }
        }
        catch (OperationCanceledException)
        {
            // Disposed.
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "Whatever fails is the accepting call's to throw.")]
    private void Greet(ChannelSocket socket)
    {
        try
        {
            SocketAddress.CheckUser(socket, _path, _options.SameUserOnly);
            Finish(new(IpcChannel.Open(socket, _options, Deadline.After(_options.Timeout), $"The client of {_path}"), null));
        }
        catch (Exception e)
        {
            socket.Dispose();
            ChannelEvents.Log.HandshakeFailed(_path, e.Message);
            // Who connects and is gone again only looked whether somebody listens.
            if (e is IpcProtocolException { Fault: IpcFault.PeerGone }) _room.Release();
            else Finish(new(null, e));
        }
        finally
        {
            _handshakes.Release();
        }
    }

    private void Finish(Accepted result)
    {
        _ready.Enqueue(result);
        _accepted.Release();
        if (_isDisposed == 0) return;
        while (_ready.TryDequeue(out Accepted left)) left.Channel?.Dispose();
    }
}
