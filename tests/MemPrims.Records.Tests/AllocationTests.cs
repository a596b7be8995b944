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
        using var file = MappedFile<IndexStats>.Create(folder.File("stats"));
        using (var all = file.BeginWrite())
        {
            for (int i = 0; i < Records; i++) all.Append().LastEtag = i;
            all.Commit();
        }
        using var snapshot = file.Pin();
        int at = 0;
        int Next() => (at += 7) % Records;
        Assert.Empty(Allocations.Of(
        [
            ("Read", () => Assert.True(file.Read(Next(), static s => s.LastEtag) >= 0)),
            ("Read with an argument", () => Assert.True(file.Read(Next(), 5L, static (s, more) => s.LastEtag + more) >= 5)),
            ("IsFree", () => Assert.True(!file.IsFree(Next()))),
            ("Count", () => Assert.True(file.Count == Records)),
            ("View", () => Assert.True(snapshot.View(Next()).LastEtag >= 0)),
            ("Scan", () =>
            {
                long sum = 0;
                foreach (IndexStats.View s in snapshot.Scan(..Records)) sum += s.LastEtag;
                Assert.True(sum == Records * (Records - 1L) / 2);
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
