using MemPrims.Pages;
using MemPrims.Records;
using MemPrims.Sets;

namespace LogPages;

// The samples of LOG.md, compiled and run.
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
            await reader.TailAsync(next, cancellationToken: stop);   // until there is more; OperationCanceledException ends it
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
        using (LogFile first = LogFile.Create(folder))
            foreach (string order in (string[])["orders/7 Bergen", "orders/1234 Rome", "o Oslo", "orders/7 Paris"])
                first.Append(System.Text.Encoding.UTF8.GetBytes(order));
        for (int opening = 0; opening < 5; opening++)
        {
            // Anew from the whole log at the fourth opening.
            if (opening == 3) File.Delete(indexPath);
            using LogFile log = LogFile.Open(folder);
            Assert.Equal(4 + opening, log.Recovery.Frames);
            Assert.Equal("orders/7 Paris", Index(log));
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
        // 1. Open the index. Where a crash left a tree half changed it is a new one, and LastCheckpoint is 0.
        using MappedPages pages = MappedPages.OpenOrCreate(indexPath);
        SortedTree places = pages.Tree("places"u8), about = pages.Tree("about"u8);
        byte[] number = BitConverter.GetBytes(log.Id);
        if (about.TryGet("log"u8, out ReadOnlySpan<byte> whose) && !whose.SequenceEqual(number))
            throw new IOException($"{indexPath} is of another log: delete it.");
        if (pages.LastCheckpoint > log.End) throw new IOException($"{indexPath} knows more than the log has: delete it.");
        about.Set("log"u8, number);
        FacetField cities = about.TryGet("cities"u8, out ReadOnlySpan<byte> saved) ? FacetField.Open(saved.ToArray()) : new();

        // 2. Catch up: what was synced and is not in the checkpoint.
        long end = Apply(pages.LastCheckpoint);

        // 3. A change: append, sync, apply.
        log.Append("orders/1234 Oslo"u8);
        log.Sync();
        end = Apply(end);

        // 4. Checkpoint: now and then, and before Dispose.
        about.Set("cities"u8, cities.ToByteArray());
        pages.Checkpoint(end);

        if (places.TryGet("orders/7"u8, out ReadOnlySpan<byte> place)) Use(log.Read(BitConverter.ToInt64(place)));

        long Apply(long from)
        {
            foreach (LogEntry entry in log.ReadFrom(from, onlySynced: true))
            {
                int space = entry.Payload.IndexOf((byte)' ');           // a payload is a key, a space and a city here
                ReadOnlySpan<byte> key = entry.Payload[..space], city = entry.Payload[(space + 1)..];
                uint id = places.TryGet(key, out ReadOnlySpan<byte> old) ? BitConverter.ToUInt32(old[8..]) : (uint)places.Count;
                cities.Set(id, city);                                   // whole values: to apply an entry twice does no harm
                places.Set(key, [.. BitConverter.GetBytes(entry.Position), .. BitConverter.GetBytes(id)]);
                from = entry.Next;
            }
            return from;
        }
        // end of README

        Assert.Equal((log.SyncedEnd, 3L, 3L), (end, places.Count, cities.DocumentCount));
        Assert.Equal(["Oslo: 2", "Paris: 1"], cities.Top(IdSet.FromInterval(0, 2), most: 10).Select(city => city.ToString()));
    }
}
