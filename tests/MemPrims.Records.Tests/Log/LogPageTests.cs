using MemPrims.Records;

namespace LogPages;

/// <summary>The samples of LOG.md, compiled and run.</summary>
public class LogPageTests
{
    [Fact]
    public void Every_sample_of_the_page_is_compiled_and_run() => Assert.Empty(PageSamples.Differences(
        Repository.Read("src/MemPrims.Records/LOG.md"), Repository.Read("tests/MemPrims.Records.Tests/Log/LogPageTests.cs")));

    [Fact]
    public void A_log_is_written_read_and_cut()
    {
        using TempFolder place = new();
        string folder = place.File("log");
        // README
        using LogFile log = LogFile.OpenOrCreate(folder);       // puts in order what a crash left; log.Recovery says what
        long at = log.Append("an order"u8);                     // in memory, in order; its position is its name
        log.Sync();                                             // all that was appended before is on the disk
        ReadOnlySpan<byte> back = log.Read(at);                 // mapped memory, checked, nothing copied
        long checkpoint = at;
        foreach (LogEntry entry in log.ReadFrom(at))            // while others append
            checkpoint = entry.Next;
        log.CutBefore(checkpoint);                              // what a checkpoint made superfluous goes, file by file
        // end of README
        Assert.Equal("an order"u8, back);
        Assert.Equal(log.End, checkpoint);
    }

    [Fact]
    public async Task A_reader_follows()
    {
        using TempFolder place = new();
        string folder = place.File("log");
        using LogFile log = LogFile.OpenOrCreate(folder);
        for (int i = 0; i < 10; i++) log.Append("an order"u8);
        await log.SyncAsync();
        using CancellationTokenSource enough = new(TimeSpan.FromSeconds(30));
        CancellationToken stop = enough.Token;
        // README
        using LogFile reader = LogFile.OpenRead(folder);
        long next = 0;
        while (!stop.IsCancellationRequested)
        {
            await reader.TailAsync(next, stop);                 // until there is more; a writer's end ends no wait, the token does
            foreach (LogEntry entry in reader.ReadFrom(next)) next = Apply(entry);
        }
        // end of README
        Assert.Equal(log.End, next);

        long Apply(LogEntry entry)
        {
            Assert.Equal("an order"u8, entry.Payload);
            if (entry.Next == log.End) enough.Cancel();
            return entry.Next;
        }
    }
}
