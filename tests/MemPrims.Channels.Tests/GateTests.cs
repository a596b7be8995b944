namespace MemPrims.Channels.Tests;

// One at a time, nobody forgotten, whichever way they wait.
[Collection(Alone.Name)]
public class GateTests
{
    [Fact]
    public async Task One_at_a_time_and_nobody_is_forgotten()
    {
        const int rounds = 2000;
        Gate gate = new();
        int inside = 0, entered = 0;
        Background[] threads = [.. Enumerable.Range(0, 4).Select(_ => new Background(() =>
        {
            for (int i = 0; i < rounds; i++)
            {
                while (!gate.TryEnter() && !gate.Wait(20_000, default)) continue;
                Stay();
            }
        }))];
        Task[] tasks = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            for (int i = 0; i < rounds; i++)
            {
                // For ever: a waiter that nobody wakes would hang here.
                while (!await gate.WaitAsync(-1, default)) continue;
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
    public async Task A_wait_ends_by_its_time_and_by_cancellation()
    {
        Gate gate = new();
        Assert.True(gate.TryEnter());
        Assert.False(gate.TryEnter());
        Assert.False(gate.Wait(10, default));
        Assert.False(await gate.WaitAsync(10, default));
        using CancellationTokenSource soon = new(20);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await gate.WaitAsync(-1, soon.Token));
        Assert.ThrowsAny<OperationCanceledException>(() => gate.Wait(-1, soon.Token));
        ValueTask<bool> waiting = gate.WaitAsync(-1, default);
        gate.Exit();
        Assert.True(await waiting);
        gate.Exit();
        Assert.True(gate.TryEnter());
    }
}
