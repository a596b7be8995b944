using MemPrims;
using MemPrims.Buffers;
using MemPrims.Channels;

namespace DocumentStore.Index;

/// <summary>
/// A request has its kind, its number, and up to where the log is on the disk. The answer begins with the number.
/// </summary>
internal enum Request : byte
{
    /// <summary>Nothing more, and no answer.</summary>
    Feed,

    /// <summary>How far has the worker come?</summary>
    State,

    /// <summary>The same, and see Query.Write and QueryResult.Read.</summary>
    Query,

    /// <summary>Compare the indexes with the documents. The answer is whether that is done, and what is wrong.</summary>
    Verify,
}

/// <summary>
/// The process that keeps the indexes. It reads the log of the engine, and takes in changes between requests. It ends with the engine, and
/// leaves its files saved.
/// </summary>
public sealed class IndexWorker
{
    private const string Verb = "index-worker";

    private static readonly TimeSpan s_quiet = TimeSpan.FromMilliseconds(250);

    private readonly IpcChannel _engine;
    private readonly Indexer _index;
    private long _end;
    private Task<string?>? _check;

    private IndexWorker(IpcChannel engine, Indexer index) => (_engine, _index) = (engine, index);

    /// <summary>A page of 100 documents takes the engine longer than a channel spins unless told: 20 µs.</summary>
    internal static ChannelOptions Options { get; } = new() { SpinMicroseconds = 100 };

    /// <summary>To be called first in the Main of a program that opens collections: such a program is started again as the
    /// worker.</summary>
    /// <returns>Whether this was a worker, which has ended now.</returns>
    public static bool TryRun(string[] args, out int exitCode)
    {
        exitCode = 0;
        if (args is not [Verb, string folder, string definition, string address]) return false;
        try
        {
            using IpcChannel engine = IpcChannel.Connect(address, Options);
            using Indexer index = new(folder, long.Parse(definition));
            new IndexWorker(engine, index).Serve();
            if (!index.IsSaved) index.Save();
        }
        catch (DamagedDataException e)
        {
            Console.Error.WriteLine($"index worker: {e.Message} The indexes are built again.");
            File.Delete(Indexer.PathIn(folder, long.Parse(definition)));
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
    /// <param name="definition">The place of the definition in the log.</param>
    internal static string[] Arguments(string folder, long definition) => [Verb, folder, $"{definition}"];

    private void Serve()
    {
        try
        {
            while (!_engine.HasEnded)
            {
                // A check reads beside requests. Changes wait for it.
                bool isBehind = _index.Position < _end && _check is not { IsCompleted: false };
                if (isBehind) _index.Advance(_end);
                if (!_engine.TryReceive(out IpcMessage? message) && !isBehind)
                {
                    try
                    {
                        message = _engine.Receive(_index.IsSaved ? Timeout.InfiniteTimeSpan : s_quiet);
                    }
                    catch (TimeoutException)
                    {
                        if (_check is not { IsCompleted: false }) _index.Save();
                    }
                }
                using (message)
                    if (message is not null) Answer(message.Payload.Span);
            }
        }
        catch (IpcPeerGoneException)
        {
            // The engine was killed.
        }
        _check?.Wait();
    }

    private void Answer(ReadOnlySpan<byte> message)
    {
        SpanReader from = new(message);
        (Request request, uint number) = (from.Read<Request>(), from.ReadVarintUInt32());
        _end = Math.Max(_end, (long)from.ReadVarint());
        if (request == Request.Feed) return;
        if (request != Request.State) _index.MakeWhole(_end);
        using SegmentList answer = new();
        using (Appender to = new(answer))
        {
            to.WriteVarint(number);
            if (request != Request.Verify) to.WriteVarint((ulong)_index.Position);
            else
            {
                if (_index.Position == _end) _check ??= Task.Run(() => IndexCheck.Run(_index));
                string? wrong = _check is { IsCompleted: true } ? _check.Result ?? "" : null;
                to.Write(wrong is not null);
                to.WriteText(wrong ?? "");
                if (wrong is not null) _check = null;
            }
            to.Commit();
        }
        if (request == Request.Query) QueryRunner.Run(_index.Files, from.Unread, answer);
        _engine.Send(answer.AsSequence());
    }
}
