using System.ComponentModel;
using System.Diagnostics;
using DocumentStore.Index;

namespace DocumentStore;

/// <summary>
/// The engine's side of the worker: starts it, and again when it has died; asks again what it left unanswered. Threads: any number ask,
/// and take turns; one feeds.
/// </summary>
internal sealed class WorkerProcess : IDisposable
{
    private static readonly TimeSpan s_start = TimeSpan.FromSeconds(30), s_end = TimeSpan.FromSeconds(60);

    private readonly LogFile _log;
    private readonly string[] _command;
    private readonly Lock _asking = new(), _starting = new();
    private volatile Process? _process;
    private volatile IpcChannel? _channel;
    private volatile bool _isClosed;
    private Task? _start;
    private uint _asked;

    public WorkerProcess(LogFile log, string[] command)
    {
        (_log, _command) = (log, command);
        Feed();
    }

    public delegate T Reading<T>(ref SpanReader from);

    public int? ProcessId => _process is { HasExited: false } process ? process.Id : null;

    /// <summary>Tells of a new end of the log, or starts a worker where none runs. It never waits: the next request tells again.</summary>
    public void Feed()
    {
        if (ProcessId is null)
        {
            // Where it cannot be started, the next request tells why.
            if (_start is null or { IsCompleted: true }) _start = Task.Run(Start);
            return;
        }
        using SegmentList message = Message(Request.Feed, 0, null);
        try
        {
            _channel?.TrySend(message.AsSequence());
        }
        catch (Exception e) when (e is IpcException or ObjectDisposedException)
        {
            // It has just died.
        }
    }

    /// <summary>Has the worker compare the indexes with the documents, beside other requests: null, or what is wrong.</summary>
    public string? Verify(TimeSpan timeout)
    {
        for (; ; Thread.Sleep(5))
        {
            (bool isDone, string wrong) = Ask(Request.Verify, timeout, static (ref from) => (from.Read<bool>(), from.ReadText()));
            if (isDone) return wrong.Length > 0 ? wrong : null;
        }
    }

    /// <summary>Sends a request and reads the answer, from the next worker where this one dies.</summary>
    /// <exception cref="TimeoutException">No worker has answered in time.</exception>
    public T Ask<T>(Request request, TimeSpan timeout, Reading<T> read, Query? query = null)
    {
        long start = Stopwatch.GetTimestamp();
        Exception? trouble = null;
        if (_asking.TryEnter(Left()))
            try
            {
                using SegmentList message = Message(request, ++_asked, query);
                for (; Left() > TimeSpan.Zero; Thread.Sleep(5))
                {
                    ObjectDisposedException.ThrowIf(_isClosed, this);
                    try
                    {
                        IpcChannel channel = Start();
                        channel.Send(message.AsSequence());
                        while (channel.Receive(Left()) is { } answer)
                        {
                            using IpcMessage _ = answer;
                            SpanReader from = new(answer.Payload.Span);
                            // Who asked for another one did not wait for it.
                            if (from.ReadVarintUInt32() == _asked) return read(ref from);
                        }
                    }
                    catch (Exception e) when (e is IOException or TimeoutException or ObjectDisposedException or Win32Exception)
                    {
                        trouble = e;
                    }
                }
            }
            finally
            {
                _asking.Exit();
            }
        throw new TimeoutException($"The index worker has not answered for {timeout.TotalSeconds:0.###} s. {trouble?.Message}", trouble);

        TimeSpan Left() => timeout - Stopwatch.GetElapsedTime(start) is var left && left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    public void Dispose()
    {
        lock (_starting) _isClosed = true;
        _channel?.Dispose();
        if (_process?.WaitForExit(s_end) == false) _process.Kill();
    }

    private IpcChannel Start()
    {
        lock (_starting)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            if (_channel is { HasEnded: false } channel && ProcessId is not null) return channel;
            _channel?.Dispose();
            string address = $"@docstore-{Guid.NewGuid():N}";
            using IpcListener listener = IpcListener.Listen(address, IndexWorker.Options);
            _process = Process.Start(_command[0], [.. _command[1..], address]);
            // A worker that dies before it connects is not waited for.
            _process.Exited += (_, _) => listener.Dispose();
            _process.EnableRaisingEvents = true;
            return _channel = listener.Accept(s_start);
        }
    }

    /// <summary>Each message says how far the log is on the disk.</summary>
    private SegmentList Message(Request request, uint number, Query? query)
    {
        SegmentList message = new();
        using (Appender to = new(message))
        {
            to.Write(request);
            to.WriteVarint(number);
            to.WriteVarint((ulong)_log.SyncedEnd);
            to.Commit();
        }
        query?.Write(message);
        return message;
    }
}
