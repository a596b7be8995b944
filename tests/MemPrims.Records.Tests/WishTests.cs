using System.Text;

namespace MemPrims.Records.Tests;

// What makes a file pleasant to use, beyond reading and committing.
public class WishTests
{
    private const int Records = 1000;

    [Fact]
    public void A_file_is_opened_or_made_and_a_record_updated_in_one_call()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        for (int opened = 1; opened <= 2; opened++)
        {
            using var file = MappedFile<IndexStats>.OpenOrCreate(path);
            if (file.Count == 0)
            {
                file.AppendNew();
            }
            file.Update(0, static s => s.Attempts++);
            file.Update(0, "why", static (s, why) => s.LastError = Encoding.UTF8.GetBytes(why));
            Assert.Throws<InvalidOperationException>(() => file.Update(0, static s =>
            {
                s.Attempts = 99;
                throw new InvalidOperationException();
            }));
            Assert.Equal((opened, "why"), file.Read(0, static s => (s.Attempts, Encoding.UTF8.GetString(s.LastError))));
        }
    }

    [Fact]
    public void A_read_in_a_transaction_sees_its_changes_and_marks_no_page()
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), Records);
        long before = file.Transaction;
        using (var tx = file.BeginWrite())
        {
            for (int i = 0; i < Records; i++) Assert.Equal(i, tx.Read(i, static s => s.LastEtag));
            tx.Commit();
        }
        Assert.Equal(before, file.Transaction);
        using var second = file.BeginWrite();
        IndexStats s = second[7];
        s.LastEtag = -7;
        Assert.Equal((-7, 8, "error 7"),
            (second.Read(7, static s => s.LastEtag), second.Read(8, static s => s.LastEtag),
            second.Read(7, static s => Encoding.UTF8.GetString(s.LastError))));
        Assert.Throws<ArgumentOutOfRangeException>(() => second.Read(Records, static s => s.LastEtag));
    }

    [Fact]
    public async Task A_backup_is_the_file_as_it_was_and_the_writer_goes_on()
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), Records);
        for (int i = 0; i < 20; i++) file.Increment(i * 40, IndexStats.Fields.Attempts);
        using CancellationTokenSource stop = new();
        Task writer = Task.Run(() =>
        {
            while (!stop.IsCancellationRequested) file.Increment(999, IndexStats.Fields.Attempts);
        });
        file.CopyTo(folder.File("backup"));
        await stop.CancelAsync();
        await writer;
        Assert.Throws<IOException>(() => file.CopyTo(folder.File("backup")));
        _ = new IndependentReader(File.ReadAllBytes(folder.File("backup")));
        using var backup = MappedFile<IndexStats>.Open(folder.File("backup"));
        backup.Verify();
        for (int i = 0; i < Records - 1; i++) Assert.Equal((i, i % 40 == 0 && i < 800 ? 1 : 0),
            backup.Read(i, static s => ((int)s.LastEtag, s.Attempts)));
        Assert.Equal(2, backup.Increment(40, IndexStats.Fields.Attempts));
        backup.Verify();
    }

    [Fact]
    public void Ranges_and_parts_of_a_snapshot_are_scanned_and_miss_nothing()
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), Records);
        using var snapshot = file.Pin();
        foreach (Range ids in (Range[])[Range.All, 0..0, 0..1, 25..27, 26..52, 999.., 3..^3, ^1..])
        {
            (int first, int count) = ids.GetOffsetAndLength(Records);
            List<long> found = [];
            foreach (IndexStats.View s in snapshot.Scan(ids)) found.Add(s.LastEtag);
            Assert.Equal(Enumerable.Range(first, count).Select(i => (long)i), found);
        }
        Assert.Throws<ArgumentOutOfRangeException>(() => snapshot.ScanOf<IndexStats.View>(0..(Records + 1)).MoveNext());
        foreach (int parts in (int[])[1, 2, 7, 38, 100])
        {
            bool[] seen = new bool[Records];
            Parallel.ForEach(snapshot.Split(parts), ids =>
            {
                foreach (IndexStats.View s in snapshot.Scan(ids))
                {
                    Assert.False(seen[s.LastEtag]);
                    seen[s.LastEtag] = true;
                }
            });
            Assert.DoesNotContain(false, seen);
        }
    }
}
