using MemPrims.Pages;
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
        long at = log.Append("an order"u8);                     // in memory, in order; its position is its name in this log
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
        Assert.Equal((log.End, log.Id), (next, reader.Id));

        long Apply(LogEntry entry)
        {
            Assert.Equal("an order"u8, entry.Payload);
            if (entry.Next == log.End) enough.Cancel();
            return entry.Next;
        }
    }

    [Fact]
    public void An_index_beside_a_log_goes_on_from_its_checkpoint()
    {
        using TempFolder place = new();
        string folder = place.File("log"), indexPath = place.File("index.pages");
        using (LogFile first = LogFile.Create(folder)) first.Append("orders/7 paid"u8);
        for (int opening = 0; opening < 3; opening++)
            using (LogFile log = LogFile.Open(folder))
            {
                log.Append("orders/8 new"u8);
                log.Sync();
                Assert.Equal("orders/7 paid", Index(log));
            }
        using LogFile other = LogFile.Create(place.File("other"));
        Assert.Contains("another log", Assert.Throws<IOException>(() => Index(other)).Message);

        string Index(LogFile log)
        {
            string used = "";
            IndexOf(log, indexPath, payload => used = System.Text.Encoding.UTF8.GetString(payload));
            return used;
        }
    }

    private static void IndexOf(LogFile log, string indexPath, Action<ReadOnlySpan<byte>> Use)
    {
        // README
        using MappedPages pages = MappedPages.OpenOrCreate(indexPath); // anew, LastCheckpoint 0, where a crash left a tree half changed
        SortedTree byKey = pages.Tree("by key"u8), about = pages.Tree("about"u8);
        byte[] number = BitConverter.GetBytes(log.Id);
        if (about.TryGet("log"u8, out ReadOnlySpan<byte> id) && !id.SequenceEqual(number))
            throw new IOException($"{indexPath} is of another log: delete it.");
        about.Set("log"u8, number);

        long end = pages.LastCheckpoint;
        foreach (LogEntry entry in log.ReadFrom(end, onlySynced: true))
        {
            byKey.Set(entry.Payload[..8], BitConverter.GetBytes(entry.Position)); // a whole value: to catch up twice does no harm
            end = entry.Next;
        }
        pages.Checkpoint(end);                                  // now and then, and before Dispose

        if (byKey.TryGet("orders/7"u8, out ReadOnlySpan<byte> place))
            Use(log.Read(BitConverter.ToInt64(place)));
        // end of README
        Assert.True(end == log.SyncedEnd && byKey.Count <= 2);
    }
}
