namespace MemPrims.Records.Tests.Log;

// Callers that share syncs: each returns when one has ended that began after it came, and nobody is left behind.
public sealed class SyncRoundsTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task Who_comes_while_a_round_ends_is_covered_and_never_left_behind()
    {
        int came = 0, covered = 0, running = 0;
        SyncRounds rounds = new(() =>
        {
            Assert.Equal(1, Interlocked.Increment(ref running));
            int now = Volatile.Read(ref came);
            Volatile.Write(ref covered, now);
            Interlocked.Decrement(ref running);
        });
        int calls = LongRuns.Of(20_000, 500_000);
        Task[] callers = [.. Enumerable.Range(0, 6).Select(caller => Task.Factory.StartNew(() =>
        {
            for (int i = 0; i < calls; i++)
            {
                int own = Interlocked.Increment(ref came);
                if (caller > 0) rounds.Join();
                else if (!rounds.JoinAsync().Wait(s_soon)) throw new TimeoutException("a caller of JoinAsync was left behind");
                Assert.True(Volatile.Read(ref covered) >= own);
            }
        }, TaskCreationOptions.LongRunning))];
        await Task.WhenAll(callers).WaitAsync(TimeSpan.FromMinutes(2));
    }

    [Fact]
    public async Task What_is_appended_while_a_sync_runs_is_neither_acknowledged_nor_testified_to()
    {
        for (int seed = 0; seed < 60; seed++)
        {
            LogDisk disk = new();
            LogFile log = LogHistory.Open(disk);
            using SemaphoreSlim isSyncing = new(0), goesOn = new(0);
            disk.HoldNextSync(isSyncing, goesOn);
            log.Append("first"u8);
            Task syncs = Task.Factory.StartNew(log.Sync, TaskCreationOptions.LongRunning);
            Assert.True(await isSyncing.WaitAsync(s_soon));
            long acknowledged = log.End, later = log.Append(new byte[300]);
            goesOn.Release();
            await syncs.WaitAsync(s_soon);
            Assert.Equal(acknowledged, log.SyncedEnd);
            // It comes to the disk's cache together with what the sync left after it.
            Assert.Equal(300, log.Read(later).Length);
            disk.LosePower(new(seed));
            using LogFile again = LogHistory.Open(disk);
            Assert.InRange(again.Recovery.Frames, 1, 2);
        }
    }
}
