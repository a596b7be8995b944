using System.Diagnostics;

namespace DocumentStore.Index;

/// <summary>
/// The process that keeps the indexes. It reads the log of the engine, and takes in changes between requests. It ends with the engine, and
/// leaves its files saved.
/// </summary>
public sealed class IndexWorker
{
    /// <summary>In the place of a request's number: the worker cannot work, and a text says why.</summary>
    internal const uint RefusedNumber = 0;

    private const string Verb = "index-worker";

    private static readonly TimeSpan s_quiet = TimeSpan.FromMilliseconds(250);

    private readonly IpcChannel _engine;
    private readonly Indexes _indexes;
    private long _end, _start;
    private Task<string?>? _check;

    private IndexWorker(IpcChannel engine, Indexes indexes) => (_engine, _indexes) = (engine, indexes);

    /// <summary>A page of 100 documents takes the engine longer than a channel spins unless told: 20 µs.</summary>
    internal static ChannelOptions Options { get; } = new() { SpinMicroseconds = 100 };

    /// <summary>To be called first in the Main of a program that opens collections: such a program is started again as the
    /// worker.</summary>
    /// <returns>Whether this was a worker, which has ended now.</returns>
    public static bool TryRun(string[] args, out int exitCode)
    {
        exitCode = 0;
        if (args is not [Verb, string folder, string name, string definition, string address]) return false;
        // Where processors are short, changes are acknowledged first and taken in later.
        using (Process self = Process.GetCurrentProcess()) self.PriorityClass = ProcessPriorityClass.BelowNormal;
        try
        {
            using IpcChannel engine = IpcChannel.Connect(address, Options);
            if (Open(engine, folder, name, long.Parse(definition)) is not { } indexes) return true;
            using (indexes) new IndexWorker(engine, indexes).Serve();
        }
        catch (DamagedDataException e)
        {
            Console.Error.WriteLine($"index worker: {e.Message} The indexes are built again.");
            File.Delete(Path.Combine(folder, name));
            exitCode = 3;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            Console.Error.WriteLine($"index worker: {e.Message}");
            exitCode = 2;
        }
        return true;
    }

    /// <param name="folder">The collection's.</param>
    /// <param name="name">The file of the indexes.</param>
    /// <param name="definition">The place of the definition in the log.</param>
    internal static string[] Arguments(string folder, string name, long definition) => [Verb, folder, name, $"{definition}"];

    /// <summary>Opens the indexes, or tells who asks first why that cannot be: null. The next worker tries again.</summary>
    private static Indexes? Open(IpcChannel engine, string folder, string name, long definition)
    {
        try
        {
            return new(folder, name, definition);
        }
        catch (Exception e) when (e is IOException and not DamagedDataException or UnauthorizedAccessException)
        {
            while (engine.Receive() is { } message)
            {
                using IpcMessage _ = message;
                if (new SpanReader(message.Payload.Span).Read<Request>() == Request.Feed) continue;
                using SegmentList answer = new();
                using Appender to = new(answer);
                to.WriteVarint(RefusedNumber);
                to.WriteText(e.Message);
                to.Commit();
                engine.Send(answer.AsSequence());
                break;
            }
            return null;
        }
    }

    // A check reads beside requests. Changes wait for it.
    private bool IsChecking => _check is { IsCompleted: false };

    private void Serve()
    {
        try
        {
            while (!_engine.HasEnded)
            {
                // All that wait, or a question would wait for as many slices as there are words of new ends before it.
                while (_engine.TryReceive(out IpcMessage? waiting)) Answer(waiting);
                if (_indexes.Log.Start < _start && !IsChecking) _indexes.OpenLogAgain();
                if (_indexes.Position < _end && !IsChecking) _indexes.Advance(_end);
                else if (Wait() is { } message) Answer(message);
            }
        }
        catch (IpcPeerGoneException)
        {
            // The engine was killed.
        }
        _check?.Wait();
        _indexes.Save();
    }

    /// <summary>Waits for a message, and saves the indexes where none comes.</summary>
    private IpcMessage? Wait()
    {
        try
        {
            return _engine.Receive(_indexes.IsSaved ? Timeout.InfiniteTimeSpan : s_quiet);
        }
        catch (TimeoutException)
        {
            if (!IsChecking) _indexes.Save();
            return null;
        }
    }

    private void Answer(IpcMessage message)
    {
        using IpcMessage _ = message;
        SpanReader from = new(message.Payload.Span);
        (Request request, uint number) = (from.Read<Request>(), from.ReadVarintUInt32());
        (_end, _start) = (Math.Max(_end, (long)from.ReadVarint()), Math.Max(_start, (long)from.ReadVarint()));
        if (request == Request.Feed) return;
        if (request is Request.Query or Request.Verify) _indexes.MakeLevel(_end);
        if (request == Request.Save && !IsChecking && (long)from.ReadVarint() is var wanted && _indexes.Position >= wanted
            && _indexes.SavedTo < wanted) _indexes.Save();
        using SegmentList answer = new();
        using (Appender to = new(answer))
        {
            to.WriteVarint(number);
            switch (request)
            {
                case Request.Save:
                    to.WriteVarint((ulong)_indexes.SavedTo);
                    break;
                case Request.Verify:
                    string? wrong = Check();
                    to.Write(wrong is not null);
                    to.WriteText(wrong);
                    break;
                default:
                    to.WriteVarint((ulong)_indexes.Position);
                    break;
            }
            to.Commit();
        }
        if (request == Request.Query) QueryRunner.Run(_indexes, from.Unread, answer);
        _engine.Send(answer.AsSequence());
    }

    /// <summary>Begins a check, or tells what it has found.</summary>
    /// <returns>Null: it is not done; empty: nothing is wrong.</returns>
    private string? Check()
    {
        if (_indexes.Position == _end) _check ??= Task.Run(() => IndexCheck.Run(_indexes));
        if (_check is not { IsCompleted: true } done) return null;
        _check = null;
        return done.Result ?? "";
    }
}
