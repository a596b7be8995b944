using MemPrims;
using MemPrims.Buffers;
using MemPrims.Channels;
using MemPrims.Records;

namespace DocumentStore.Index;

/// <summary>A request says up to where the log is on the disk. An answer begins with how far the worker has come.</summary>
internal enum Request : byte
{
    /// <summary>Nothing more, and no answer.</summary>
    Feed,

    /// <summary>How far are you?</summary>
    State,

    /// <summary>See Query.Write.</summary>
    Query,

    /// <summary>Compare the indexes with the documents; the answer is what is wrong.</summary>
    Verify,
}

/// <summary>
/// The process that keeps the indexes. It reads the log of the engine, and takes in changes between requests. It ends with the engine, and
/// leaves its files saved.
/// </summary>
public static class IndexWorker
{
    private const string Verb = "index-worker";

    /// <summary>A page of 100 documents takes the engine longer than a channel spins unless told: 20 µs.</summary>
    internal static ChannelOptions Options { get; } = new() { SpinMicroseconds = 100 };

    private static readonly TimeSpan s_quiet = TimeSpan.FromMilliseconds(250), s_formerWorker = TimeSpan.FromSeconds(60);

    /// <summary>To be called first in the Main of a program that opens collections: such a program is started again as the
    /// worker.</summary>
    /// <returns>Whether this was a worker, which has ended now.</returns>
    public static bool TryRun(string[] args, out int exitCode)
    {
        exitCode = 0;
        if (args is not [Verb, string folder, string address]) return false;
        try
        {
            using IpcChannel engine = IpcChannel.Connect(address, Options);
            using Indexer index = Open(folder);
            Serve(engine, index);
            if (!index.IsSaved) index.Checkpoint();
        }
        catch (DamagedDataException e) when (e is MemPrims.Pages.PageDamagedException)
        {
            Console.Error.WriteLine($"index worker: {e.Message} The index is built again.");
            File.Delete(Path.Combine(folder, "index.pages"));
            exitCode = 3;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            Console.Error.WriteLine($"index worker: {e.Message}");
            exitCode = 2;
        }
        return true;
    }

    internal static string[] Arguments(string folder, string address) => [Verb, folder, address];

    /// <summary>The worker of an engine that was killed may still be saving its files.</summary>
    private static Indexer Open(string folder)
    {
        for (long start = Environment.TickCount64; ; Thread.Sleep(5))
        {
            try
            {
                return new(folder);
            }
            catch (IOException e) when (e is not (DamagedDataException or FileNotFoundException or MappedFileException)
                && Environment.TickCount64 - start < s_formerWorker.TotalMilliseconds)
            {
            }
        }
    }

    private static void Serve(IpcChannel engine, Indexer index)
    {
        long end = 0;
        try
        {
            while (!engine.HasEnded)
            {
                bool isBehind = index.Position < end;
                if (isBehind) index.Advance(end);
                if (!engine.TryReceive(out IpcMessage? message) && !isBehind)
                {
                    try
                    {
                        message = index.IsSaved ? engine.Receive() : engine.Receive(s_quiet);
                        if (message is null) return;
                    }
                    catch (TimeoutException)
                    {
                        index.Checkpoint();
                    }
                }
                using (message)
                    if (message is not null) Answer(engine, index, message.Payload.Span, ref end);
            }
        }
        catch (IpcPeerGoneException)
        {
            // The engine was killed.
        }
    }

    private static void Answer(IpcChannel engine, Indexer index, ReadOnlySpan<byte> message, ref long end)
    {
        SpanReader from = new(message);
        Request request = from.Read<Request>();
        end = Math.Max(end, (long)from.ReadVarint());
        if (request == Request.Feed) return;
        if (request != Request.State) index.Level(end);
        using SegmentList answer = new();
        using (Appender to = new(answer))
        {
            to.WriteVarint((ulong)index.Position);
            if (request == Request.Verify)
            {
                to.WriteVarint(index.File["ids"].Count);
                to.WriteText(index.Check() ?? "");
            }
            to.Commit();
        }
        if (request == Request.Query) QueryRunner.Run(index, from.Unread, answer);
        engine.Send(answer.AsSequence());
    }
}
