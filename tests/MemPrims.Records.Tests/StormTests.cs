namespace MemPrims.Records.Tests;

// Everything at once: threads that commit in every way, drop, pin, read, verify and copy, until the file is closed under them.
public class StormTests
{
    private const int Cells = 40, Total = Cells, Threads = 6;

    [Theory, InlineData(Durability.PowerLoss, 1), InlineData(Durability.ProcessCrash, 2)]
    public void Threads_that_do_everything_until_the_file_is_closed_lose_nothing_acknowledged(Durability durability, int seed)
    {
        using TempFolder folder = new(Directory.Exists("/dev/shm") ? "/dev/shm" : null);
        string path = folder.File("storm");
        MappedFileTests.Made(path, 0).Dispose();
        MappedFileOptions options = new()
        {
            Durability = durability, WriterTimeout = TimeSpan.FromMinutes(1),
            PinTimeout = TimeSpan.FromMinutes(1)
        };
        for (int round = 0; round < 4 * Seeds.Scale; round++)
        {
            var file = MappedFile<IndexStats>.Open(path, options);
            if (round == 0)
            {
                using var tx = file.BeginWrite();
                for (int i = 0; i <= Cells; i++) tx.Append();
                tx.Commit();
            }
            int before = file.Read(Total, static s => s.Attempts), acknowledged = 0, begun = 0, done = 0;
            Exception? wrong = null;
            Thread[] threads = [.. Enumerable.Range(0, Threads).Select(thread => new Thread(() =>
            {
                Random random = new(seed * 1000 + round * 100 + thread);
                try
                {
                    for (int step = 0; ; step++)
                    {
                        Act(file, folder.File($"copy {round} {thread} {step}"), random, ref acknowledged, ref begun);
                        Interlocked.Increment(ref done);
                    }
                }
                catch (ObjectDisposedException) { }
                catch (Exception e)
                {
                    wrong ??= e;
                }
            }))];
            foreach (Thread thread in threads) thread.Start();
            while (Volatile.Read(ref done) < 150 && wrong is null) Thread.Sleep(1);
            file.Dispose();
            foreach (Thread thread in threads) Assert.True(thread.Join(TimeSpan.FromMinutes(1)), "a thread hangs");
            Assert.Null(wrong);
            using var again = MappedFile<IndexStats>.Open(path, options with { WriterTimeout = TimeSpan.Zero });
            again.Verify();
            using (var snapshot = again.Pin()) CheckSum(snapshot);
            Assert.InRange(again.Read(Total, static s => s.Attempts) - before, acknowledged, begun);
            using var writes = again.BeginWrite();
        }
    }

    private static void Act(MappedFile<IndexStats> file, string copy, Random random, ref int acknowledged, ref int begun)
    {
        int cell = random.Next(Cells);
        switch (random.Next(12))
        {
            case 0:
                using (var tx = file.BeginWrite()) Change(tx, cell);
                break;
            case 1:
                Task commit;
                using (var tx = file.BeginWrite())
                {
                    Change(tx, cell);
                    Interlocked.Increment(ref begun);
                    commit = tx.CommitAsync();
                }
                commit.GetAwaiter().GetResult();
                Interlocked.Increment(ref acknowledged);
                break;
            case 2:
                using (var snapshot = file.Pin()) CheckSum(snapshot);
                break;
            case 3:
                file.Verify();
                break;
            case 4:
                file.CopyTo(copy);
                using (var copied = MappedFile<IndexStats>.OpenRead(copy))
                {
                    copied.Verify();
                    using var snapshot = copied.Pin();
                    CheckSum(snapshot);
                }
                File.Delete(copy);
                break;
            case 5:
            case 6:
                Assert.True(file.Read(cell, static s => s.Attempts) >= 0);
                break;
            default:
                using (var tx = file.BeginWrite())
                {
                    Change(tx, cell);
                    Interlocked.Increment(ref begun);
                    tx.Commit();
                }
                Interlocked.Increment(ref acknowledged);
                break;
        }
    }

    private static void Change(WriteTransaction<IndexStats> tx, int cell)
    {
        tx.Increment(cell, IndexStats.Fields.Attempts);
        // Appended and freed records come along.
        tx.Append(out int id);
        tx.Increment(Total, IndexStats.Fields.Attempts);
        tx.Free(id);
    }

    private static void CheckSum(PinnedSnapshot<IndexStats> snapshot)
    {
        long sum = 0;
        for (int i = 0; i < Cells; i++) sum += snapshot.View(i).Attempts;
        Assert.Equal(snapshot.View(Total).Attempts, sum);
    }
}
