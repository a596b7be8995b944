using System.Diagnostics;
using DocumentStore.Index;
using MemPrims.Buffers;
using MemPrims.Channels;
using MemPrims.Codecs;

namespace DocumentStore;

/// <summary>
/// The engine's side of the worker: starts it, and again when it dies; asks again what it left unanswered. Threads: any number; requests
/// take turns.
/// </summary>
internal sealed class WorkerProcess : IDisposable
{
    private static readonly TimeSpan s_start = TimeSpan.FromSeconds(30), s_end = TimeSpan.FromSeconds(60);

    private readonly string _folder;
    private readonly CollectionOptions _options;
    private readonly Func<long> _synced;
    private readonly Thread _keeper;
    private readonly Lock _asking = new();
    private readonly CancellationTokenSource _closing = new();
    private volatile IpcChannel? _channel;
    private volatile Process? _process;
    private volatile int _processId;
    private volatile string? _trouble;

    public WorkerProcess(string folder, CollectionOptions options, Func<long> synced)
    {
        (_folder, _options, _synced) = (folder, options, synced);
        _keeper = new(Keep) { IsBackground = true, Name = "keeper of the index worker" };
        _keeper.Start();
    }

    public int? ProcessId => _processId is var id and not 0 ? id : null;

    /// <summary>Tells of a new end of the log. It never waits: what the channel does not take at once is told with the next
    /// request.</summary>
    public void Feed(long end)
    {
        try
        {
            _channel?.TrySend(Message(Request.Feed, end));
        }
        catch (Exception e) when (e is IpcException or ObjectDisposedException)
        {
            // The next worker is told.
        }
    }

    /// <summary>Sends a request and takes the answer, from the next worker where this one dies.</summary>
    /// <exception cref="TimeoutException">No worker has answered in time.</exception>
    public IpcMessage Ask(Request request, in System.Buffers.ReadOnlySequence<byte> rest = default)
    {
        using SegmentList message = new();
        message.Append(Message(request, _synced()));
        foreach (ReadOnlyMemory<byte> piece in rest) message.Append(piece.Span);
        long end = Environment.TickCount64 + (long)_options.Timeout.TotalMilliseconds;
        lock (_asking)
            for (; ; Thread.Sleep(1))
            {
                ObjectDisposedException.ThrowIf(_closing.IsCancellationRequested, this);
                long left = end - Environment.TickCount64;
                if (left <= 0)
                    throw new TimeoutException($"The index worker has not answered for {_options.Timeout.TotalSeconds:0} s. {_trouble}");
                if (_channel is not { } channel) continue;
                try
                {
                    channel.Send(message.AsSequence());
                    if (channel.Receive(TimeSpan.FromMilliseconds(left)) is { } answer) return answer;
                    _channel = null;
                }
                catch (Exception e) when (e is IpcException or ObjectDisposedException)
                {
                    _trouble = e.Message;
                    Interlocked.CompareExchange(ref _channel, null, channel);
                }
                catch (TimeoutException)
                {
                    // Its answer would be taken for that to the next request.
                    Kill();
                }
            }
    }

    public void Dispose()
    {
        _closing.Cancel();
        _channel?.Dispose();
        if (!_keeper.Join(s_end)) Kill();
        _keeper.Join();
        _closing.Dispose();
    }

    internal static byte[] Message(Request request, long number)
    {
        byte[] message = new byte[1 + Varint.MaxSize];
        message[0] = (byte)request;
        return message[..(1 + Varint.Write(message.AsSpan(1), (ulong)number))];
    }

    /// <summary>A worker that dies before it connects is not waited for.</summary>
    private static IpcChannel Accept(IpcListener listener, Process process)
    {
        for (long start = Environment.TickCount64; ; )
        {
            try
            {
                return listener.Accept(TimeSpan.FromMilliseconds(200));
            }
            catch (TimeoutException) when (!process.HasExited && Environment.TickCount64 - start < s_start.TotalMilliseconds)
            {
            }
        }
    }

    private void Kill()
    {
        try
        {
            _process?.Kill();
        }
        catch (InvalidOperationException)
        {
            // It has just ended.
        }
    }

    private void Keep()
    {
        while (!_closing.IsCancellationRequested)
        {
            try
            {
                string address = $"@docstore-{Environment.ProcessId}-{Guid.NewGuid():N}";
                using IpcListener listener = IpcListener.Listen(address, IndexWorker.Options);
                ProcessStartInfo start = new(_options.Worker[0], [.. _options.Worker[1..], .. IndexWorker.Arguments(_folder, address)]);
                using Process process = _process = Process.Start(start)!;
                _processId = process.Id;
                using IpcChannel channel = Accept(listener, process);
                _channel = channel;
                Feed(_synced());
                if (_closing.IsCancellationRequested) channel.Dispose();
                process.WaitForExit();
                _channel = null;
                if (process.ExitCode != 0) _trouble = $"It ended with the code {process.ExitCode}; its error output tells why.";
            }
            catch (Exception e) when (e is IOException or TimeoutException or System.ComponentModel.Win32Exception)
            {
                _trouble = $"It could not be started: {e.Message}";
            }
            (_process, _processId) = (null, 0);
            _closing.Token.WaitHandle.WaitOne(_trouble is null ? 1 : 200);
        }
    }
}
