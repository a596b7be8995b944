using System.Diagnostics;

namespace MemPrims.Records.Tests;

// Every public method on three threads against Dispose: only ObjectDisposedException may come of it, nobody hangs, and the next one can
// write at once. MEMPRIMS_LONG makes it a minute.
public class ClosingAttackTests
{
    private const int Records = 60, Threads = 3;
    private static readonly TimeSpan s_stuck = TimeSpan.FromSeconds(20);

    private static readonly (string Name, Action<MappedFile<IndexStats>, string> Call)[] s_methods =
    [
        // "Commit" appends a record and frees it, once; the next ones take the free one.
        ("Count", static (file, path) =>
        {
            Assert.InRange(file.Count, Records, Records + 1);
            Assert.InRange(file.FreeCount, 0, 1);
            Assert.Equal(path, file.FilePath);
        }),
        ("IsFree", static (file, _) => file.IsFree(3)),
        ("Read", static (file, _) => Assert.InRange(file.Read(3, static s => s.LastEtag), 3, 3)),
        ("Read with an argument", static (file, _) => Assert.InRange(file.Read(4, 1L, static (s, more) => s.LastEtag + more), 5, 5)),
        ("Pin", static (file, _) =>
        {
            using var pin = file.Pin();
            int seen = 0;
            foreach (var s in pin.Scan()) Assert.Equal(seen++, s.LastEtag);
            Assert.Equal(Records, seen);
        }),
        ("Verify", static (file, _) => file.Verify()),
        ("CopyTo", static (file, path) => file.CopyTo($"{path}.{Guid.NewGuid():N}")),
        ("Increment", static (file, _) => file.Increment(7, IndexStats.Fields.Attempts)),
        ("Update", static (file, _) => file.Update(7, static s => s.Attempts++)),
        ("BeginWrite", static (file, _) => file.BeginWrite().Dispose()),
        ("BeginWriteAsync", static (file, _) => file.BeginWriteAsync().AsTask().GetAwaiter().GetResult().Dispose()),
        ("Commit", static (file, _) =>
        {
            using var tx = file.BeginWrite();
            tx.Append(out int id);
            Assert.Equal(9, tx.Read(9, static s => s.LastEtag));
            tx.Free(id);
            tx.Commit();
        }),
        ("CommitAsync", static (file, _) =>
        {
            using var tx = file.BeginWriteAsync().AsTask().GetAwaiter().GetResult();
            tx.Increment(7, IndexStats.Fields.Attempts);
            tx.CommitAsync().GetAwaiter().GetResult();
        }),
        ("Append", static (file, _) =>
        {
            using var tx = file.BeginWrite();
            for (int i = 0; i < 300; i++) tx.Append().LastEtag = i;
        }),
        ("Dispose", static (file, _) => file.Dispose()),
    ];

    [Theory, InlineData(Durability.PowerLoss, false), InlineData(Durability.PowerLoss, true), InlineData(Durability.ProcessCrash, false)]
    [InlineData(Durability.ProcessCrash, true)]
    public void Every_method_beside_Dispose_ends_well_or_is_turned_away(Durability durability, bool inMemory)
    {
        if (inMemory && !Directory.Exists("/dev/shm")) return;
        using TempFolder folder = new(inMemory ? "/dev/shm" : null);
        Random random = Seeds.Random();
        Stopwatch watch = Stopwatch.StartNew();
        for (int round = 0; round < s_methods.Length || watch.Elapsed < TimeSpan.FromSeconds(LongRuns.Of(.25, 15)); round++)
        {
            string path = folder.File($"{round}");
            MappedFileTests.Made(path, Records).Dispose();
            // All three threads with one method, then mixtures.
            (string Name, Action<MappedFile<IndexStats>, string> Call)[] methods = round < s_methods.Length
                ? [.. Enumerable.Repeat(s_methods[round], Threads)]
                : random.GetItems(s_methods, Threads);
            Attack(path, methods, new() { Durability = durability, StoreThroughMap = random.Next(2) == 0 }, random.Next(0, 2000));
            using var again = MappedFile<IndexStats>.Open(path, new() { WriterTimeout = TimeSpan.Zero, PinTimeout = TimeSpan.Zero });
            again.Verify();
            again.Increment(0, IndexStats.Fields.Attempts);
            again.Increment(0, IndexStats.Fields.Attempts);
            foreach (string left in Directory.GetFiles(folder.Path)) File.Delete(left);
        }
    }

    // What an open transaction finds where the map was just taken away are zeros: no record is free there. With IsFree's last look at
    // IsOpen taken out, one of 4,000 rounds answers wrong.
    [Theory, InlineData(false), InlineData(true)]
    public void An_open_transaction_takes_no_zeros_for_an_answer(bool appends)
    {
        using TempFolder folder = new(Directory.Exists("/dev/shm") ? "/dev/shm" : null);
        Random random = Seeds.Random();
        string path = folder.File("f");
        using (var made = MappedFileTests.Made(path, Records)) Frees(made, 5);
        for (int round = 0; round < LongRuns.Of(200, 8000); round++)
        {
            var file = MappedFile<IndexStats>.Open(path, new() { Durability = Durability.ProcessCrash });
            using Barrier start = new(2);
            Exception? wrong = null;
            Thread writer = new(() =>
            {
                start.SignalAndWait();
                try
                {
                    using var tx = file.BeginWrite();
                    while (true)
                    {
                        Assert.True(tx.IsFree(5));
                        if (!appends) continue;
                        tx.Append(out int id);
                        tx.Free(id);
                    }
                }
                catch (ObjectDisposedException) { }
                catch (Exception e)
                {
                    wrong = e;
                }
            });
            writer.Start();
            start.SignalAndWait();
            Thread.SpinWait(random.Next(0, 3000));
            file.Dispose();
            writer.Join();
            Assert.True(wrong is null, $"In round {round}: {wrong}");
        }
    }

    private static void Frees(MappedFile<IndexStats> file, int id)
    {
        using var tx = file.BeginWrite();
        tx.Free(id);
        tx.Commit();
    }

    private static void Attack(string path, (string Name, Action<MappedFile<IndexStats>, string> Call)[] methods,
        MappedFileOptions options, int microseconds)
    {
        var file = MappedFile<IndexStats>.Open(path, options);
        using Barrier start = new(Threads + 1);
        Exception?[] wrong = new Exception?[Threads];
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(i => new Thread(() =>
        {
            start.SignalAndWait();
            try
            {
                for (int call = 0; call < 100_000; call++) methods[i].Call(file, path);
            }
            catch (ObjectDisposedException) { }
            catch (Exception e)
            {
                wrong[i] = e;
            }
        }) { IsBackground = true })];
        foreach (Thread thread in threads) thread.Start();
        start.SignalAndWait();
        long begun = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(begun).TotalMicroseconds < microseconds) Thread.SpinWait(20);
        Thread closes = new(file.Dispose) { IsBackground = true };
        closes.Start();
        Assert.True(closes.Join(s_stuck), $"Dispose is stuck beside {methods[0].Name}, {methods[1].Name}, {methods[2].Name}");
        for (int i = 0; i < Threads; i++)
        {
            Assert.True(threads[i].Join(s_stuck), $"{methods[i].Name} is stuck");
            Assert.True(wrong[i] is null, $"{methods[i].Name} beside {string.Join(", ", methods.Select(m => m.Name))}: {wrong[i]}");
        }
    }
}
