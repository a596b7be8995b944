namespace MemPrims.Records.Tests;

/// <summary>Transactions of asynchronous code: held over an await, and begun without a thread that waits.</summary>
public class TurnTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
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
}
