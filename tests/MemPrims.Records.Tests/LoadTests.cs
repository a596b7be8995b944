namespace MemPrims.Records.Tests;

// A load of many records in one transaction is all there or not at all.
public class LoadTests
{
    private static readonly MappedFileOptions s_few = Small.Slots with { MaxTransactionBytes = 1 << 16 };

    [Theory, InlineData(Durability.PowerLoss), InlineData(Durability.ProcessCrash)]
    public void Loads_are_committed_dropped_and_changed_before_their_commit(Durability durability)
    {
        using TempFolder folder = TempFolder.With("load", out string path);
        using (var file = MappedFile<IndexStats>.Create(path, Small.Slots with { Durability = durability }))
        {
            for (int part = 0; part < 3; part++)
            {
                using var tx = file.BeginWrite();
                int first = tx.Count;
                for (int i = first; i < first + 4000; i++)
                {
                    tx.Append().LastEtag = i;
                    if (i > 3000 && i % 1000 == 0) Assert.Equal(i - 2000, tx.Read(i - 2000, static s => s.LastEtag));
                }
                // Nobody else sees them.
                Assert.Equal(first, file.Count);
                IndexStats again = tx[first + 7];
                again.Attempts = 7;
                Assert.Equal((first + 7, first + 8), (again.LastEtag, tx.Read(first + 8, static s => s.LastEtag)));
                // The second one is dropped.
                if (part != 1) tx.Commit();
            }
            file.Increment(3, IndexStats.Fields.ReduceAttempts);
            file.Verify();
            Check(file);
        }
        _ = new IndependentReader(File.ReadAllBytes(path));
        using var reopened = MappedFile<IndexStats>.Open(path);
        reopened.Verify();
        Check(reopened);
    }

    [Fact]
    public void A_transaction_beyond_its_memory_is_told_so_and_goes_on()
    {
        using TempFolder folder = new();
        using var file = MappedFile<IndexStats>.Create(folder.File("load"), s_few);
        using var tx = file.BeginWrite();
        MappedFileException told = Assert.Throws<MappedFileException>(() =>
        {
            for (int i = 0; i < int.MaxValue; i++) tx.Append();
        });
        Assert.Equal(MappedFileReason.Full, told.Reason);
        Assert.Contains("commit in parts", told.Message);
        int count = tx.Count;
        Assert.Equal(16 * 26, count);
        tx.Commit();
        file.Verify();
        Assert.Equal(count, file.Count);
    }

    [Fact]
    public void A_load_among_other_threads_commits_is_whole()
    {
        using TempFolder folder = new();
        using var file = MappedFile<IndexStats>.Create(folder.File("load"),
            new() { WriterTimeout = TimeSpan.FromMinutes(2) });
        file.CopyTo(folder.File("empty"));
        file.AppendNew(8);
        Parallel.For(0, 4, new() { MaxDegreeOfParallelism = 4 }, thread =>
        {
            for (int round = 0; round < 5; round++)
            {
                if (thread > 0) file.Increment(thread, IndexStats.Fields.Attempts);
                else
                {
                    using var tx = file.BeginWrite();
                    for (int i = tx.Count, end = i + 500; i < end; i++) tx.Append().LastEtag = i;
                    if (round % 2 == 0) tx.Commit();
                    else tx.CommitAsync().Wait();
                }
            }
        });
        file.Verify();
        Assert.Equal(2508, file.Count);
        for (int i = 8; i < 2508; i++) Assert.Equal(i, file.Read(i, static s => s.LastEtag));
        for (int i = 1; i < 4; i++) Assert.Equal(5, file.Read(i, static s => s.Attempts));
    }

    [Fact]
    public async Task A_load_on_top_of_a_commit_under_way_finds_its_records()
    {
        using TempFolder folder = new();
        using var file = MappedFile<IndexStats>.Create(folder.File("load"));
        for (int round = 0; round < 20; round++)
        {
            Task below;
            int first;
            using (var tx = file.BeginWrite())
            {
                first = tx.Count;
                for (int i = first; i < first + 50; i++) tx.Append().LastEtag = i;
                below = tx.CommitAsync();
            }
            using (var tx = file.BeginWrite())
            {
                for (int i = first + 50; i < first + 350; i++) tx.Append().LastEtag = i;
                IndexStats s = tx[first];
                s.Attempts = round;
                tx.Commit();
            }
            await below;
            Assert.Equal((first, round), file.Read(first, static s => ((int)s.LastEtag, s.Attempts)));
        }
        file.Verify();
        for (int i = 0; i < 20 * 350; i++) Assert.Equal(i, file.Read(i, static s => s.LastEtag));
    }

    private static void Check(MappedFile<IndexStats> file)
    {
        Assert.Equal(8000, file.Count);
        for (int i = 0; i < 8000; i++) Assert.Equal((i, i is 7 or 4007 ? 7 : 0), file.Read(i, static s => ((int)s.LastEtag, s.Attempts)));
    }
}
