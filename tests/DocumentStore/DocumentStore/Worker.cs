using System.ComponentModel;
using System.Diagnostics;
using DocumentStore.Index;

namespace DocumentStore;

/// <summary>
/// What the engine says to the worker, and asks again where one has died before it answered. Threads: any number ask, and take turns; one
/// feeds.
/// </summary>
internal sealed class Worker : IDisposable
{
    private readonly LogFile _log;
    private readonly WorkerProcess _process;
    private readonly Lock _asking = new();
    private IpcChannel? _answering;
    private Task? _start;
    private uint _asked;

    public Worker(LogFile log, Func<string[]> command)
    {
        (_log, _process) = (log, new(command));
        Feed();
    }

    public delegate T Reading<T>(ref SpanReader from);

    public int? ProcessId => _process.Id;

    /// <summary>Tells of a new end of the log, or starts a worker where none runs. It never waits: the next request tells again.</summary>
    public void Feed()
    {
        if (ProcessId is null)
        {
            // Where it cannot be started, the next request tells why.
            if (_start is null or { IsCompleted: true }) _start = Task.Run(_process.Connect);
            return;
        }
        using SegmentList message = Message(Request.Feed, 0);
        try
        {
            _process.Channel?.TrySend(message.AsSequence());
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

    /// <summary>Has a worker bring to the disk what the log has up to a position.</summary>
    /// <returns>The channel to it, for <see cref="TryDo"/>.</returns>
    public IpcChannel Save(long position, TimeSpan timeout)
    {
        long start = Stopwatch.GetTimestamp();
        for (; ; Thread.Sleep(5))
        {
            (long saved, IpcChannel by) = Ask(Request.Save, timeout - Stopwatch.GetElapsedTime(start),
                (ref from) => ((long)from.ReadVarint(), _answering!), message => Add(message, position));
            if (saved >= position) return by;
        }
    }

    /// <inheritdoc cref="WorkerProcess.TryDo"/>
    public bool TryDo(IpcChannel worker, Action action) => _process.TryDo(worker, action);

    /// <summary>Sends a request and reads the answer, from the next worker where this one dies.</summary>
    /// <param name="request">What is asked.</param>
    /// <param name="timeout">How long the answer may take.</param>
    /// <param name="read">Reads the answer. One that it can't read is no reason to ask again.</param>
    /// <param name="write">Adds to the request.</param>
    /// <exception cref="TimeoutException">No worker has answered in time.</exception>
    /// <exception cref="IOException">It cannot open its files.</exception>
    public T Ask<T>(Request request, TimeSpan timeout, Reading<T> read, Action<SegmentList>? write = null)
    {
        long start = Stopwatch.GetTimestamp();
        Exception? trouble = null;
        string? refusal = null;
        if (_asking.TryEnter(Left()))
            try
            {
                using SegmentList message = Message(request, ++_asked);
                write?.Invoke(message);
                for (; Left() > TimeSpan.Zero; Thread.Sleep(5))
                {
                    _process.ThrowIfClosed();
                    IpcMessage? answer = null;
                    try
                    {
                        _answering = _process.Connect();
                        _answering.Send(message.AsSequence());
                        // Who asked for another one did not wait for it.
                        while ((answer = _answering.Receive(Left())) is not null && NumberOf(answer) != _asked)
                            using (answer)
                                if ((refusal = RefusalOf(answer)) is not null) throw new IOException(refusal);
                    }
                    catch (Exception e) when (refusal is null
                        && (e is IOException or TimeoutException or ObjectDisposedException or Win32Exception))
                    {
                        (answer, trouble) = (null, e);
                    }
                    if (answer is null) continue;
                    using IpcMessage _ = answer;
                    SpanReader from = new(answer.Payload.Span);
                    from.ReadVarintUInt32();
                    return read(ref from);
                }
            }
            finally
            {
                _asking.Exit();
            }
        throw new TimeoutException($"The index worker has not answered for {timeout.TotalSeconds:0.###} s: it still takes in earlier "
            + $"changes, or does not run. {trouble?.Message}", trouble);

        TimeSpan Left() => timeout - Stopwatch.GetElapsedTime(start) is var left && left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    public void Dispose() => _process.Dispose();

    private static string? RefusalOf(IpcMessage answer)
    {
        SpanReader from = new(answer.Payload.Span);
        return from.TryReadVarintUInt32(out uint number) && number == IndexWorker.RefusedNumber && from.TryReadText(out string? why)
            ? $"The index worker cannot open its files: {why}" : null;
    }

    private static uint NumberOf(IpcMessage answer)
    {
        SpanReader from = new(answer.Payload.Span);
        return from.TryReadVarintUInt32(out uint number) ? number : 0;
    }

    /// <summary>Each message says how far the log is on the disk, and where it begins.</summary>
    private SegmentList Message(Request request, uint number)
    {
        SegmentList message = new();
        using Appender to = new(message);
        to.Write(request);
        to.WriteVarint(number);
        to.WriteVarint((ulong)_log.SyncedEnd);
        to.WriteVarint((ulong)_log.Start);
        to.Commit();
        return message;
    }

    private static void Add(SegmentList message, long position)
    {
        using Appender to = new(message);
        to.WriteVarint((ulong)position);
        to.Commit();
    }
}
