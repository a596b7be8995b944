using MemPrims.Records.Tests.Log;
using MemPrims.Records.Waiting;

namespace MemPrims.Records.Tests;

// An interrupt of one thread is that thread's alone: what others wait for comes all the same.
public sealed class InterruptTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task An_interrupt_while_a_wait_is_ended_is_not_for_those_who_waited()
    {
        TaskCompletionSource source = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Task[] waiting = WaitingFor(source.Task);
        InterruptWhileEnded(source.Task, () => Started(() => Completion.End(source)));
        await Task.WhenAll(waiting).WaitAsync(s_soon);
    }

    [Fact]
    public async Task An_interrupt_of_who_leads_a_round_of_syncs_is_not_for_the_others()
    {
        LogDisk disk = new();
        using LogFile log = LogHistory.Open(disk);
        using SemaphoreSlim isSyncing = new(0), goesOn = new(0);
        disk.HoldNextSync(isSyncing, goesOn);
        log.Append("x"u8);
        Thread first = Started(log.Sync);
        Assert.True(await isSyncing.WaitAsync(s_soon));
        log.Append("y"u8);
        // It leads the next round, and waits for the disk.
        Thread leader = Started(log.Sync);
        Assert.True(SpinWait.SpinUntil(() => leader.ThreadState.HasFlag(ThreadState.WaitSleepJoin), s_soon));
        Task joined = log.SyncAsync().AsTask();
        Task[] waiting = WaitingFor(joined);
        InterruptWhileEnded(joined, () =>
        {
            goesOn.Release();
            return leader;
        });
        await Task.WhenAll(waiting).WaitAsync(s_soon);
        Assert.True(first.Join(s_soon));
        Assert.Equal(log.End, log.SyncedEnd);
    }

    [Fact]
    public async Task Tasks_beside_threads_that_are_interrupted_all_end()
    {
        using TempFolder root = new();
        LogFile log = LogFile.Create(root.File("log"));
        using var file = MappedFileTests.Made(root.File("stats"), 10);
        bool ends = false;
        int interrupted = 0;
        Thread[] threads = [.. Enumerable.Range(0, 6).Select(number => Started(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                try
                {
                    log.Append("x"u8);
                    if (number % 2 == 0) log.Sync();
                    else file.Increment(0, IndexStats.Fields.Attempts);
                }
                catch (ThreadInterruptedException)
                {
                    Interlocked.Increment(ref interrupted);
                }
            }
        }))];
        // With a token that may be cancelled each wait hangs itself into the shared task and takes itself out again.
        Task[] tasks = [.. Enumerable.Range(0, 9).Select(number => Task.Run(async () =>
        {
            while (!Volatile.Read(ref ends))
            {
                using CancellationTokenSource cancels = new();
                if (number % 2 == 0) cancels.CancelAfter(0);
                try
                {
                    switch (number % 3)
                    {
                        case 0:
                            log.Append("y"u8);
                            await log.SyncAsync(cancels.Token);
                            break;
                        case 1:
                            await log.TailAsync(log.End, cancellationToken: cancels.Token);
                            break;
                        default:
                            using (var tx = await file.BeginWriteAsync(cancels.Token))
                            {
                                tx.Increment(1, IndexStats.Fields.Attempts);
                                await tx.CommitAsync();
                            }
                            break;
                    }
                }
                catch (OperationCanceledException) { }
            }
        }))];
        int rounds = LongRuns.Of(1000, 30_000);
        // On one processor few of them come while a thread waits.
        for (int i = 0; i < rounds || (Volatile.Read(ref interrupted) == 0 && i < 50 * rounds); i++)
        {
            threads[i % threads.Length].Interrupt();
            if (i % 4 == 0) Thread.Sleep(1);
        }
        Volatile.Write(ref ends, true);
        foreach (Thread thread in threads) Assert.True(thread.Join(s_soon), "a thread is stuck");
        // For those that wait for one more.
        log.Append("z"u8);
        await Task.WhenAll(tasks).WaitAsync(s_soon);
        Assert.True(interrupted > 0);
        log.Verify();
        log.Dispose();
    }

    [Fact]
    public void A_log_whose_close_is_interrupted_is_closed()
    {
        using TempFolder root = TempFolder.With("log", out string path);
        LogFile log = LogFile.Create(path);
        log.Append("x"u8);
        bool comesAfter = false;
        Thread closes;
        // As if another thread appended.
        using (Writer(log)!.Gate.EnterScope())
        {
            closes = Started(() =>
            {
                log.Dispose();
                try
                {
                    Thread.Sleep(1);
                }
                catch (ThreadInterruptedException)
                {
                    comesAfter = true;
                }
            });
            Assert.True(SpinWait.SpinUntil(() => closes.ThreadState.HasFlag(ThreadState.WaitSleepJoin), s_soon));
            closes.Interrupt();
            Thread.Sleep(20);
        }
        Assert.True(closes.Join(s_soon) && comesAfter);
        // Its lock is free.
        using LogFile again = LogFile.Open(path);
        Assert.True(again.Recovery.WasClosedCleanly);
    }

    private static Thread Started(ThreadStart does)
    {
        Thread thread = new(() =>
        {
            try
            {
                does();
            }
            catch (ThreadInterruptedException) { }
        })
        { IsBackground = true };
        thread.Start();
        return thread;
    }

    // Two: the task has a list of them then.
    private static Task[] WaitingFor(Task task) => [task.ContinueWith(static _ => { }), task.ContinueWith(static _ => { })];

    // Whoever ends the task finds the list of its continuations locked, and is interrupted there.
    private static void InterruptWhileEnded(Task task, Func<Thread> ends)
    {
        Thread thread;
        lock (Assert.IsType<List<object>>(Continuations(task)))
        {
            thread = ends();
            Assert.True(SpinWait.SpinUntil(() => task.IsCompleted, s_soon));
            Thread.Sleep(20);
            thread.Interrupt();
            Thread.Sleep(20);
        }
        Assert.True(thread.Join(s_soon));
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "m_continuationObject")]
    private static extern ref object? Continuations(Task task);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_writer")]
    private static extern ref LogWriter? Writer(LogFile log);
}
