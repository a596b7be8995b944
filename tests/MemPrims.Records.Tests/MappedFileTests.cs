using System.Text;

namespace MemPrims.Records.Tests;

// What a user does with a file, in the order in which the page tells it.
public class MappedFileTests
{
    [Fact]
    public void A_record_is_read_back_after_commit_and_after_reopening()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        using (var file = MappedFile<IndexStats>.Create(path))
        {
            using var tx = file.BeginWrite();
            IndexStats s = tx.Append(out int id);
            s.LastEtag = 42;
            s.Attempts++;
            s.LastError = "no such field"u8;
            tx.Commit();
            Assert.Equal(0, id);
            Assert.Equal(1, file.Count);
            Assert.Equal(42, file.Read(0, static s => s.LastEtag));
        }
        using var again = MappedFile<IndexStats>.Open(path);
        Assert.Equal("no such field", again.Read(0, static s => Encoding.UTF8.GetString(s.LastError)));
        Assert.Equal(1, again.Read(0, static s => s.Attempts));
        Assert.Equal(43, again.Read(0, 1L, static (s, more) => s.LastEtag + more));
    }

    [Fact]
    public void What_was_not_committed_never_was()
    {
        using TempFolder folder = new();
        using var file = Made(folder.File("stats"), 30);
        using (var tx = file.BeginWrite())
        {
            IndexStats s = tx[5];
            s.LastEtag = 99;
            tx.Append();
            Assert.Equal(31, tx.Count);
            Assert.Equal(30, file.Count);
            Assert.Equal(5, file.Read(5, static s => s.LastEtag));
        }
        Assert.Equal(30, file.Count);
        Assert.Equal(5, file.Read(5, static s => s.LastEtag));
        using var next = file.BeginWrite();
        Assert.Equal(5, next[5].LastEtag);
        Assert.Equal(0, next.Append().LastEtag);
    }

    [Fact]
    public void A_record_of_an_ended_transaction_cannot_be_set()
    {
        using TempFolder folder = new();
        using var file = Made(folder.File("stats"), 3);
        var tx = file.BeginWrite();
        IndexStats s = tx[1];
        tx.Commit();
        bool thrown = false;
        try
        {
            s.Attempts = 7;
        }
        catch (ObjectDisposedException)
        {
            thrown = true;
        }
        Assert.True(thrown);
        Assert.Throws<ObjectDisposedException>(() => tx[1].Attempts);
        Assert.Throws<ObjectDisposedException>(tx.Commit);
    }

    [Fact]
    public void Increment_is_one_call_and_one_commit()
    {
        using TempFolder folder = new();
        using var file = Made(folder.File("stats"), 3);
        long before = file.Transaction;
        Assert.Equal(1, file.Increment(2, IndexStats.Fields.Attempts));
        Assert.Equal(41, file.Increment(2, IndexStats.Fields.Attempts, 40));
        Assert.Equal(41, file.Read(2, static s => s.Attempts));
        Assert.Equal(before + 2, file.Transaction);
        Assert.Throws<OverflowException>(() => file.Increment(2, IndexStats.Fields.Attempts, int.MaxValue));
        Assert.Equal(41, file.Read(2, static s => s.Attempts));
    }

    [Theory, InlineData(Durability.PowerLoss, 4096), InlineData(Durability.ProcessCrash, 16384)]
    public void Thousands_of_random_changes_agree_with_a_plain_list_and_with_the_independent_reader(Durability durability, int slotBytes)
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileOptions options = new() { Durability = durability, MetaSlotBytes = slotBytes };
        Random random = Seeds.Random(slotBytes);
        List<(long Etag, int Attempts, string Error)> plain = [];
        MappedFile<IndexStats>.Create(path, options).Dispose();
        for (int opened = 0; opened < 6; opened++)
        {
            using var file = MappedFile<IndexStats>.Open(path, options);
            for (int commit = 0; commit < 20; commit++)
            {
                var copy = plain.ToList();
                using var tx = file.BeginWrite();
                for (int change = random.Next(60); change >= 0; change--)
                {
                    int id = random.Next(copy.Count + 3);
                    IndexStats s = id < copy.Count ? tx[id] : tx.Append(out id);
                    if (id == copy.Count) copy.Add(default);
                    string error = new('x', random.Next(129));
                    (s.LastEtag, s.Attempts) = (random.NextInt64(), random.Next());
                    s.LastError = Encoding.UTF8.GetBytes(error);
                    copy[id] = (s.LastEtag, s.Attempts, error);
                }
                if (random.Next(5) == 0) continue;
                tx.Commit();
                plain = copy;
            }
            file.Verify();
            using var snapshot = file.Pin();
            Assert.Equal(plain.Count, snapshot.Count);
            int at = 0;
            foreach (IndexStats.View s in snapshot.Scan())
            {
                Assert.Equal(plain[at], (s.LastEtag, s.Attempts, Encoding.UTF8.GetString(s.LastError)));
                Assert.Equal(plain[at].Etag, snapshot.Read(at, static s => s.LastEtag));
                Assert.Equal(plain[at].Attempts, snapshot.View(at).Attempts);
                at++;
            }
            Assert.Equal(plain.Count, at);
        }
        IndependentReader reader = new(File.ReadAllBytes(path));
        Assert.Equal((plain.Count, slotBytes), (reader.Records, reader.SlotBytes));
        for (int id = 0; id < plain.Count; id++)
        {
            Assert.Equal(plain[id].Etag, BitConverter.ToInt64(reader.Record(id)));
            Assert.Equal(plain[id].Error, Encoding.UTF8.GetString(reader.Variable(id, 12)));
        }
    }

    [Fact]
    public void A_full_bitmap_is_said_and_nothing_is_lost()
    {
        using TempFolder folder = new();
        using var file = MappedFile<Faults.Cell>.Create(folder.File("cells"),
            new() { Durability = Durability.ProcessCrash, MetaSlotBytes = Small.SlotBytes });
        const int most = (4096 - 128) * 8;
        for (int i = 0; i < most;)
        {
            using var tx = file.BeginWrite();
            for (int last = Math.Min(most, i + 1000); i < last; i++) tx.Append();
            tx.Commit();
        }
        using (var tx = file.BeginWrite()) Assert.Equal(MappedFileReason.Full,
            Assert.Throws<MappedFileException>(() => tx.Append().Value).Reason);
        Assert.Equal(most, file.Count);
        Assert.Equal(1, file.Increment(most - 1, Faults.Cell.Fields.Value));
    }

    [Fact]
    public void Verify_tells_its_progress_and_can_be_cancelled()
    {
        using TempFolder folder = new();
        using var file = Made(folder.File("stats"), 600 * 25);
        List<VerifyProgress> told = [];
        file.Verify(new Told(told));
        Assert.Equal(told[^1].Total, told[^1].Pages);
        Assert.True(told.Count > 1);
        Assert.Throws<OperationCanceledException>(() => file.Verify(null, new(canceled: true)));
    }

    internal static MappedFile<IndexStats> Made(string path, int records)
    {
        var file = MappedFile<IndexStats>.Create(path, Small.Slots);
        using var tx = file.BeginWrite();
        for (int i = 0; i < records; i++)
        {
            IndexStats s = tx.Append();
            s.LastEtag = i;
            s.LastError = Encoding.UTF8.GetBytes($"error {i}");
        }
        tx.Commit();
        return file;
    }

    private sealed class Told(List<VerifyProgress> told) : IProgress<VerifyProgress>
    {
        public void Report(VerifyProgress value) => told.Add(value);
    }
}
