using System.Diagnostics;

namespace MemPrims.Records.Tests;

// Threads of one process: they queue to write, wait for pins, commit together, and close the file beside each other.
public class ThreadTests
{
    private const int Records = 60;
    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(50);

    [Theory, InlineData(Durability.PowerLoss), InlineData(Durability.ProcessCrash)]
    public void Closing_beside_commits_loses_nothing_acknowledged(Durability durability)
    {
        using TempFolder folder = new(Directory.Exists("/dev/shm") ? "/dev/shm" : null);
        for (int round = 0; round < 200 * Seeds.Scale; round++)
        {
            string path = folder.File($"{round}");
            MappedFileTests.Made(path, Records).Dispose();
            var file = MappedFile<IndexStats>.Open(path, new() { Durability = durability });
            int acknowledged = 0;
            Exception? ended = null;
            Thread[] writers = [.. Enumerable.Range(0, 2).Select(_ => new Thread(() =>
            {
                try
                {
                    while (true)
                    {
                        file.Increment(7, IndexStats.Fields.Attempts);
                        Interlocked.Increment(ref acknowledged);
                    }
                }
                catch (Exception e)
                {
                    if (e is not ObjectDisposedException) ended = e;
                }
            }))];
            foreach (Thread writer in writers) writer.Start();
            while (Volatile.Read(ref acknowledged) < round % 5 + 1) Thread.Yield();
            file.Dispose();
            foreach (Thread writer in writers) writer.Join();
            Assert.Null(ended);
            using var again = MappedFile<IndexStats>.Open(path, new() { WriterTimeout = TimeSpan.Zero });
            again.Verify();
            Assert.Equal(acknowledged, again.Read(7, static s => s.Attempts));
            Assert.Equal(acknowledged + 1, again.Increment(7, IndexStats.Fields.Attempts));
            File.Delete(path);
        }
    }

    [Fact]
    public async Task Closing_keeps_a_commit_that_waits_for_the_one_before()
    {
        for (int round = 0; round < LongRuns.Of(100, 1000); round++)
        {
            using CrashDisk disk = new();
            MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots).Dispose();
            using ManualResetEventSlim reached = new();
            bool slow = false, goOn = false;
            var file = new MappedFile<Cell>(new CrashStorage(disk, operation =>
            {
                if (!slow || operation.Kind != OperationKind.Sync) return Fate.Done;
                slow = false;
                reached.Set();
                while (!Volatile.Read(ref goOn)) Thread.SpinWait(1);
                return Fate.Done;
            }));
            file.AppendNew();
            slow = true;
            Task first;
            using (var tx = file.BeginWrite())
            {
                tx.Increment(0, Cell.Fields.Value);
                first = tx.CommitAsync();
            }
            reached.Wait();
            Exception? lost = null;
            Thread next = new(() => lost = Record.Exception(() => file.Increment(0, Cell.Fields.Value)));
            next.Start();
            while ((next.ThreadState & System.Threading.ThreadState.WaitSleepJoin) == 0) Thread.Sleep(1);
            // The close and the commit that waits now race for the disk.
            Volatile.Write(ref goOn, true);
            file.Dispose();
            await first;
            next.Join();
            Assert.Null(lost);
            Assert.Equal(2, new MappedFile<Cell>(new CrashStorage(disk)).Read(0, static cell => cell.Value));
        }
    }

    [Fact]
    public async Task Closing_turns_away_who_waits_and_drops_what_is_open()
    {
        using TempFolder folder = new();
        var file = MappedFileTests.Made(folder.File("stats"), Records);
        var tx = file.BeginWrite();
        tx.Increment(0, IndexStats.Fields.Attempts);
        Task waits = Task.Run(() => file.BeginWrite());
        Thread.Sleep(20);
        file.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waits);
        Assert.Throws<ObjectDisposedException>(tx.Commit);
        tx.Dispose();
        using var again = MappedFile<IndexStats>.Open(folder.File("stats"));
        Assert.Equal(1, again.Increment(0, IndexStats.Fields.Attempts));
    }

    [Theory, InlineData(Durability.PowerLoss), InlineData(Durability.ProcessCrash)]
    public void Threads_that_increment_queue_and_none_is_lost(Durability durability)
    {
        const int threads = 8, each = 100;
        using TempFolder folder = new();
        MappedFileTests.Made(folder.File("stats"), Records).Dispose();
        using (var file = MappedFile<IndexStats>.Open(folder.File("stats"), new() { Durability = durability }))
        {
            long before = file.Transaction;
            List<int> seen = [];
            Parallel.For(0, threads, new() { MaxDegreeOfParallelism = threads }, thread =>
            {
                List<int> own = [];
                for (int i = 0; i < each; i++)
                {
                    own.Add(file.Increment(7, IndexStats.Fields.Attempts));
                    // Given up: nothing of it may be in what others build on.
                    using var tx = file.BeginWrite();
                    tx.Increment(7, IndexStats.Fields.Attempts, 1000);
                    tx.Append();
                }
                lock (seen) seen.AddRange(own);
            });
            Assert.Equal(Enumerable.Range(1, threads * each), seen.Order());
            Assert.Equal(Records, file.Count);
            Assert.True(file.Transaction - before <= threads * each);
            file.Verify();
        }
        Assert.Equal(threads * each, BitConverter.ToInt32(new IndependentReader(File.ReadAllBytes(folder.File("stats"))).Record(7)[8..]));
    }

    [Fact]
    public async Task Commits_under_way_share_syncs_and_later_ones_see_them()
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), 0);
        long before = file.Transaction;
        List<Task> commits = [];
        for (int i = 0; i < 500; i++)
        {
            using var tx = file.BeginWrite();
            Assert.Equal(i, tx.Count);
            if (i > 0) Assert.Equal(i - 1, tx.Read(i - 1, static s => s.LastEtag));
            IndexStats s = tx.Append();
            s.LastEtag = i;
            if (i > 0) tx.Increment(i / 2, IndexStats.Fields.Attempts);
            commits.Add(tx.CommitAsync());
            Assert.False(tx.IsOpen);
        }
        await Task.WhenAll(commits);
        Assert.Equal(500, file.Count);
        Assert.True(file.Transaction - before < 400, $"{file.Transaction - before} commits for 500");
        for (int i = 0; i < 500; i++) Assert.Equal((i, i is > 0 and < 250 ? 2 : i == 0 ? 1 : 0),
            file.Read(i, static s => ((int)s.LastEtag, s.Attempts)));
        file.Verify();
    }

    [Fact]
    public async Task A_failed_group_fails_for_each_thread_that_waits_for_it()
    {
        using CrashDisk disk = new();
        MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots).Dispose();
        using SemaphoreSlim isWriting = new(0), goesOn = new(0);
        bool stops = false;
        using var file = new MappedFile<Cell>(new CrashStorage(disk, operation =>
        {
            if (!stops || operation.Kind != OperationKind.Write) return Fate.Done;
            stops = false;
            isWriting.Release();
            goesOn.Wait();
            return Fate.FailFull;
        }));
        file.AppendNew();
        Task first;
        using (var tx = file.BeginWrite())
        {
            tx.Increment(0, Cell.Fields.Value);
            stops = true;
            first = tx.CommitAsync();
        }
        Assert.True(await isWriting.WaitAsync(TimeSpan.FromSeconds(20)));
        int told = 0;
        Thread[] threads = [.. Enumerable.Range(0, 3).Select(_ => new Thread(() =>
        {
            try
            {
                file.Increment(0, Cell.Fields.Value);
            }
            catch (MappedFileException e) when (e.Reason == MappedFileReason.Full)
            {
                Interlocked.Increment(ref told);
            }
        }))];
        // One after the other, so that each waits for the group and none for its turn.
        foreach (Thread thread in threads)
        {
            thread.Start();
            Assert.True(SpinWait.SpinUntil(() => thread.ThreadState.HasFlag(System.Threading.ThreadState.WaitSleepJoin),
                TimeSpan.FromSeconds(20)));
        }
        goesOn.Release();
        await Assert.ThrowsAsync<MappedFileException>(() => first);
        foreach (Thread thread in threads) Assert.True(thread.Join(TimeSpan.FromSeconds(20)));
        Assert.Equal(3, told);
        Assert.Equal(1, file.Increment(0, Cell.Fields.Value));
        file.Verify();
    }

    [Fact]
    public async Task Free_records_that_a_failed_group_had_used_are_used_again()
    {
        using CrashDisk disk = new();
        MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots).Dispose();
        bool full = false;
        using var file = new MappedFile<Cell>(new CrashStorage(disk, operation => full && operation.Kind == OperationKind.Write
            ? Fate.FailFull : Fate.Done));
        using (var tx = file.BeginWrite())
        {
            for (int i = 0; i < 4; i++) tx.Append();
            foreach (int id in (int[])[0, 2]) tx.Free(id);
            tx.Commit();
        }
        Task failed;
        full = true;
        using (var tx = file.BeginWrite())
        {
            for (int i = 0; i < 2; i++) tx.Append();
            failed = tx.CommitAsync();
        }
        await Assert.ThrowsAsync<MappedFileException>(() => failed);
        full = false;
        using (var tx = file.BeginWrite())
        {
            tx.Append(out int first);
            tx.Append(out int second);
            Assert.Equal((0, 2), (first, second));
            tx.Commit();
        }
        file.Verify();
    }

    [Fact]
    public async Task A_commit_that_shares_its_sync_fails_at_once_when_its_own_thread_holds_the_pin()
    {
        using TempFolder folder = new();
        MappedFileTests.Made(folder.File("stats"), Records).Dispose();
        using var file = MappedFile<IndexStats>.Open(folder.File("stats"), new() { PinTimeout = Timeout.InfiniteTimeSpan });
        PinnedSnapshot<IndexStats> pin = null!;
        Task<MappedFileException> refused = OwnThread.Run(() =>
        {
            pin = file.Pin();
            file.Increment(0, IndexStats.Fields.Attempts);
            using var tx = file.BeginWrite();
            tx.Increment(0, IndexStats.Fields.Attempts);
            // Somebody waits for the turn, so the commit is one of a group.
            Task waits = OwnThread.Run(() => file.Increment(1, IndexStats.Fields.Attempts));
            Thread.Sleep(50);
            var told = Assert.Throws<MappedFileException>(tx.Commit);
            pin.Dispose();
            // On a busy machine the other was not there yet: the commit was alone, and its transaction still has the turn.
            tx.Dispose();
            // Or it has joined the group that fails: it is told so, and does it anew.
            try
            {
                waits.Wait();
            }
            catch (AggregateException e) when ((e.InnerException as MappedFileException)?.Reason is MappedFileReason.Pinned
                or MappedFileReason.Rejected)
            {
                file.Increment(1, IndexStats.Fields.Attempts);
            }
            return told;
        });
        bool atOnce = await Task.WhenAny(refused, Task.Delay(TimeSpan.FromSeconds(10))) == refused;
        if (!atOnce) pin.Dispose();
        Assert.True(atOnce, "the commit waits for a pin of its own thread");
        Assert.Contains("of the code that commits itself", (await refused).Message);
        Assert.Equal((1, 1), (file.Read(0, static s => s.Attempts), file.Read(1, static s => s.Attempts)));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_transaction_on_top_of_a_failed_one_is_rejected_and_the_file_can_be_closed(bool commitsAsync)
    {
        using CrashDisk disk = new();
        MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots);
        using ManualResetEventSlim begun = new();
        bool full = false;
        var file = new MappedFile<Cell>(new CrashStorage(disk, operation =>
        {
            if (!full || operation.Kind != OperationKind.Write) return Fate.Done;
            begun.Wait();
            return Fate.FailFull;
        }));
        file.AppendNew();
        full = true;
        var below = file.BeginWrite();
        below.Increment(0, Cell.Fields.Value);
        Task failed = below.CommitAsync();
        using var above = file.BeginWrite();
        above.Increment(0, Cell.Fields.Value);
        begun.Set();
        await Assert.ThrowsAsync<MappedFileException>(() => failed);
        MappedFileException told = commitsAsync ? await Assert.ThrowsAsync<MappedFileException>(() => above.CommitAsync())
            : Assert.Throws<MappedFileException>(above.Commit);
        Assert.Equal(MappedFileReason.Rejected, told.Reason);
        // What is rejected counts no longer as a commit that runs.
        await Task.Run(file.Dispose).WaitAsync(TimeSpan.FromSeconds(20));
    }

    [Fact]
    public async Task A_transaction_that_looks_at_new_pages_while_the_one_below_is_synced_waits_for_that()
    {
        using CrashDisk disk = new();
        using (MappedFile<Cell> made = MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots)) made.AppendNew(4);
        using ManualResetEventSlim reached = new(), goOn = new();
        bool slow = false;
        using var file = new MappedFile<Cell>(new CrashStorage(disk, operation =>
        {
            if (!slow || operation.Kind != OperationKind.Sync) return Fate.Done;
            // The meta is in the page cache: everybody sees that the file has moved on.
            reached.Set();
            goOn.Wait();
            return Fate.Done;
        }));
        file.BeginWrite().Dispose();
        slow = true;
        Task below;
        using (var tx = file.BeginWrite())
        {
            tx.Increment(0, Cell.Fields.Value);
            below = tx.CommitAsync();
        }
        reached.Wait();
        _ = Task.Delay(50).ContinueWith(_ => goOn.Set(), TaskScheduler.Default);
        using (var tx = file.BeginWrite())
        {
            Assert.Equal(0, tx.Read(3, static cell => cell.Value));
            Assert.Equal((2, 1), (tx.Increment(0, Cell.Fields.Value), tx.Increment(2, Cell.Fields.Value)));
            tx.Commit();
        }
        await below;
        file.Verify();
    }

    [Fact]
    public async Task A_commit_waits_for_pins_of_other_threads_and_says_who_held_them()
    {
        using TempFolder folder = new();
        MappedFileTests.Made(folder.File("stats"), Records).Dispose();
        var file = MappedFile<IndexStats>.Open(folder.File("stats"), new() { PinTimeout = s_short });
        (PinnedSnapshot<IndexStats> snapshot, int pinner) = await OwnThread.Run(() => (file.Pin(), Environment.CurrentManagedThreadId));
        file.Increment(0, IndexStats.Fields.Attempts);
        MappedFileException e = Assert.Throws<MappedFileException>(() => file.Increment(0, IndexStats.Fields.Attempts));
        Assert.Equal(MappedFileReason.Pinned, e.Reason);
        Assert.Contains($"for {s_short}; it was taken by thread {pinner} ", e.Message);
        snapshot.Dispose();
        file.Dispose();
        // A busy machine may be late with the end of the pin: this one has time.
        using var patient = MappedFile<IndexStats>.Open(folder.File("stats"), new() { PinTimeout = TimeSpan.FromSeconds(30) });
        using var reader = MappedFile<IndexStats>.OpenRead(folder.File("stats"));
        var second = await OwnThread.Run(reader.Pin);
        Task ends = OwnThread.Run(() =>
        {
            Thread.Sleep(10);
            second.Dispose();
            return true;
        });
        Assert.Equal((2, 3), (patient.Increment(0, IndexStats.Fields.Attempts), patient.Increment(0, IndexStats.Fields.Attempts)));
        await ends;
    }

    [Fact]
    public async Task Timeouts_of_zero_and_without_end_mean_what_they_say()
    {
        using TempFolder folder = new();
        MappedFileTests.Made(folder.File("stats"), Records).Dispose();
        foreach (TimeSpan timeout in (TimeSpan[])[TimeSpan.Zero, Timeout.InfiniteTimeSpan])
        {
            MappedFileOptions options = new() { PinTimeout = timeout, WriterTimeout = timeout };
            using var writer = MappedFile<IndexStats>.Open(folder.File("stats"), options);
            using var reader = MappedFile<IndexStats>.OpenRead(folder.File("stats"), options);
            for (int i = 0; i < 3; i++) Assert.Equal(writer.Increment(1, IndexStats.Fields.Attempts),
                reader.Read(1, static s => s.Attempts));
            using (reader.Pin()) writer.Increment(2, IndexStats.Fields.Attempts);
            var tx = writer.BeginWrite();
            Task<WriteTransaction<IndexStats>> other = Task.Run(writer.BeginWrite);
            if (timeout == TimeSpan.Zero) Assert.Contains("thread", (await Assert.ThrowsAsync<MappedFileException>(() => other)).Message);
            tx.Dispose();
            if (timeout != TimeSpan.Zero) (await other).Dispose();
        }
        Assert.Throws<ArgumentOutOfRangeException>(() => new MappedFileOptions { Durability = (Durability)7 });
        foreach (TimeSpan wrong in (TimeSpan[])[TimeSpan.FromTicks(-1), TimeSpan.MinValue])
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => new MappedFileOptions { PinTimeout = wrong });
            Assert.Throws<ArgumentOutOfRangeException>(() => new MappedFileOptions { WriterTimeout = wrong });
        }
    }

    [Fact]
    public async Task A_writer_that_waits_too_long_says_who_held_the_file()
    {
        using TempFolder folder = new();
        MappedFileTests.Made(folder.File("stats"), Records).Dispose();
        using var file = MappedFile<IndexStats>.Open(folder.File("stats"), new() { WriterTimeout = s_short });
        using (file.BeginWrite())
        {
            Stopwatch watch = Stopwatch.StartNew();
            int holder = Environment.CurrentManagedThreadId;
            MappedFileException e = await Assert.ThrowsAsync<MappedFileException>(() => OwnThread.Run(file.BeginWrite));
            Assert.Equal(MappedFileReason.Locked, e.Reason);
            Assert.Contains($"thread {holder} ", e.Message);
            Assert.True(watch.Elapsed >= s_short);
        }
        using var second = MappedFile<IndexStats>.Open(folder.File("stats"), new() { WriterTimeout = s_short });
        Assert.Contains("in this process", Assert.Throws<MappedFileException>(second.BeginWrite).Message);
    }
}
