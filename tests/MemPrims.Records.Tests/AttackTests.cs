using System.Diagnostics;

namespace MemPrims.Records.Tests;

// These tests wait on purpose: for processes that they kill, and for calls that must come back.
#pragma warning disable xUnit1031

// What an attacker tried, by threads, by paths and by other processes.
public class AttackTests
{
    private const int Records = 40;

    [Theory, InlineData("compacted"), InlineData("deleted"), InlineData("a copy, the same byte for byte, was moved over it")]
    public void Who_opened_a_file_that_another_process_replaced_is_refused_and_loses_nothing(string how)
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileTests.Made(path, Records).Dispose();
        using (var idle = MappedFile<IndexStats>.Open(path))
        {
            Assert.Equal(Records, idle.Count);
            Child.Run(Replace, [path, how]).AssertSucceeded();
            MappedFileException told = Assert.Throws<MappedFileException>(() => idle.Increment(5, IndexStats.Fields.Attempts));
            Assert.Equal(MappedFileReason.Locked, told.Reason);
            Assert.Contains("Open it again", told.Message);
            // What it has is readable still.
            Assert.Equal(5, idle.Read(5, static s => s.LastEtag));
        }
        if (how == "deleted") return;
        using var again = MappedFile<IndexStats>.Open(path);
        Assert.Equal(1, again.Increment(5, IndexStats.Fields.Attempts));
        again.Verify();
    }

    [Fact]
    public void Two_writing_processes_that_are_killed_lose_nothing_acknowledged()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileTests.Made(path, Records).Dispose();
        Random random = Seeds.Random();
        using var reader = MappedFile<IndexStats>.OpenRead(path);
        long acknowledged = 0;
        // On a busy machine a process may be killed before its first commit: then more rounds are run, and each has longer.
        int patience = 1;
        for (int round = 0; round < 12 * Seeds.Scale || (acknowledged <= 20 && round < 200); round++)
        {
            Process[] writers = [Child.Start(CommitByTurns, [path]), Child.Start(CommitByTurns, [path])];
            Task<long>[] told = [.. writers.Select(writer => Task.Run(() => LastLine(writer)))];
            Thread.Sleep(random.Next(150, 400) * patience);
            writers[round & 1].Kill();
            Thread.Sleep(random.Next(0, 100));
            writers[round & 1 ^ 1].Kill();
            Task.WaitAll(told);
            if (told.Max(t => t.Result) == 0) patience++;
            acknowledged = Math.Max(acknowledged, told.Max(t => t.Result));
            foreach (Process writer in writers) writer.Dispose();
            reader.Verify();
            using var snapshot = reader.Pin();
            if (snapshot.Count == Records) continue;
            long found = snapshot.View(0).LastEtag;
            // Each of the two may have died between its commit and telling it.
            Assert.InRange(found, acknowledged, acknowledged + 2);
            foreach (IndexStats.View s in snapshot.Scan(..Records)) Assert.Equal(found, s.LastEtag);
            Assert.Equal(found, snapshot.Count - Records);
            acknowledged = found;
        }
        Assert.True(acknowledged > 20, $"only {acknowledged} commits");
    }

    [Fact]
    public void Pins_and_checks_beside_Dispose_end_with_the_file_closed_and_never_reach_another_file()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileTests.Made(path, Records).Dispose();
        using CancellationTokenSource stop = new();
        // Takes the numbers of the files that are being closed.
        Thread churn = new(() =>
        {
            while (!stop.IsCancellationRequested) File.OpenHandle(Environment.ProcessPath!).Dispose();
        });
        churn.Start();
        List<Exception> wrong = [];
        try
        {
            for (int round = 0; round < LongRuns.Of(150, 1500) * Seeds.Scale; round++)
            {
                var file = MappedFile<IndexStats>.OpenRead(path);
                int begun = 0;
                Thread[] pinners = [.. Enumerable.Range(0, 2).Select(_ => new Thread(() =>
                {
                    try
                    {
                        while (true)
                        {
                            Interlocked.Increment(ref begun);
                            file.Pin().Dispose();
                        }
                    }
                    catch (Exception e)
                    {
                        if (e is not ObjectDisposedException) lock (wrong) wrong.Add(e);
                    }
                }))];
                foreach (Thread pinner in pinners) pinner.Start();
                while (Volatile.Read(ref begun) < 3) Thread.Yield();
                file.Dispose();
                foreach (Thread pinner in pinners) pinner.Join();
            }
        }
        finally
        {
            stop.Cancel();
            churn.Join();
        }
        Assert.Empty(wrong);
    }

    [Fact]
    public void A_path_to_no_file_is_told_and_never_waited_for()
    {
        using TempFolder folder = TempFolder.With("pipe", out string pipe);
        if (OperatingSystem.IsLinux()) Assert.Null(Programs.Run("mkfifo", pipe).Error);
        foreach (string path in (string[])[pipe, folder.Path, "/dev/zero"])
        {
            foreach (Action open in (Action[])[() => MappedFile<IndexStats>.Open(path), () => MappedFile<IndexStats>.OpenRead(path),
                () => MappedFiles.Salvage<IndexStats>(path, folder.File("new")), () => MappedFiles.Upgrade<IndexStats>(path)])
            {
                Task<MappedFileReason> told = Task.Run(() => Assert.Throws<MappedFileException>(open).Reason);
                Assert.True(told.Wait(TimeSpan.FromSeconds(20)), path);
                Assert.Equal(MappedFileReason.NotThisFormat, told.Result);
            }
        }
        Assert.False(File.Exists(folder.File("new")));
    }

    [Fact]
    public void A_record_that_is_changed_after_it_was_freed_reads_as_defaults_all_the_same()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        using (var file = MappedFileTests.Made(path, Records))
        {
            foreach (bool later in (bool[])[false, true])
            {
                int id = later ? 7 : 5;
                using var tx = file.BeginWrite();
                IndexStats s = tx[id];
                tx.Free(id);
                s.LastEtag = 99;
                s.LastError = "late"u8;
                if (later) tx.CommitAsync().GetAwaiter().GetResult();
                else tx.Commit();
                Assert.Equal((0, 0), file.Read(id, static s => ((int)s.LastEtag, s.LastError.Length)));
            }
            file.Verify();
        }
        IndependentReader reader = new(File.ReadAllBytes(path));
        foreach (int id in (int[])[5, 7]) Assert.True(reader.IsFree(id) && reader.Record(id).IndexOfAnyExcept((byte)0) < 0);
    }

    [Fact]
    public async Task Frees_on_top_of_a_commit_under_way_are_counted()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        using (var file = MappedFileTests.Made(path, Records))
        {
            List<Task> commits = [];
            for (int i = 0; i < 20; i++)
            {
                using var tx = file.BeginWrite();
                Assert.Equal(i, tx.FreeCount);
                tx.Free(2 * i);
                if (i > 0) Assert.True(tx.IsFree(2 * i - 2));
                commits.Add(tx.CommitAsync());
            }
            await Task.WhenAll(commits);
            Assert.Equal(20, file.FreeCount);
            file.Verify();
        }
        _ = new IndependentReader(File.ReadAllBytes(path));
    }

    [Fact]
    public void What_is_refused_names_the_field_the_range_or_the_call()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        using var file = MappedFileTests.Made(path, 3);
        Assert.Equal("read", Assert.Throws<ArgumentNullException>(() => file.Read<int>(0, null!)).ParamName);
        Assert.Equal("read", Assert.Throws<ArgumentNullException>(() => file.Read<int, int>(0, 7, null!)).ParamName);
        // A function that meets a null of its own is another matter.
        Assert.Throws<NullReferenceException>(() => file.Read(0, static s => ((string)null!).Length));
        using (var snapshot = file.Pin())
        {
            Assert.Equal("read", Assert.Throws<ArgumentNullException>(() => snapshot.Read<int>(0, null!)).ParamName);
            foreach (Range wrong in (Range[])[2..4, 3..2, 5..5, ^4..1])
            {
                ArgumentOutOfRangeException told = Assert.Throws<ArgumentOutOfRangeException>(() => { snapshot.Scan(wrong); });
                Assert.Equal("ids", told.ParamName);
                Assert.Contains($"{path} has 3 records in the snapshot", told.Message);
            }
            Assert.False(snapshot.Scan(3..3).MoveNext());
        }
        using (var tx = file.BeginWrite())
        {
            Assert.Equal("read", Assert.Throws<ArgumentNullException>(() => tx.Read<int>(0, null!)).ParamName);
            Assert.Contains("IndexStats.LastError has 129 bytes, and the field holds 128",
                Assert.Throws<ArgumentException>(() => Set(new byte[129])).Message);
            Assert.Contains("IndexStats.LastError is not valid UTF-8", Assert.Throws<ArgumentException>(() => Set([0xFF])).Message);
            Assert.Contains($"before Compact", Assert.Throws<MappedFileException>(() => MappedFiles.Compact<IndexStats>(path)).Message);

            void Set(byte[] text)
            {
                IndexStats s = tx[0];
                s.LastError = text;
            }
        }
        Assert.Equal("5 records, 3 lost [2..4: torn], 1 stale [0..0: old], meta damaged",
            new SalvageReport(5, [new(2, 3, "torn")], [new(0, 1, "old")], false).ToString());
    }

    private static void Replace(string[] arguments)
    {
        (string path, string how) = (arguments[0], arguments[1]);
        if (how == "compacted") MappedFiles.Compact<IndexStats>(path);
        else if (how == "deleted") File.Delete(path);
        else
        {
            File.Copy(path, path + ".copy");
            File.Move(path + ".copy", path, overwrite: true);
        }
    }

    private static long LastLine(Process writer)
    {
        long last = 0;
        while (writer.StandardOutput.ReadLine() is { } line)
            if (long.TryParse(line, out long number)) last = number;
        return last;
    }

    // A few commits each time it is the writer: the other process has its turn when the file is closed.
    private static void CommitByTurns(string[] arguments)
    {
        Stream output = Console.OpenStandardOutput();
        while (true)
        {
            using var file = MappedFile<IndexStats>.Open(arguments[0], new() { WriterTimeout = TimeSpan.FromMinutes(1) });
            for (int commit = 0; commit < 5; commit++)
            {
                using var tx = file.BeginWrite();
                long number = tx.Read(0, static s => s.LastEtag);
                number++;
                for (int i = 0; i < Records; i++)
                {
                    IndexStats s = tx[i];
                    s.LastEtag = number;
                }
                tx.Append();
                if (commit % 2 == 0) tx.Commit();
                else tx.CommitAsync().GetAwaiter().GetResult();
                output.Write(System.Text.Encoding.ASCII.GetBytes($"{number}\n"));
            }
        }
    }
}
