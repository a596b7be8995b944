namespace MemPrims.Records.Tests;

// Waiting, closing, interrupting and creating: calls end in time, leave the object whole and tell only what is so.
public class ClosingTests
{
    private const int NoLocks = 37;
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(5);
    private static readonly MappedFileOptions s_endless = new() { WriterTimeout = Timeout.InfiniteTimeSpan };

    [Theory, InlineData(false), InlineData(true)]
    public async Task Closing_turns_away_who_waits_for_another_writer_of_the_file(bool waitsAsync)
    {
        using TempFolder folder = new();
        using var writer = MappedFileTests.Made(folder.File("stats"), 3);
        writer.BeginWrite().Dispose();
        var file = MappedFile<IndexStats>.Open(folder.File("stats"), s_endless);
        Task waits = waitsAsync ? file.BeginWriteAsync().AsTask() : OwnThread.Run(() => file.BeginWrite());
        Thread.Sleep(50);
        Assert.False(waits.IsCompleted);
        await OwnThread.Run(file.Dispose).WaitAsync(s_soon);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waits).WaitAsync(s_soon);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Closing_turns_away_a_commit_that_waits_for_a_pin(bool commitsAsync)
    {
        using TempFolder folder = new();
        MappedFileTests.Made(folder.File("stats"), 3).Dispose();
        var file = MappedFile<IndexStats>.Open(folder.File("stats"), new() { PinTimeout = Timeout.InfiniteTimeSpan });
        using var other = MappedFile<IndexStats>.OpenRead(folder.File("stats"));
        using var pin = other.Pin();
        file.Increment(0, IndexStats.Fields.Attempts);
        var tx = file.BeginWrite();
        tx.Increment(0, IndexStats.Fields.Attempts);
        Task waits = commitsAsync ? tx.CommitAsync() : OwnThread.Run(tx.Commit);
        Thread.Sleep(50);
        Assert.False(waits.IsCompleted);
        await OwnThread.Run(file.Dispose).WaitAsync(s_soon);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waits).WaitAsync(s_soon);
        Assert.Equal(0, pin.View(0).Attempts);
        Assert.Equal(1, other.Read(0, static s => s.Attempts));
        using var again = MappedFile<IndexStats>.Open(folder.File("stats"));
        again.Verify();
    }

    [Fact]
    public async Task Closing_keeps_a_commit_whose_pin_ends_soon()
    {
        using TempFolder folder = new();
        MappedFileTests.Made(folder.File("stats"), 3).Dispose();
        var file = MappedFile<IndexStats>.Open(folder.File("stats"));
        var pin = file.Pin();
        file.Increment(0, IndexStats.Fields.Attempts);
        using var tx = file.BeginWrite();
        tx.Increment(0, IndexStats.Fields.Attempts);
        Task commits = tx.CommitAsync(), closes = OwnThread.Run(file.Dispose);
        Thread.Sleep(10);
        pin.Dispose();
        await closes.WaitAsync(s_soon);
        await commits.WaitAsync(s_soon);
        using var again = MappedFile<IndexStats>.OpenRead(folder.File("stats"));
        Assert.Equal(2, again.Read(0, static s => s.Attempts));
    }

    [Fact]
    public async Task Waiting_for_another_writer_of_the_file_is_cancelled()
    {
        using TempFolder folder = new();
        var writer = MappedFileTests.Made(folder.File("stats"), 3);
        writer.BeginWrite().Dispose();
        using var file = MappedFile<IndexStats>.Open(folder.File("stats"), s_endless);
        using CancellationTokenSource cancel = new(30);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => file.BeginWriteAsync(cancel.Token).AsTask()).WaitAsync(s_soon);
        writer.Dispose();
        Assert.Equal(1, file.Increment(0, IndexStats.Fields.Attempts));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_system_that_has_no_locks_left_is_asked_again_by_the_next_call(bool beginsAsync)
    {
        using CrashDisk disk = new();
        MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots).Dispose();
        int refusals = 2;
        using var file = new MappedFile<Cell>(new CrashStorage(disk, locks: _ =>
        {
            if (refusals-- > 0) throw new IOException("no locks", NoLocks);
        }), new() { WriterTimeout = TimeSpan.Zero });
        for (int i = 0; i < 2; i++)
        {
            MappedFileException told = await Assert.ThrowsAsync<MappedFileException>(async () =>
                _ = beginsAsync ? await file.BeginWriteAsync() : file.BeginWrite());
            Assert.Equal(MappedFileReason.IoError, told.Reason);
        }
        using var tx = beginsAsync ? await file.BeginWriteAsync() : file.BeginWrite();
        tx.Append();
        tx.Commit();
    }

    [Fact]
    public async Task A_task_that_was_started_inside_a_transaction_waits_for_its_end()
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), 3);
        // One thread, so that the inner task is on the thread of the outer one.
        ConcurrentExclusiveSchedulerPair one = new();
        for (int round = 1; round <= 20; round++)
        {
            Task<int> inner = null!;
            await Task.Factory.StartNew(async () =>
            {
                using var tx = file.BeginWrite();
                inner = Task.Run(() => file.Increment(0, IndexStats.Fields.Attempts));
                await Task.Delay(2);
                tx.Increment(1, IndexStats.Fields.Attempts);
                tx.Commit();
            }, CancellationToken.None, TaskCreationOptions.None, one.ExclusiveScheduler).Unwrap();
            Assert.Equal(round, await inner);
        }
    }

    [Fact]
    public void Whoever_opens_or_creates_finds_a_whole_file()
    {
        using TempFolder folder = new();
        for (int round = 0; round < LongRuns.Of(100, 2000); round++)
        {
            string path = folder.File($"{round}");
            Parallel.For(0, 4, new() { MaxDegreeOfParallelism = 4 }, _ =>
            {
                using var file = MappedFile<IndexStats>.OpenOrCreate(path, Small.Slots);
                Assert.Equal(0, file.Count);
            });
            Assert.Equal([path], Directory.GetFiles(folder.Path));
            File.Delete(path);
        }
    }

    [Fact]
    public void The_name_of_a_new_file_never_names_half_a_file()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        bool ends = false;
        int half = 0;
        Thread looks = new(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                FileInfo found = new(path);
                if (found.Exists && found.Length < 2 * Small.SlotBytes) half++;
            }
        });
        looks.Start();
        for (int round = 0; round < 300; round++)
        {
            MappedFile<IndexStats>.Create(path, Small.Slots).Dispose();
            File.Delete(path);
        }
        Volatile.Write(ref ends, true);
        looks.Join();
        Assert.Equal(0, half);
        using var file = MappedFileTests.Made(path, 3);
        Assert.ThrowsAny<IOException>(() => MappedFile<IndexStats>.Create(path));
        Assert.ThrowsAny<IOException>(() => file.CopyTo(path));
        file.Verify();
        Assert.Equal([path], Directory.GetFiles(folder.Path));
    }

    [Fact]
    public void A_scan_holds_the_pin_that_nothing_else_refers_to()
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), 3000);
        Assert.Equal((3000, 1), Scan(file));
    }

    // As it is compiled for a program that runs: an unoptimised method keeps all that it ever had.
    [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
    private static (int Seen, int Committed) Scan(MappedFile<IndexStats> file)
    {
        int seen = 0, committed = 0;
        foreach (var s in file.Pin().Scan())
        {
            seen++;
            if (seen % 200 != 0) continue;
            Collect();
            committed += Commit(file) ? 1 : 0;
            Assert.Equal(seen - 1, s.LastEtag);
        }
        return (seen, committed);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Commit(MappedFile<IndexStats> file)
    {
        try
        {
            using var tx = file.BeginWrite();
            for (int i = 0; i < 3000; i++)
            {
                IndexStats s = tx[i];
                s.LastEtag = -1;
            }
            tx.Commit();
            return true;
        }
        catch (MappedFileException e) when (e.Reason == MappedFileReason.Pinned)
        {
            return false;
        }
    }

    [Fact]
    public async Task A_commit_whose_thread_is_interrupted_ends_and_then_the_interrupt_goes_on()
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), 10);
        int done = 0, interruptions = 0;
        bool ends = false;
        Thread[] threads = [.. Enumerable.Range(0, 3).Select(thread => new Thread(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                try
                {
                    using var tx = file.BeginWrite();
                    tx.Increment(thread, IndexStats.Fields.Attempts);
                    tx.Increment(9, IndexStats.Fields.Attempts);
                    if (thread == 0) tx.CommitAsync();
                    else tx.Commit();
                    Interlocked.Increment(ref done);
                }
                catch (ThreadInterruptedException)
                {
                    Interlocked.Increment(ref interruptions);
                }
            }
        }) { IsBackground = true })];
        foreach (Thread thread in threads) thread.Start();
        for (int i = 0; i < 400; i++)
        {
            threads[i % 3].Interrupt();
            Thread.Sleep(1);
        }
        Volatile.Write(ref ends, true);
        foreach (Thread thread in threads) Assert.True(thread.Join(s_soon), "a thread is stuck");
        Assert.True(interruptions > 0 && done > 0);
        using (var last = file.BeginWrite()) last.Commit();
        await OwnThread.Run(() => file.Increment(8, IndexStats.Fields.Attempts)).WaitAsync(s_soon);
        Assert.Equal(file.Read(9, static s => s.Attempts), Enumerable.Range(0, 3).Sum(i => file.Read(i, static s => s.Attempts)));
        Assert.InRange(file.Read(9, static s => s.Attempts), done, done + interruptions);
    }

    [Fact]
    public void An_interrupt_during_a_commit_that_waits_for_a_pin_comes_after_it()
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), 10);
        var pin = file.Pin();
        bool committed = false, interrupted = false;
        Thread thread = new(() =>
        {
            file.Increment(0, IndexStats.Fields.Attempts);
            file.Increment(0, IndexStats.Fields.Attempts);
            committed = true;
            try
            {
                Thread.Sleep(Timeout.Infinite);
            }
            catch (ThreadInterruptedException)
            {
                interrupted = true;
            }
        })
        { IsBackground = true };
        thread.Start();
        Thread.Sleep(100);
        thread.Interrupt();
        Thread.Sleep(50);
        pin.Dispose();
        Assert.True(thread.Join(s_soon));
        Assert.True(committed && interrupted);
    }

    [Theory, InlineData(Durability.PowerLoss), InlineData(Durability.ProcessCrash)]
    public void A_closed_file_is_mapped_no_longer_though_nobody_collected(Durability durability)
    {
        if (!OperatingSystem.IsLinux()) return;
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileTests.Made(path, 3000).Dispose();
        var file = MappedFile<IndexStats>.Open(path, new() { Durability = durability, StoreThroughMap = true });
        file.Increment(5, IndexStats.Fields.Attempts);
        var pin = file.Pin();
        file.Dispose();
        // A pin goes on until it ends.
        Assert.Equal(1, pin.View(5).Attempts);
        Assert.Contains(path, File.ReadAllText("/proc/self/maps"));
        pin.Dispose();
        Assert.DoesNotContain(path, File.ReadAllText("/proc/self/maps"));
        GC.KeepAlive(file);
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }
}
