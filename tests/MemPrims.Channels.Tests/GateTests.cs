namespace MemPrims.Channels.Tests;

// One at a time, nobody forgotten, whichever way they wait.
[Collection(Alone.Name)]
public class GateTests
{
    private static readonly Patience s_forEver = new(Deadline.Never);

    [Fact]
    public async Task One_at_a_time_and_nobody_is_forgotten()
    {
        const int rounds = 2000;
        using Ends ends = Ends.Of(out IpcChannel a, out _);
        Gate gate = new();
        int inside = 0, entered = 0;
        Background[] threads = [.. Enumerable.Range(0, 4).Select(_ => new Background(() =>
        {
            for (int i = 0; i < rounds; i++)
            {
                gate.Enter(a.Life, s_forEver, "");
                Stay();
            }
        }))];
        Task[] tasks = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            for (int i = 0; i < rounds; i++)
            {
                // For ever: a waiter that nobody wakes would hang here.
                await gate.EnterAsync(a.Life, s_forEver, "");
                Stay();
            }
        }))];
        await Task.WhenAll(tasks).WaitAsync(TimeSpan.FromMinutes(1));
        foreach (Background thread in threads) thread.Dispose();
        Assert.Equal(8 * rounds, entered);
        Assert.True(gate.TryEnter());

        void Stay()
        {
            Assert.Equal(1, Interlocked.Increment(ref inside));
            entered++;
            if (entered % 64 == 0) Thread.Yield();
            Interlocked.Decrement(ref inside);
            gate.Exit();
        }
    }

    [Fact]
    public async Task Who_leaves_and_is_interrupted_wakes_the_next_one_all_the_same()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out _);
        Gate gate = new();
        bool over = false;
        int inside = 0, interrupted = 0;
        Thread[] threads = [.. Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            while (!Volatile.Read(ref over))
            {
                try
                {
                    gate.Enter(a.Life, s_forEver, "");
                }
                catch (ThreadInterruptedException)
                {
                    interrupted++;
                    continue;
                }
                // An interrupt that came here would leave the count, and the others outside.
                Interlocked.Increment(ref inside);
                Interlocked.Decrement(ref inside);
                gate.Exit();
            }
        }) { IsBackground = true })];
        foreach (Thread thread in threads) thread.Start();
        Task[] tasks = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            while (!Volatile.Read(ref over))
            {
                await gate.EnterAsync(a.Life, s_forEver, "");
                Assert.Equal(1, Interlocked.Increment(ref inside));
                Interlocked.Decrement(ref inside);
                gate.Exit();
            }
        }))];
        for (int i = 0; i < 2000; i++)
        {
            threads[i % 4].Interrupt();
            if (i % 4 == 0) Thread.Sleep(1);
        }
        Volatile.Write(ref over, true);
        foreach (Thread thread in threads) Assert.True(thread.Join(TimeSpan.FromMinutes(1)));
        await Task.WhenAll(tasks).WaitAsync(TimeSpan.FromMinutes(1));
        Assert.True(interrupted > 0 && gate.TryEnter());
    }

    // The wake-up of an exit is for one. If that one is a thread that is interrupted at this moment, it is the next one's.
    [Fact]
    public async Task The_wake_up_of_one_that_is_interrupted_goes_to_the_next()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out _);
        int interrupted = 0;
        for (int i = 0; i < 400; i++)
        {
            Gate gate = new();
            Assert.True(gate.TryEnter());
            Thread first = new(() =>
            {
                try
                {
                    gate.Enter(a.Life, s_forEver, "");
                    gate.Exit();
                }
                catch (ThreadInterruptedException)
                {
                    interrupted++;
                }
            });
            first.Start();
            SpinWait.SpinUntil(() => first.ThreadState.HasFlag(System.Threading.ThreadState.WaitSleepJoin));
            Task second = gate.EnterAsync(a.Life, s_forEver, "").AsTask();
            // It still counts as one that waits, and leaves without a look.
            first.Interrupt();
            gate.Exit();
            await second.WaitAsync(TimeSpan.FromSeconds(20));
            first.Join();
        }
        Assert.True(interrupted > 0);
    }

    [Fact]
    public async Task A_wait_ends_by_its_time_and_by_cancellation()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out _);
        Gate gate = new();
        Assert.True(gate.TryEnter());
        Assert.False(gate.TryEnter());
        Patience brief = new(Deadline.After(TimeSpan.FromMilliseconds(10)));
        Assert.Throws<TimeoutException>(() => gate.Enter(a.Life, brief, ""));
        await Assert.ThrowsAsync<TimeoutException>(async () => await gate.EnterAsync(a.Life, brief, ""));
        using CancellationTokenSource soon = new(20);
        Patience cancelled = new(Deadline.Never, soon.Token);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await gate.EnterAsync(a.Life, cancelled, ""));
        ValueTask waiting = gate.EnterAsync(a.Life, s_forEver, "");
        Assert.False(waiting.IsCompleted);
        gate.Exit();
        await waiting;
        gate.Exit();
        Assert.True(gate.TryEnter());
    }
}
