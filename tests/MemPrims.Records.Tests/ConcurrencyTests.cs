using System.Diagnostics;

namespace MemPrims.Records.Tests;

// Readers beside the writer, second writers and pins, by thread and by process.
public class ConcurrencyTests
{
    // So that readers which get nothing done end the test by a failure, and not never.
    private const int Records = 60, MostCommits = 1_000_000;

    [Fact]
    public async Task A_second_writer_in_this_process_is_refused_until_the_first_is_closed()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        var first = MappedFileTests.Made(path, 3);
        using var second = MappedFile<IndexStats>.Open(path, new() { WriterTimeout = TimeSpan.Zero });
        Assert.Equal(MappedFileReason.Locked, Assert.Throws<MappedFileException>(second.BeginWrite).Reason);
        Assert.Equal(MappedFileReason.Locked, await Task.Run(() => Assert.Throws<MappedFileException>(second.BeginWrite).Reason));
        using (first.BeginWrite()) Assert.Equal(MappedFileReason.Locked, Assert.Throws<MappedFileException>(first.BeginWrite).Reason);
        first.BeginWrite().Dispose();
        first.Dispose();
        Assert.Equal(1, second.Increment(0, IndexStats.Fields.Attempts));
        Assert.Equal(MappedFileReason.ReadOnly,
            Assert.Throws<MappedFileException>(() => MappedFile<IndexStats>.OpenRead(path).BeginWrite()).Reason);
    }

    [Fact]
    public void A_second_writer_in_another_process_is_refused_until_the_first_is_killed()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileTests.Made(path, 3).Dispose();
        using Process child = Child.Start(HoldWriter, [path]);
        Assert.Equal("holding", child.StandardOutput.ReadLine());
        using var file = MappedFile<IndexStats>.Open(path, new() { WriterTimeout = TimeSpan.Zero });
        Assert.Equal(MappedFileReason.Locked, Assert.Throws<MappedFileException>(file.BeginWrite).Reason);
        Assert.Equal(2, file.Read(2, static s => s.LastEtag));
        child.Kill();
        child.WaitForExit();
        Assert.Equal(1, file.Increment(0, IndexStats.Fields.Attempts));
    }

    [Fact]
    public void A_pin_keeps_its_state_and_stalls_the_second_commit()
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), Records);
        using (var snapshot = file.Pin())
        {
            Assert.Equal(1, file.Increment(0, IndexStats.Fields.Attempts));
            Assert.Equal(0, snapshot.Read(0, static s => s.Attempts));
            using var tx = file.BeginWrite();
            IndexStats s = tx[0];
            s.Attempts = 2;
            RefusedAtOnce(tx.Commit);
            Assert.Equal(0, snapshot.Read(0, static s => s.Attempts));
            Assert.Equal(1, file.Read(0, static s => s.Attempts));
            snapshot.Dispose();
            tx.Commit();
        }
        Assert.Equal(2, file.Read(0, static s => s.Attempts));
    }

    [Fact]
    public async Task A_pin_of_another_process_is_waited_for_and_ends_with_that_process()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileTests.Made(path, 3).Dispose();
        using Process child = Child.Start(HoldPin, [path]);
        Assert.Equal("pinned", child.StandardOutput.ReadLine());
        using (var hasty = MappedFile<IndexStats>.Open(path, new() { PinTimeout = TimeSpan.FromMilliseconds(50) }))
        {
            hasty.Increment(0, IndexStats.Fields.Attempts);
            Assert.Equal(MappedFileReason.Pinned,
                Assert.Throws<MappedFileException>(() => hasty.Increment(0, IndexStats.Fields.Attempts)).Reason);
        }
        using var patient = MappedFile<IndexStats>.Open(path);
        Task<int> waiting = Task.Run(() => patient.Increment(0, IndexStats.Fields.Attempts));
        Thread.Sleep(50);
        Assert.False(waiting.IsCompleted);
        child.Kill();
        Assert.Equal(2, await waiting);
    }

    [Fact]
    public void Many_pins_keep_their_state_until_the_last_of_them_ends()
    {
        const int pins = 150;
        using TempFolder folder = TempFolder.With("stats", out string path);
        using var file = MappedFileTests.Made(path, Records);
        using var other = MappedFile<IndexStats>.OpenRead(path);
        PinnedSnapshot<IndexStats>[] before = [.. Enumerable.Range(0, pins).Select(i => (i % 2 == 0 ? file : other).Pin())];
        Assert.Equal(1, file.Increment(0, IndexStats.Fields.Attempts));
        PinnedSnapshot<IndexStats>[] after = [.. Enumerable.Range(0, pins).Select(i => (i % 2 == 0 ? file : other).Pin())];
        Random random = Seeds.Random();
        random.Shuffle(before);
        random.Shuffle(after);
        for (int i = 0; i < pins; i++)
        {
            Assert.Equal((0, 1), (before[i].View(0).Attempts, after[i].View(0).Attempts));
            Assert.Equal(before[i].Transaction + 1, after[i].Transaction);
            RefusedAtOnce(() => file.Increment(0, IndexStats.Fields.Attempts));
            before[i].Dispose();
            Assert.Throws<ObjectDisposedException>(() => before[i].View(0).Attempts);
        }
        // The newer pins have the other parity: one more commit goes by them, and the next waits.
        Assert.Equal(2, file.Increment(0, IndexStats.Fields.Attempts));
        foreach (var pin in after)
        {
            RefusedAtOnce(() => file.Increment(0, IndexStats.Fields.Attempts));
            Assert.Equal(1, pin.View(0).Attempts);
            pin.Dispose();
            pin.Dispose();
        }
        Assert.Equal(3, file.Increment(0, IndexStats.Fields.Attempts));
    }

    [Fact]
    public void A_close_leaves_a_pinned_state_alone()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        var file = MappedFileTests.Made(path, Records);
        using var other = MappedFile<IndexStats>.OpenRead(path);
        using var snapshot = other.Pin();
        file.Increment(0, IndexStats.Fields.Attempts);
        long last = file.Transaction;
        // What closing writes would take the place of the pinned transaction's meta.
        file.Dispose();
        Assert.Equal((0, last - 1), (snapshot.View(0).Attempts, snapshot.Transaction));
        Assert.Equal(last, other.Transaction);
    }

    [Fact]
    public void A_pin_taken_from_a_state_long_past_holds_the_newest()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        using var file = MappedFileTests.Made(path, Records);
        using var late = MappedFile<IndexStats>.OpenRead(path);
        for (int commit = 1; commit <= 5; commit++)
        {
            file.Increment(0, IndexStats.Fields.Attempts);
            using (var snapshot = late.Pin()) Assert.Equal((commit, file.Transaction), (snapshot.View(0).Attempts, snapshot.Transaction));
            // An even number of commits brings back the parity that the reader last saw.
            if (commit % 2 == 0) file.Increment(1, IndexStats.Fields.Attempts);
        }
    }

    [Theory, InlineData(Durability.PowerLoss), InlineData(Durability.ProcessCrash)]
    public async Task Readers_in_threads_and_in_another_process_see_whole_commits_only_while_the_file_grows(Durability durability)
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileTests.Made(path, Records).Dispose();
        using Process child = Child.Start(ReadUntilStopped, [path]);
        Assert.Equal("reading", child.StandardOutput.ReadLine());
        using var file = MappedFile<IndexStats>.Open(path, new() { Durability = durability, PinTimeout = TimeSpan.FromSeconds(30) });
        using CancellationTokenSource stop = new();
        using CountdownEvent ready = new(2);
        Task[] readers =
        [
            Task.Run(() => Observe(file, stop.Token, () => ready.Signal(), pins: false)),
            Task.Run(() =>
            {
                using var own = MappedFile<IndexStats>.OpenRead(path);
                Observe(own, stop.Token, () => ready.Signal(), pins: false);
            }),
        ];
        Task<string?> enough = child.StandardOutput.ReadLineAsync();
        int commits = durability == Durability.PowerLoss ? 200 : 4000 * Seeds.Scale;
        for (int commit = 1; commit <= commits
            || (commit < MostCommits && !(enough.IsCompleted && ready.IsSet) && !readers.Any(r => r.IsCompleted)); commit++)
        {
            using var tx = file.BeginWrite();
            // Each commit gives one page's records and the last record the same number: two pages that must be seen together or not at
            // all.
            for (int i = 0; i < 10; i++) Stamp(tx[i], commit);
            Stamp(commit % 8 == 0 && tx.Count < 3000 ? tx.Append() : tx[tx.Count - 1], commit);
            tx.Commit();
        }
        await stop.CancelAsync();
        child.StandardInput.Close();
        await Task.WhenAll(readers);
        Assert.True(ready.IsSet);
        Assert.Equal("", await child.StandardError.ReadToEndAsync());
        child.WaitForExit();
        Assert.Equal(0, child.ExitCode);
        file.Verify();
    }

    // By the message, for what is waited for ends with the same reason.
    private static void RefusedAtOnce(Action commit)
    {
        MappedFileException e = Assert.Throws<MappedFileException>(commit);
        Assert.Equal(MappedFileReason.Pinned, e.Reason);
        Assert.Contains("of this process", e.Message);
    }

    private static void HoldWriter(string[] arguments)
    {
        using var file = MappedFile<IndexStats>.Open(arguments[0]);
        using var tx = file.BeginWrite();
        IndexStats s = tx[0];
        s.Attempts = 77;
        Console.WriteLine("holding");
        Console.ReadLine();
    }

    private static void HoldPin(string[] arguments)
    {
        using var file = MappedFile<IndexStats>.OpenRead(arguments[0]);
        using var snapshot = file.Pin();
        Console.WriteLine("pinned");
        Console.ReadLine();
        GC.KeepAlive(snapshot);
    }

    private static void ReadUntilStopped(string[] arguments)
    {
        using var file = MappedFile<IndexStats>.OpenRead(arguments[0]);
        using CancellationTokenSource stop = new();
        Console.WriteLine("reading");
        Task.Run(() =>
        {
            Console.In.ReadToEnd();
            stop.Cancel();
        });
        Observe(file, stop.Token, () => Console.WriteLine("enough"), pins: true);
    }

    private static void Stamp(IndexStats s, int number)
    {
        s.LastEtag = number;
        s.Attempts = number;
        s.ReduceAttempts = number;
        s.LastError = System.Text.Encoding.UTF8.GetBytes(new string((char)('a' + number % 26), number % 128));
    }

    // Each record must agree with itself; in a pinned state all records of the first ten and the newest of all must agree.
    private static void Observe(MappedFile<IndexStats> file, CancellationToken stop, Action enough, bool pins)
    {
        long newest = 0;
        for (long reads = 0; !stop.IsCancellationRequested; reads++)
        {
            long etag = file.Read((int)(reads % 10), static s => s.Attempts == 0 || Agrees(s) ? s.Attempts
                : throw new InvalidOperationException("a torn record was believed"));
            if (etag < newest && reads % 10 == 0) throw new InvalidOperationException("time went backwards");
            if (reads % 10 == 0) newest = etag;
            if (reads == 500) enough();
            if (!pins || reads % 50 != 0) continue;
            using var snapshot = file.Pin();
            long most = 0;
            foreach (IndexStats.View s in snapshot)
                if (s.Attempts > 0) most = Math.Max(most, Agrees(s) ? s.LastEtag
                    : throw new InvalidOperationException("a torn record in a snapshot"));
            for (int i = 0; i < 10; i++)
                if (snapshot.View(i).Attempts != most) throw new InvalidOperationException($"record {i} is of commit "
                    + $"{snapshot.View(i).Attempts}, and the snapshot of {most}");
        }
    }

    private static bool Agrees(IndexStats.View s) =>
        s.LastEtag == s.Attempts && s.ReduceAttempts == s.Attempts && s.LastError.Length == s.Attempts % 128
        && s.LastError.IndexOfAnyExcept((byte)('a' + s.Attempts % 26)) < 0;
}
