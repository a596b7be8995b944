namespace MemPrims.Records.Tests;

// Transactions of asynchronous code: held over an await, and begun without a thread that waits.
public class TurnTests
{
    private const int Loaded = 1000;

    [Fact]
    public void A_waiter_whose_pool_has_no_thread_keeps_nobody_out_and_has_its_turn_when_it_has_one()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileTests.Made(path, 1).Dispose();
        Child.Run(StarvePool, [path]).AssertSucceeded();
    }

    private static void StarvePool(string[] arguments)
    {
        TimeSpan timeout = TimeSpan.FromSeconds(1);
        ThreadPool.SetMinThreads(1, 1);
        Assert.True(ThreadPool.SetMaxThreads(2, 2));
        using var file = MappedFile<IndexStats>.Open(arguments[0], new() { WriterTimeout = timeout });
        using ManualResetEventSlim goOn = new();
        using CountdownEvent busy = new(2);
        for (int i = 0; i < 2; i++)
            ThreadPool.UnsafeQueueUserWorkItem(_ =>
            {
                busy.Signal();
                goOn.Wait();
            }, null);
        busy.Wait();
        Task<WriteTransaction<IndexStats>> waiter;
        using (file.BeginWrite()) waiter = file.BeginWriteAsync().AsTask();
        // Longer than it may wait for others: the turn is free, so it is not late.
        for (long start = Environment.TickCount64; Environment.TickCount64 - start < 2 * timeout.TotalMilliseconds; Thread.Sleep(10))
            file.Increment(0, IndexStats.Fields.Attempts);
        Assert.False(waiter.IsCompleted);
        goOn.Set();
        using WriteTransaction<IndexStats> turn = waiter.GetAwaiter().GetResult();
        turn.Increment(0, IndexStats.Fields.Attempts);
        turn.Commit();
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Transactions_that_are_held_over_awaits_take_turns_whichever_threads_they_run_on(bool begunAsync)
    {
        const int tasks = 4, each = 25;
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), 10);
        // One thread at a time for all of them, so that others begin on the thread of the one that waits.
        ConcurrentExclusiveSchedulerPair one = new();
        TaskScheduler scheduler = begunAsync ? one.ExclusiveScheduler : TaskScheduler.Default;
        await Task.WhenAll(Enumerable.Range(0, tasks).Select(id => Task.Factory.StartNew(() => Increment(id), CancellationToken.None,
            TaskCreationOptions.None, scheduler).Unwrap()));
        for (int i = 0; i < tasks; i++) Assert.Equal(each, file.Read(i, static s => s.Attempts));
        file.Verify();

        async Task Increment(int id)
        {
            for (int i = 0; i < each; i++)
            {
                using var tx = begunAsync ? await file.BeginWriteAsync() : file.BeginWrite();
                tx.Increment(id, IndexStats.Fields.Attempts);
                await Task.Yield();
                if (i % 2 == 0) tx.Commit();
                else await tx.CommitAsync();
            }
        }
    }

    [Fact]
    public async Task Other_code_on_the_thread_of_an_open_transaction_waits_and_its_own_fails_at_once()
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), 10);
        TaskCompletionSource goOn = new();
        Task holds = Hold();
        // Hold has returned at its await: its transaction was begun on this very thread.
        _ = Task.Run(async () =>
        {
            await Task.Delay(50);
            goOn.SetResult();
        });
        Assert.Equal(1, file.Increment(0, IndexStats.Fields.Attempts));
        await holds;

        async Task Hold()
        {
            using var tx = file.BeginWrite();
            Assert.Contains("still open", Assert.Throws<MappedFileException>(() => file.BeginWrite()).Message);
            await goOn.Task.ConfigureAwait(false);
        }
    }

    [Fact]
    public async Task Waiting_asynchronously_ends_by_time_by_cancellation_by_the_end_of_the_other_and_by_closing()
    {
        using TempFolder folder = new();
        MappedFileTests.Made(folder.File("stats"), 10).Dispose();
        MappedFile<IndexStats> Open(TimeSpan timeout) =>
            MappedFile<IndexStats>.Open(folder.File("stats"), new() { WriterTimeout = timeout });
        foreach (int milliseconds in (int[])[0, 30])
        {
            using var hurried = Open(TimeSpan.FromMilliseconds(milliseconds));
            using var held = await hurried.BeginWriteAsync();
            MappedFileException late = await Assert.ThrowsAsync<MappedFileException>(() => hurried.BeginWriteAsync().AsTask());
            Assert.Equal(MappedFileReason.Locked, late.Reason);
        }
        var file = Open(Timeout.InfiniteTimeSpan);
        var tx = await file.BeginWriteAsync();
        using CancellationTokenSource cancel = new();
        Task<WriteTransaction<IndexStats>> cancelled = file.BeginWriteAsync(cancel.Token).AsTask(), next = file.BeginWriteAsync().AsTask();
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        Assert.False(next.IsCompleted);
        tx.Increment(0, IndexStats.Fields.Attempts);
        tx.Commit();
        var second = await next;
        Assert.Equal(1, second.Read(0, static s => s.Attempts));
        Task<WriteTransaction<IndexStats>> last = file.BeginWriteAsync().AsTask();
        file.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => last);
        using var reader = MappedFile<IndexStats>.OpenRead(folder.File("stats"));
        Assert.Equal(MappedFileReason.ReadOnly,
            (await Assert.ThrowsAsync<MappedFileException>(() => reader.BeginWriteAsync().AsTask())).Reason);
    }

    [Fact]
    public async Task A_call_that_waits_for_another_writer_of_the_file_keeps_no_thread_and_is_cancelled()
    {
        using TempFolder folder = new();
        using var writer = MappedFileTests.Made(folder.File("stats"), 10);
        using var other = MappedFile<IndexStats>.Open(folder.File("stats"), new() { WriterTimeout = Timeout.InfiniteTimeSpan });
        using CancellationTokenSource cancel = new();
        // From a thread of its own: a call that keeps its thread does not come back.
        Task<WriteTransaction<IndexStats>>? waits = null;
        await OwnThread.Run(() => waits = other.BeginWriteAsync(cancel.Token).AsTask()).WaitAsync(TimeSpan.FromSeconds(20));
        Assert.False(waits!.IsCompleted);
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waits);
        // The turn was given back.
        writer.Dispose();
        using var tx = await other.BeginWriteAsync();
    }

    [Fact]
    public void Threads_that_wait_for_a_commit_write_it_when_the_pool_has_no_thread_for_it()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileTests.Made(path, 10).Dispose();
        // In a process of its own, which has a pool of few threads.
        Child.Run(CommitWithoutPool, [path]).AssertSucceeded();
        using var file = MappedFile<IndexStats>.Open(path);
        file.Verify();
        Assert.Equal((7, 1, 1), (file.Read(0, static s => s.Attempts), file.Read(1, static s => s.Attempts),
            file.Read(2, static s => s.Attempts)));
        Assert.Equal(10 + Loaded, file.Count);
    }

    private static void CommitWithoutPool(string[] arguments)
    {
        int most = Environment.ProcessorCount;
        Scarcity.LeaveFewThreads(TimeSpan.FromMinutes(1), "A commit waits for a thread of the pool.");
        using CountdownEvent busy = new(most);
        using ManualResetEventSlim goOn = new();
        for (int thread = 0; thread < most; thread++)
        {
            ThreadPool.QueueUserWorkItem(_ =>
            {
                busy.Signal();
                goOn.Wait();
            });
        }
        busy.Wait();
        List<Task> commits = [];
        var file = MappedFile<IndexStats>.Open(arguments[0], new());
        using (var first = file.BeginWriteAsync().AsTask().Result) first.Commit();
        // A commit on top of an asynchronous one, a load on top of one, and a close behind one.
        for (int round = 0; round < 7; round++)
        {
            CommitAsync(0);
            if (round == 0) file.Increment(1, IndexStats.Fields.Attempts);
            if (round == 1)
            {
                using var load = file.BeginWrite();
                for (int i = 0; i < Loaded; i++) load.Append().LastEtag = i;
                load.Increment(2, IndexStats.Fields.Attempts);
                load.Commit();
            }
        }
        file.Dispose();
        // The commits are done; what tells of them would need the pool.
        goOn.Set();
        Task.WaitAll(commits);

        void CommitAsync(int id)
        {
            using var tx = file.BeginWrite();
            tx.Increment(id, IndexStats.Fields.Attempts);
            commits.Add(tx.CommitAsync());
        }
    }

    [Fact]
    public async Task A_writer_that_others_overtake_is_told_so()
    {
        MappedFileOptions options = new() { WriterTimeout = TimeSpan.FromMilliseconds(300) };
        using CrashDisk disk = new();
        MappedFile<Cell>.Create(new CrashStorage(disk), Small.Slots).Dispose();
        using RecordFile file = RecordFile.Open(new CrashStorage(disk), Cell.Layout, options);
        RecordWriter writer = new(file);
        WriteBatch open = writer.Begin();
        Task<WriteBatch> late;
        bool cameFirst;
        do
        {
            late = Task.Run(() => writer.BeginAsync(default).AsTask());
            cameFirst = false;
            // Each ends and the next begins before whoever waits is there. On a busy machine it may come first all the same: then it
            // has the turn, and another one is late.
            while (!late.IsCompleted && !cameFirst)
            {
                Thread.Sleep(20);
                writer.End(open);
                try
                {
                    open = writer.Begin();
                }
                catch (MappedFileException) when (late.IsCompletedSuccessfully)
                {
                    open = await late;
                    cameFirst = true;
                }
            }
        }
        while (cameFirst);
        MappedFileException told = await Assert.ThrowsAsync<MappedFileException>(() => late);
        Assert.Equal(MappedFileReason.Locked, told.Reason);
        Assert.Contains("came first for 00:00:00.3", told.Message);
    }
}
