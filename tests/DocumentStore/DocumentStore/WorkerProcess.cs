using System.Diagnostics;
using DocumentStore.Index;

namespace DocumentStore;

/// <summary>The process of the worker: it is started, and again when it has died. Threads: any number.</summary>
/// <param name="command">The program with its arguments; asked at each start.</param>
internal sealed class WorkerProcess(Func<string[]> command) : IDisposable
{
    private static readonly TimeSpan s_start = TimeSpan.FromSeconds(30), s_end = TimeSpan.FromSeconds(60);

    private readonly Lock _starting = new();
    private volatile Process? _process;
    private volatile IpcChannel? _channel;
    private volatile bool _isClosed;

    public int? Id => _process is { HasExited: false } process ? process.Id : null;

    /// <summary>The channel to the last one that was started, which may have died.</summary>
    public IpcChannel? Channel => _channel;

    /// <summary>The channel to a worker that runs, or has just died.</summary>
    /// <exception cref="ObjectDisposedException">No more are started.</exception>
    public IpcChannel Connect()
    {
        lock (_starting)
        {
            ThrowIfClosed();
            if (_channel is { HasEnded: false } channel && Id is not null) return channel;
            _channel?.Dispose();
            string address = $"@docstore-{Guid.NewGuid():N}";
            using IpcListener listener = IpcListener.Listen(address, IndexWorker.Options);
            string[] words = [.. command(), address];
            _process = Process.Start(words[0], words[1..]);
            // A worker that dies before it connects is not waited for.
            _process.Exited += (_, _) => listener.Dispose();
            _process.EnableRaisingEvents = true;
            return _channel = listener.Accept(s_start);
        }
    }

    /// <summary>Does something while no worker is started; false where another one has been since.</summary>
    public bool TryDo(IpcChannel worker, Action action)
    {
        lock (_starting)
        {
            if (_channel != worker) return false;
            action();
            return true;
        }
    }

    public void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_isClosed, this);

    public void Dispose()
    {
        lock (_starting) _isClosed = true;
        _channel?.Dispose();
        if (_process?.WaitForExit(s_end) == false) _process.Kill();
    }
}
