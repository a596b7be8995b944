using System.Buffers;

namespace MemPrims.Records.Tests.Log;

// A log whose folder, payloads and threads do what they should not.
public sealed class LogAttackTests
{
    [Theory, InlineData("lock deleted"), InlineData("file deleted"), InlineData("folder moved"), InlineData("folder deleted")]
    [InlineData("folder replaced")]
    public void A_log_whose_lock_keeps_nobody_out_any_more_writes_no_more(string what)
    {
        using TempFolder root = TempFolder.With("log", out string path);
        using LogFile log = LogFile.Create(path, Small.Log);
        long kept = log.Append("kept"u8);
        log.Sync();
        if (what == "lock deleted") File.Delete(Path.Combine(path, "lock"));
        else if (what == "file deleted") File.Delete(Directory.GetFiles(path, "*.log").Single());
        else if (what == "folder deleted") Directory.Delete(path, recursive: true);
        else Directory.Move(path, path + ".moved");
        if (what == "folder replaced") LogFile.Create(path).Dispose();
        Dictionary<string, byte[]> before = Files(path);
        log.Append("not to be acknowledged"u8);
        for (int i = 0; i < 2; i++)
        {
            MappedFileException told = Assert.Throws<MappedFileException>(log.Sync);
            Assert.Equal(MappedFileReason.Locked, told.Reason);
            Assert.Contains("lock", told.Message);
            Assert.Equal(MappedFileReason.Locked, Assert.Throws<MappedFileException>(() => log.Append("no"u8)).Reason);
        }
        Assert.Equal("kept"u8, log.Read(kept));
        log.Dispose();
        // Nothing was written into what another writer may have made its own.
        Dictionary<string, byte[]> after = Files(path);
        Assert.Equal(before.Keys.Order(), after.Keys.Order());
        foreach ((string name, byte[] bytes) in before) Assert.Equal(bytes, after[name]);
    }

    [Fact]
    public void A_new_file_and_a_cut_find_the_lock_gone_too()
    {
        using TempFolder root = new();
        foreach (bool cuts in (bool[])[false, true])
        {
            string path = root.File($"log{cuts}");
            LogFileOptions options = Small.Log with { Durability = Durability.ProcessCrash };
            using LogFile log = LogFile.Create(path, options);
            for (int i = 0; i < 40; i++) log.Append(new byte[500]);
            log.Sync();
            File.Delete(Path.Combine(path, "lock"));
            using LogFile other = LogFile.Open(path, options);
            int files = Directory.GetFiles(path).Length;
            MappedFileException told = Assert.Throws<MappedFileException>(() =>
            {
                if (cuts) log.CutBefore(log.End);
                else
                    for (int i = 0; i < 40; i++) log.Append(new byte[500]);
            });
            Assert.Equal(MappedFileReason.Locked, told.Reason);
            Assert.Equal(files, Directory.GetFiles(path).Length);
            log.Dispose();
            other.Append("goes on"u8);
            other.Sync();
            other.Verify();
        }
    }

    [Fact]
    public void What_stands_where_the_next_file_is_made_is_neither_followed_nor_written()
    {
        using TempFolder root = TempFolder.With("log", out string path);
        string victim = root.File("victim"), beside = Path.Combine(path, "next.new");
        using LogFile log = LogFile.Create(path, Small.Log);
        File.WriteAllText(victim, "precious");
        File.CreateSymbolicLink(beside, victim);
        for (int i = 0; i < 40; i++) log.Append(new byte[500]);
        log.Sync();
        Assert.Equal("precious", File.ReadAllText(victim));
        Assert.True(Directory.GetFiles(path, "*.log").Length > 3);
        Directory.CreateDirectory(beside);
        MappedFileException told = Assert.Throws<MappedFileException>(() =>
        {
            for (int i = 0; i < 40; i++) log.Append(new byte[500]);
        });
        Assert.Equal(MappedFileReason.NotThisFormat, told.Reason);
        Directory.Delete(beside);
        for (int i = 0; i < 40; i++) log.Append(new byte[500]);
        log.Sync();
        log.Verify();
    }

    [Theory, InlineData("append"), InlineData("sync"), InlineData("sync async"), InlineData("cut"), InlineData("read")]
    [InlineData("dispose")]
    public void A_payload_whose_code_calls_its_own_log_finds_it_whole(string call)
    {
        foreach (int size in (int[])[100, 200_000])
        {
            using TempFolder root = new();
            string path = root.File("log");
            LogFile log = LogFile.Create(path);
            long first = log.Append("first"u8), inner = first;
            using Calling memory = new(size, () =>
            {
                if (call == "append") inner = inner == first ? log.Append("inner"u8) : inner;
                else if (call == "sync") log.Sync();
                else if (call == "sync async") log.SyncAsync().AsTask().GetAwaiter().GetResult();
                else if (call == "cut") log.CutBefore(log.End);
                else if (call == "read") log.Read(first);
                else log.Dispose();
            });
            ReadOnlySequence<byte> payload = new(memory.Bytes);
            if (call == "dispose") Assert.Throws<ObjectDisposedException>(() => log.Append(payload));
            else Assert.Equal(size, log.Read(log.Append(payload)).Length);
            log.Dispose();
            using LogFile again = LogFile.Open(path);
            Assert.Equal(inner == first ? "first"u8 : "inner"u8, again.Read(inner));
            Assert.Equal(call == "dispose" ? 1 : inner == first ? 2 : 3, again.Recovery.Frames);
        }
    }

    [Fact]
    public async Task A_log_that_is_disposed_beside_appends_was_closed_cleanly()
    {
        using TempFolder root = new();
        for (int round = 0; round < LongRuns.Of(40, 400); round++)
        {
            string path = root.File($"log{round}");
            LogFileOptions options = new() { FileBytes = 4096 << round % 3, Durability = (Durability)(round % 2) };
            LogFile log = LogFile.Create(path, options);
            Task[] appends = [.. Enumerable.Range(0, 3).Select(_ => Task.Factory.StartNew(() =>
            {
                try
                {
                    for (int i = 0; ; i++)
                    {
                        log.Append(LogFileTests.Payload(i));
                        if (i % 7 == 0) log.Sync();
                    }
                }
                catch (ObjectDisposedException) { }
            }, TaskCreationOptions.LongRunning))];
            Thread.Sleep(5);
            log.Dispose();
            await Task.WhenAll(appends).WaitAsync(TimeSpan.FromSeconds(30));
            using LogFile again = LogFile.Open(path, options);
            Assert.True(again.Recovery.WasClosedCleanly, $"round {round}: {again.Recovery}");
        }
    }

    [Fact]
    public void A_loop_that_a_cut_overtakes_goes_on_at_the_start()
    {
        using TempFolder root = new();
        using LogFile log = LogFile.Create(root.File("log"), Small.Log);
        for (int i = 0; i < 40; i++) log.Append(BitConverter.GetBytes(i).Concat(new byte[500]).ToArray());
        List<int> seen = [];
        foreach (LogEntry entry in log.ReadFrom())
        {
            seen.Add(BitConverter.ToInt32(entry.Payload));
            if (seen.Count == 2) log.CutBefore(log.End);
        }
        Assert.Equal([0, 1], seen[..2]);
        Assert.Equal(39, seen[^1]);
        Assert.True(seen.Count < 20);
        Assert.Equal(LogFileTests.Positions(log, 0).Count, seen.Count - 2);
    }

    // A child: on a failure the process ends.
    [Fact]
    public void A_loop_that_a_cut_overtakes_never_reads_memory_that_is_gone()
    {
        using TempFolder root = new();
        Child.Run(LoopOverGoneFiles, [root.Path]).AssertSucceeded();
    }

    private static void LoopOverGoneFiles(string[] arguments)
    {
        string path = Path.Combine(arguments[0], "log");
        using LogFile log = LogFile.Create(path, Small.Log);
        for (int i = 0; i < 40; i++) log.Append(new byte[500]);
        string other = Path.Combine(arguments[0], "other");
        File.WriteAllBytes(other, new byte[4096]);
        int seen = 0;
        foreach (LogEntry entry in log.ReadFrom())
        {
            if (++seen != 2) continue;
            log.CutBefore(log.End);
            Assert.Equal(500, entry.Payload.Length);
            Assert.False(entry.Payload.ContainsAnyExcept((byte)0));
            // So many maps end that addresses of old ones are given back, but not those of the file that the loop stands in. They are
            // long, so that none takes the place of a file of the log.
            using Microsoft.Win32.SafeHandles.SafeFileHandle file = File.OpenHandle(other);
            for (int i = 0; i < 2 * FileMap.MostKept; i++) ((IDisposable)FileMap.Map(file, other, 0, 1 << 20).Owner).Dispose();
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Assert.False(entry.Payload.ContainsAnyExcept((byte)0));
        }
        Assert.InRange(seen, 3, 20);
    }

    [Fact]
    public async Task Reading_all_beside_cuts_and_large_frames_finds_no_damage()
    {
        using TempFolder root = new();
        using LogFile log = LogFile.Create(root.File("log"), Small.Log with { Durability = Durability.ProcessCrash });
        using CancellationTokenSource end = new(TimeSpan.FromMilliseconds(LongRuns.Of(1500, 20_000)));
        Task[] all = [.. ((Action<int>[])
        [
            i => log.Append(new byte[i % 50 == 0 ? 200_000 : i % 600]),
            _ => log.CutBefore(log.End),
            _ => log.Verify(),
            _ => log.Verify(),
            _ =>
            {
                foreach (LogEntry entry in log.ReadFrom()) Assert.True(entry.Next > entry.Position);
            },
        ]).Select(action => Task.Factory.StartNew(() =>
        {
            for (int i = 0; !end.IsCancellationRequested; i++) action(i);
        }, TaskCreationOptions.LongRunning))];
        await Task.WhenAll(all);
        log.Verify();
    }

    [Theory, InlineData(0), InlineData(2)]
    public void A_check_of_all_that_a_cut_overtakes_at_any_file_finds_no_damage(int file)
    {
        using TempFolder root = new();
        SteppedFolder folder = new(root.File("log"));
        Directory.CreateDirectory(folder.Path);
        using LogFile log = new(folder, Small.Log, creates: true, opens: true);
        for (int i = 0; i < 40; i++) log.Append(new byte[500]);
        log.Sync();
        long cutAt = log.Segments.All[file].First;
        int looks = 0;
        folder.Looks = first =>
        {
            if (first != cutAt || looks++ > 0) return;
            log.CutBefore(log.End);
        };
        log.Verify();
        Assert.True(looks > 0 && log.Start > cutAt);
    }

    [Fact]
    public async Task A_caller_that_is_interrupted_while_it_waits_for_its_turn_to_sync_leaves_nobody_stuck()
    {
        LogDisk disk = new();
        using LogFile log = LogHistory.Open(disk);
        using SemaphoreSlim isSyncing = new(0), goesOn = new(0);
        disk.HoldNextSync(isSyncing, goesOn);
        log.Append("x"u8);
        Task leads = Task.Factory.StartNew(log.Sync, TaskCreationOptions.LongRunning);
        Assert.True(isSyncing.Wait(10_000));
        bool interrupted = false;
        // The first that waits is the one who leads the next sync.
        Thread[] waiting = [.. Enumerable.Range(0, 3).Select(_ => new Thread(() =>
        {
            log.Append("y"u8);
            try
            {
                log.Sync();
                Thread.Sleep(1);
            }
            catch (ThreadInterruptedException)
            {
                interrupted = true;
            }
        }))];
        foreach (Thread thread in waiting)
        {
            thread.Start();
            Assert.True(SpinWait.SpinUntil(() => thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin), 10_000));
        }
        waiting[0].Interrupt();
        Thread.Sleep(20);
        goesOn.Release();
        await leads.WaitAsync(TimeSpan.FromSeconds(10));
        foreach (Thread thread in waiting) Assert.True(thread.Join(10_000), "a caller of Sync is stuck");
        Assert.True(interrupted);
        Assert.Equal(log.End, log.SyncedEnd);
    }

    [Theory, InlineData(null, 1L << 40), InlineData("/dev/shm", 1L << 28)]
    public void A_log_whose_last_file_has_a_hole_of_any_length_opens_at_once(string? place, long length)
    {
        using TempFolder root = new(Directory.Exists(place) ? place : null);
        string path = root.File("log");
        using (LogFile log = LogFile.Create(path))
            for (int i = 0; i < 10; i++) log.Append("kept"u8);
        string file = Directory.GetFiles(path, "*.log").Single();
        using (FileStream stream = File.OpenWrite(file)) stream.SetLength(length);
        using (LogFile reader = LogFile.OpenRead(path)) Assert.Equal(10, reader.Recovery.Frames);
        using (FileStorage looked = FileStorage.Open(file, FileMode.Open, FileAccess.Read))
            Assert.InRange(looked.DataParts().Sum(part => part.End - part.Start), 1, 8 << 20);
        using (LogFile log = LogFile.Open(path))
        {
            Assert.Equal((10, 0), (log.Recovery.Frames, log.Recovery.BytesCut));
            log.Append("more"u8);
            log.Sync();
        }
        // What a crash left behind the hole is found all the same, and cut.
        using (FileStream stream = File.OpenWrite(file))
        {
            stream.Position = length / 2;
            stream.Write("torn"u8);
        }
        using LogFile again = LogFile.Open(path);
        Assert.Equal(11, again.Recovery.Frames);
        Assert.True(again.Recovery.BytesCut > length / 4);
        again.Verify();
    }

    [Fact]
    public void Threads_that_are_interrupted_leave_nobody_stuck()
    {
        using TempFolder root = new();
        using LogFile log = LogFile.Create(root.File("log"));
        bool ends = false;
        List<Exception> failures = [];
        Thread[] threads = [.. Enumerable.Range(0, 8).Select(_ => new Thread(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                try
                {
                    log.Append("x"u8);
                    log.Sync();
                }
                catch (ThreadInterruptedException) { }
                catch (Exception e)
                {
                    lock (failures) failures.Add(e);
                }
            }
        }))];
        foreach (Thread thread in threads) thread.Start();
        for (int i = 0; i < LongRuns.Of(2000, 50_000); i++)
        {
            threads[i % 8].Interrupt();
            if (i % 4 == 0) Thread.Yield();
        }
        Volatile.Write(ref ends, true);
        foreach (Thread thread in threads) Assert.True(thread.Join(10_000), "a caller of Sync is stuck");
        Assert.Empty(failures);
        log.Verify();
    }

    [Fact]
    public async Task What_is_asked_for_wrongly_is_told_plainly()
    {
        using TempFolder root = TempFolder.With("log", out string path);
        using LogFile log = LogFile.Create(path);
        log.Append("x"u8);
        log.Sync();
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => log.TailAsync(-1).AsTask());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => log.TailAsync(0, cancellationToken: new(true)).AsTask());
        log.Dispose();
        Assert.Contains("already", Assert.Throws<IOException>(() => LogFile.Create(path)).Message);
        Assert.Contains("already", Assert.Throws<IOException>(() => LogFile.Salvage(path, path)).Message);
    }

    private static Dictionary<string, byte[]> Files(string folder) =>
        !Directory.Exists(folder) ? [] : Directory.GetFiles(folder).ToDictionary(file => file, File.ReadAllBytes);

    private sealed class Calling(int length, Action call) : MemoryManager<byte>
    {
        private readonly byte[] _bytes = new byte[length];

        // The base's own asks for the span.
        public Memory<byte> Bytes => CreateMemory(length);

        public override Span<byte> GetSpan()
        {
            call();
            return _bytes;
        }

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin() { }

        protected override void Dispose(bool disposing) { }
    }
}
