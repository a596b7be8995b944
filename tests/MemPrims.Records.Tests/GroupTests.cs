namespace MemPrims.Records.Tests;

// These tests wait on purpose: for calls that another thread is inside of.
#pragma warning disable xUnit1031

// Who commits a group, how often, and what becomes of the pages of a transaction that ended badly.
public sealed class GroupTests : IDisposable
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);
    private readonly CrashDisk _disk = new();

    public GroupTests()
    {
        _disk.Clear();
        MappedFile<Cell>.Create(new CrashStorage(_disk), Small.Slots).Dispose();
        using MappedFile<Cell> file = new(new CrashStorage(_disk));
        file.AppendNew();
    }

    public void Dispose() => _disk.Dispose();

    [Fact]
    public async Task Nothing_is_built_on_a_group_whose_ground_failed()
    {
        using SemaphoreSlim isGrowing = new(0), goesOn = new(0);
        using MappedFile<Cell> file = new(new CrashStorage(_disk, operation =>
        {
            if (operation.Kind != OperationKind.Extend) return Fate.Done;
            isGrowing.Release();
            goesOn.Wait();
            return Fate.FailFull;
        }));
        for (int round = 0; round < 30; round++)
        {
            Task first = GrowAsync(file);
            Assert.True(await isGrowing.WaitAsync(s_soon));
            // It gathers on top of the first one. The writer's own thread waits a little for more, before it learns of the failure.
            Task second = GrowAsync(file);
            goesOn.Release();
            Assert.True(SpinWait.SpinUntil(() => first.IsCompleted, s_soon));
            using (WriteTransaction<Cell> next = file.BeginWrite())
            {
                Assert.Equal(file.Count, next.Count);
                next.Increment(0, Cell.Fields.Value);
                next.Commit();
            }
            foreach (Task grows in (Task[])[first, second])
                Assert.Equal(MappedFileReason.Full, (await Assert.ThrowsAsync<MappedFileException>(() => grows.WaitAsync(s_soon))).Reason);
            Assert.Equal(round + 1, file.Read(0, static cell => cell.Value));
        }
        file.Verify();

        static Task GrowAsync(MappedFile<Cell> file)
        {
            using WriteTransaction<Cell> tx = file.BeginWrite();
            for (int i = 0; i < 5000; i++) tx.Append();
            return tx.CommitAsync();
        }
    }

    [Fact]
    public async Task A_commit_without_syncs_tells_a_full_disk_in_its_task()
    {
        using MappedFile<Cell> file = new(new CrashStorage(_disk, static operation =>
            operation.Kind == OperationKind.Extend ? Fate.FailFull : Fate.Done), new() { Durability = Durability.ProcessCrash });
        using WriteTransaction<Cell> tx = file.BeginWrite();
        for (int i = 0; i < 5000; i++) tx.Append();
        Task commits = tx.CommitAsync();
        Assert.Equal(MappedFileReason.Full, (await Assert.ThrowsAsync<MappedFileException>(() => commits)).Reason);
        Assert.False(tx.IsOpen);
        file.Increment(0, Cell.Fields.Value);
    }

    [Fact]
    public async Task A_group_is_committed_once_though_two_come_for_it()
    {
        using SemaphoreSlim isSyncing = new(0), goesOn = new(0);
        bool stops = false;
        using MappedFile<Cell> file = new(new CrashStorage(_disk, operation =>
        {
            if (!stops || operation.Kind != OperationKind.Sync) return Fate.Done;
            stops = false;
            isSyncing.Release();
            goesOn.Wait();
            return Fate.Done;
        }));
        file.Increment(0, Cell.Fields.Value);
        long before = file.Transaction;
        stops = true;
        // The writer's own thread is busy with the first group, and comes for the second one when a thread that waits has led it.
        Task first = IncrementAsync(file);
        Assert.True(await isSyncing.WaitAsync(s_soon));
        Task second = IncrementAsync(file);
        Thread leads = new(() => file.Increment(0, Cell.Fields.Value));
        leads.Start();
        Assert.True(SpinWait.SpinUntil(() => leads.ThreadState.HasFlag(ThreadState.WaitSleepJoin), s_soon));
        goesOn.Release();
        await Task.WhenAll(first, second).WaitAsync(s_soon);
        Assert.True(leads.Join(s_soon));
        // What the own thread was told before this one it has done by now.
        await IncrementAsync(file).WaitAsync(s_soon);
        Assert.Equal(before + 3, file.Transaction);
        Assert.Equal(5, file.Read(0, static cell => cell.Value));
        file.Verify();
    }

    // Two threads that take turns share syncs only if the second one begins before the first one's sync has ended.
    [Fact]
    public void Where_one_waits_it_begins_while_the_one_before_is_synced()
    {
        using SemaphoreSlim hasBegun = new(0), commits = new(0), isSyncing = new(0), goesOn = new(0), secondHasBegun = new(0);
        bool stops = false;
        using MappedFile<Cell> file = new(new CrashStorage(_disk, operation =>
        {
            if (!stops || operation.Kind != OperationKind.Sync) return Fate.Done;
            stops = false;
            isSyncing.Release();
            goesOn.Wait();
            return Fate.Done;
        }), new() { WriterTimeout = 10 * s_soon });
        file.Increment(0, Cell.Fields.Value);
        Thread first = new(() => Increment(hasBegun, commits)), second = new(() => Increment(secondHasBegun, goesOn: null));
        first.Start();
        Assert.True(hasBegun.Wait(s_soon));
        second.Start();
        Assert.True(SpinWait.SpinUntil(() => second.ThreadState.HasFlag(ThreadState.WaitSleepJoin), s_soon));
        stops = true;
        commits.Release();
        Assert.True(isSyncing.Wait(s_soon));
        bool begins = secondHasBegun.Wait(s_soon);
        goesOn.Release();
        Assert.True(first.Join(s_soon) && second.Join(s_soon));
        Assert.True(begins);
        Assert.Equal(3, file.Read(0, static cell => cell.Value));

        void Increment(SemaphoreSlim begins, SemaphoreSlim? goesOn)
        {
            using WriteTransaction<Cell> tx = file.BeginWrite();
            begins.Release();
            goesOn?.Wait();
            tx.Increment(0, Cell.Fields.Value);
            tx.Commit();
        }
    }

    [Fact]
    public unsafe void Pages_of_a_transaction_that_two_threads_tore_are_used_by_nobody_again()
    {
        using RecordFile file = RecordFile.Open(new CrashStorage(_disk), Cell.Layout, MappedFileOptions.Default);
        RecordWriter writer = new(file);
        WriteBatch torn = writer.Begin();
        torn.Slot(0);
        byte* page = torn.Set.Pages[0].Bytes;
        using (torn.Enter())
        {
            Task.Factory.StartNew(() => Assert.Throws<InvalidOperationException>(() => { torn.Append(out _); }), default,
                TaskCreationOptions.LongRunning, TaskScheduler.Default).Wait();
        }
        Assert.True(torn.IsTorn);
        writer.End(torn);
        // A thread that is inside the torn one still may store into its page.
        WriteBatch next = writer.Begin();
        next.Slot(0);
        Assert.True(page != next.Set.Pages[0].Bytes);
        writer.End(next);
        writer.Close();
    }

    [Fact]
    public void A_commit_that_gets_no_thread_is_done_by_its_caller()
    {
        if (!OperatingSystem.IsLinux()) return;
        using TempFolder folder = new();
        Child.Run(CommitWithoutThreads, [folder.File("cells")]).AssertSucceeded();
        using MappedFile<Cell> file = MappedFile<Cell>.Open(folder.File("cells"));
        Assert.Equal(2, file.Read(0, static cell => cell.Value));
    }

    private static void CommitWithoutThreads(string[] arguments)
    {
        const int addressSpace = 9, mostThreads = 1000;
        using ManualResetEventSlim end = new();
        using (MappedFile<Cell> file = MappedFile<Cell>.Create(arguments[0]))
        {
            using (WriteTransaction<Cell> tx = file.BeginWrite())
            {
                tx.Append();
                tx.Commit();
            }
            IncrementAsync(file).Wait();
        }
        // Not by using: a commit that nobody does would hold up its Dispose, and the test.
        MappedFile<Cell> again = MappedFile<Cell>.Open(arguments[0]);
        again.BeginWrite().Dispose();
        using FileStorage storage = FileStorage.Open(arguments[0], FileMode.Open, FileAccess.ReadWrite);
        storage.BeginSyncBeside().Wait();
        long used = File.ReadLines("/proc/self/status").Where(line => line.StartsWith("VmSize:", StringComparison.Ordinal))
            .Select(line => long.Parse(line.AsSpan(7, line.Length - 9), null) << 10).Single();
        Scarcity.Limit(addressSpace, (ulong)used + (64 << 20));
        int threads = 0;
        try
        {
            for (; threads < mostThreads; threads++) new Thread(() => end.Wait()) { IsBackground = true }.Start();
        }
        catch (OutOfMemoryException)
        {
            // From here on there is none to be had.
        }
        Assert.True(threads < mostThreads);
        Assert.True(IncrementAsync(again).Wait(s_soon));
        // A sync beside commits is done before them then.
        RunningSync beside = storage.BeginSyncBeside();
        Assert.True(beside.HasEnded);
        beside.Wait();
        again.Dispose();
        end.Set();
    }

    private static Task IncrementAsync(MappedFile<Cell> file)
    {
        using WriteTransaction<Cell> tx = file.BeginWrite();
        tx.Increment(0, Cell.Fields.Value);
        return tx.CommitAsync();
    }
}
