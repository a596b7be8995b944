using System.Text;

namespace MemPrims.Records.Tests;

// Reading records, and writing and reading a log, allocate nothing once warm. A commit makes its transaction, and a sync of a log an
// object for those who wait together.
public class AllocationTests
{
    private const int Records = 200;

    [Fact]
    public void Records_are_read_without_allocating()
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), Records);
        using var reader = MappedFile<IndexStats>.OpenRead(folder.File("stats"));
        using var snapshot = reader.Pin();
        using var tx = file.BeginWrite();
        for (int i = 0; i < Records; i++) _ = tx[i];
        int at = 0;
        int Next() => (at += 7) % Records;
        Assert.Empty(Allocations.Of(
        [
            ("Read", () => Assert.True(file.Read(Next(), static s => s.LastEtag) >= 0)),
            ("Read with an argument", () => Assert.True(file.Read(Next(), 5L, static (s, more) => s.LastEtag + more) >= 5)),
            ("Read beside the writer", () => Assert.True(reader.Read(Next(), static s => s.LastEtag + s.LastError.Length) >= 7)),
            ("Read of a snapshot", () => Assert.True(snapshot.Read(Next(), static s => s.LastEtag + s.LastError.Length) >= 7)),
            ("changes once their pages are there", () =>
            {
                IndexStats s = tx[Next()];
                s.Attempts++;
                Assert.True(s.Attempts > 0);
            }),
            ("IsFree", () => Assert.True(!file.IsFree(Next()))),
            ("Count", () => Assert.True(file.Count == Records)),
            ("View", () => Assert.True(snapshot.View(Next()).LastEtag >= 0)),
            ("Scan", () =>
            {
                long sum = 0;
                foreach (IndexStats.View s in snapshot) sum += s.LastEtag;
                foreach (IndexStats.View s in snapshot.Scan(..Records)) sum += s.LastEtag;
                Assert.True(sum == Records * (Records - 1L));
            }),
        ]));
    }

    [Fact]
    public void A_log_is_written_and_read_without_allocating()
    {
        using TempFolder folder = new();
        using LogFile log = LogFile.Create(folder.File("log"), new() { Durability = Durability.ProcessCrash, FileBytes = 1 << 30 });
        byte[] payload = Encoding.UTF8.GetBytes("an entry of a log");
        long position = 0;
        Assert.Empty(Allocations.Of(
        [
            ("Append", () => position = log.Append(payload)),
            ("Read", () => Assert.True(log.Read(position).Length == payload.Length)),
            ("ReadFrom", () =>
            {
                foreach (LogEntry entry in log.ReadFrom(position)) Assert.True(entry.Payload.Length == payload.Length);
            }),
        ]));
    }
}
