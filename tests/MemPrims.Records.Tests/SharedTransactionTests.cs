using System.Collections.Concurrent;

namespace MemPrims.Records.Tests;

// These tests wait on purpose: for calls that another thread is inside of.
#pragma warning disable xUnit1031

// A transaction that several threads use at once, against its contract, is refused and never ruins the file.
public sealed partial class SharedTransactionTests : IDisposable
{
    private const int Cells = 40;
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(30);
    private static readonly MappedFileOptions s_noSync = new() { Durability = Durability.ProcessCrash };

    private readonly CrashDisk _disk = new();
    private readonly PiecewiseStorage _storage;
    private readonly MappedFile<Shared> _file;
    private readonly SemaphoreSlim _isInside = new(0), _goesOn = new(0);

    public SharedTransactionTests()
    {
        _disk.Clear();
        MappedFile<Shared>.Create(new CrashStorage(_disk), Tests.Small.Slots).Dispose();
        _file = new(_storage = new(_disk), s_noSync);
        _file.AppendNew(Cells);
    }

    public void Dispose()
    {
        _file.Dispose();
        _disk.Dispose();
    }

    [Theory, InlineData("change"), InlineData("read"), InlineData("append"), InlineData("free"), InlineData("commit")]
    [InlineData("commit async")]
    public async Task A_call_beside_a_commit_is_refused_and_the_commit_goes_on(string call)
    {
        using WriteTransaction<Shared> tx = _file.BeginWrite();
        Set(tx, 0, 5);
        Task commits = Inside(() => _storage.Writes = Stop, tx.Commit);
        Assert.Throws<InvalidOperationException>(() => Call(tx, call));
        Task ends = OwnThread.Run(tx.Dispose);
        // A transaction that began now would not know what is being committed.
        Assert.False(ends.Wait(50));
        _goesOn.Release();
        await commits.WaitAsync(s_soon);
        await ends.WaitAsync(s_soon);
        Check(5);
    }

    [Theory, InlineData("change"), InlineData("append"), InlineData("free"), InlineData("commit"), InlineData("commit async")]
    [InlineData("dispose")]
    public async Task A_call_beside_another_ends_the_transaction_for_both(string call)
    {
        // What is known of a page's copies is announced when it is touched.
        _file.Increment(0, Shared.Fields.Value);
        using WriteTransaction<Shared> tx = _file.BeginWrite();
        Task changes = Inside(() => _storage.Expects = Stop, () => Set(tx, 0, 7));
        if (call == "dispose") tx.Dispose();
        else Assert.Throws<InvalidOperationException>(() => Call(tx, call));
        _goesOn.Release();
        Assert.IsAssignableFrom<InvalidOperationException>(await Record.ExceptionAsync(() => changes.WaitAsync(s_soon)));
        Assert.False(tx.IsOpen);
        Assert.Contains("Several threads", Assert.Throws<InvalidOperationException>(tx.Commit).Message);
        tx.Dispose();
        Check(1);
    }

    [Fact]
    public async Task A_store_through_a_record_that_another_thread_kept_does_not_damage_the_page()
    {
        using WriteTransaction<Shared> tx = _file.BeginWrite();
        SemaphoreSlim stores = new(0), stored = new(0);
        Task keeps = OwnThread.Run(() =>
        {
            Shared kept = tx[0];
            _isInside.Release();
            stores.Wait();
            kept.Value = 9;
            stored.Release();
        });
        Assert.True(_isInside.Wait(s_soon));
        Set(tx, 0, 5);
        _storage.Writes = () =>
        {
            _storage.Writes = null;
            stores.Release();
            stored.Wait(s_soon);
        };
        tx.Commit();
        await keeps.WaitAsync(s_soon);
        Check(5);
    }

    [Fact]
    public async Task A_transaction_may_go_from_thread_to_thread()
    {
        using WriteTransaction<Shared> tx = await _file.BeginWriteAsync();
        for (int i = 0; i < 100; i++) await OwnThread.Run(() => tx.Increment(0, Shared.Fields.Value));
        await OwnThread.Run(tx.Commit);
        Check(100);
    }

    [Theory, InlineData(Durability.ProcessCrash), InlineData(Durability.PowerLoss)]
    public void Threads_that_share_transactions_never_ruin_the_file(Durability durability)
    {
        using TempFolder folder = new(Directory.Exists("/dev/shm") ? "/dev/shm" : null);
        string path = folder.File("cells");
        MappedFile<Shared>.Create(path).Dispose();
        using MappedFile<Shared> file = MappedFile<Shared>.Open(path, new() { Durability = durability });
        int refused = 0, committed = 0;
        ConcurrentBag<Exception> others = [];
        for (int round = 0; round < LongRuns.Of(300, 10_000); round++)
        {
            WriteTransaction<Shared> tx = file.BeginWrite();
            for (int i = 0; i < 3; i++) tx.Append();
            // Of three threads that share one hardly any commits. In every fifth round one is alone, so that the file changes.
            int sharing = round % 5 == 0 ? 1 : 3;
            using Barrier begin = new(sharing);
            Thread[] threads = [.. Enumerable.Range(0, sharing).Select(thread => new Thread(() =>
            {
                Random random = new(round * 3 + thread);
                begin.SignalAndWait();
                try
                {
                    for (int step = 0; step < 200; step++)
                    {
                        Shared cell = tx[random.Next(tx.Count)];
                        cell.Value++;
                        cell.Text = new byte[random.Next(20)];
                        if (random.Next(4) == 0) tx.Append();
                        if (random.Next(100) == 0) tx.Free(random.Next(tx.Count));
                        if (random.Next(200) == 0) Commit(tx);
                    }
                    Commit(tx);
                }
                catch (Exception e) when (e is InvalidOperationException or ArgumentOutOfRangeException)
                {
                    Interlocked.Increment(ref refused);
                }
                catch (Exception e)
                {
                    others.Add(e);
                }
            }))];
            foreach (Thread thread in threads) thread.Start();
            foreach (Thread thread in threads) thread.Join();
            tx.Dispose();
            if (round % 10 == 0) file.Verify();
        }
        file.Verify();
        Assert.Empty(others);
        Assert.True(refused > 0 && committed > 0, $"{refused} refused, {committed} committed");

        void Commit(WriteTransaction<Shared> tx)
        {
            tx.Commit();
            Interlocked.Increment(ref committed);
        }
    }

    private void Stop()
    {
        (_storage.Writes, _storage.Expects) = (null, null);
        _isInside.Release();
        Assert.True(_goesOn.Wait(s_soon));
    }

    private Task Inside(Action arm, Action call)
    {
        arm();
        Task calls = OwnThread.Run(call);
        Assert.True(_isInside.Wait(s_soon));
        return calls;
    }

    // Whatever became of the transaction: the file is whole, and the next transaction finds what was acknowledged.
    private void Check(long value)
    {
        _file.Verify();
        Assert.Equal(value, _file.Read(0, static c => c.Value));
        Assert.Equal(Cells, _file.Count);
        Assert.Equal(value + 1, _file.Increment(0, Shared.Fields.Value));
        for (int i = 1; i < Cells; i++) Assert.Equal(1, _file.Increment(i, Shared.Fields.Value));
        _file.Verify();
    }

    private static void Set(WriteTransaction<Shared> tx, int id, long value)
    {
        Shared record = tx[id];
        record.Value = value;
    }

    private static void Call(WriteTransaction<Shared> tx, string call)
    {
        if (call == "change") Set(tx, 3, 1);
        else if (call == "read") tx.Read(3, static c => c.Value);
        else if (call == "append") tx.Append();
        else if (call == "free") tx.Free(3);
        else if (call == "commit") tx.Commit();
        else tx.CommitAsync();
    }

    [MappedRecord(0x51A2)]
    public readonly ref partial struct Shared
    {
        [Field(0)] public partial long Value { get; set; }
        [Bytes(1, Max = 40)] public partial ReadOnlySpan<byte> Text { get; set; }
    }
}
