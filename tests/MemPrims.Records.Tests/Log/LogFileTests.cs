using System.Text;
using System.Buffers;
using MemPrims.Buffers;

namespace MemPrims.Records.Tests.Log;

// What each public member does, and what it meets.
public class LogFileTests
{
    [Fact]
    public void What_is_appended_is_read_at_its_place_and_in_order_and_after_opening_again()
    {
        using TempFolder folder = new();
        List<long> places = [];
        using (LogFile log = LogFile.Create(folder.Path, Small.Log))
        {
            for (int i = 0; i < 500; i++) places.Add(log.Append(Payload(i)));
            Assert.Equal(0, log.SyncedEnd - log.Start);
            for (int i = 0; i < 500; i++) Assert.True(log.Read(places[i]).SequenceEqual(Payload(i)));
            log.Sync();
            Assert.Equal(log.End, log.SyncedEnd);
            AssertFrames(log, places);
            log.Verify();
        }
        using LogFile again = LogFile.Open(folder.Path, Small.Log);
        Assert.Equal(new(500, 0, true, null), again.Recovery);
        AssertFrames(again, places);
        for (int i = 0; i < 500; i++) Assert.True(again.Read(places[i]).SequenceEqual(Payload(i)));
        Assert.True(again.Append(Payload(500)) >= places[^1]);
    }

    [Fact]
    public void A_loop_from_beyond_the_end_is_refused()
    {
        using TempFolder folder = new();
        using LogFile log = LogFile.Create(folder.Path, Small.Log);
        log.Append(Payload(1));
        log.Sync();
        using LogFile reader = LogFile.OpenRead(folder.Path);
        foreach (LogFile each in (LogFile[])[log, reader])
        {
            foreach (LogEntry _ in each.ReadFrom(each.End)) Assert.Fail("there is nothing yet");
            Assert.Throws<ArgumentOutOfRangeException>(() => { each.ReadFrom(each.End + 1); });
            Assert.Throws<ArgumentOutOfRangeException>(() => { each.ReadFrom(long.MaxValue); });
        }
        // What was appended since the reader looked last is not beyond its end.
        log.Append(Payload(2));
        log.Sync();
        long at = log.End;
        foreach (LogEntry _ in reader.ReadFrom(at)) Assert.Fail("there is nothing yet");
    }

    [Fact]
    public void Payloads_of_every_length_up_to_some_buffers_come_back()
    {
        using TempFolder folder = new();
        int[] lengths = [.. Enumerable.Range(0, 300), 4000, 4064, 4095, 5000, (1 << 17) - 40, (1 << 17) - 32, (1 << 17) - 31, 1 << 17,
            300_001, 1_000_003];
        using LogFile log = LogFile.Create(folder.Path, Small.Log);
        List<(long Place, byte[] Bytes)> all = [];
        foreach (int length in lengths)
        {
            byte[] bytes = new byte[length];
            new Random(length).NextBytes(bytes);
            all.Add((log.Append(bytes), bytes));
            all.Add((log.Append(Sequence(bytes)), bytes));
        }
        foreach ((long place, byte[] bytes) in all) Assert.True(log.Read(place).SequenceEqual(bytes), $"{bytes.Length} bytes at {place}");
        log.Sync();
        LogModel.Outcome model = LogModel.Recover(Files(folder));
        Assert.Equal(all.Select(a => a.Place), model.Frames.Select(f => f.Position));
        Assert.All(model.Frames.Zip(all), pair => Assert.Equal(pair.Second.Bytes, pair.First.Payload));
    }

    [Fact]
    public void A_value_that_encodes_itself_is_a_payload()
    {
        using TempFolder folder = new();
        using LogFile log = LogFile.Create(folder.Path);
        long one = log.Append(new Number(0x0102_0304_0506_0708)), two = log.Append(new Number(2));
        Assert.Equal([8, 7, 6, 5, 4, 3, 2, 1], log.Read(one).ToArray());
        Assert.Equal([2, 0, 0, 0, 0, 0, 0, 0], log.Read(two).ToArray());
    }

    [Fact]
    public void Reading_from_a_place_begins_there_ends_at_the_end_and_passes_over_files()
    {
        using TempFolder folder = new();
        using LogFile log = LogFile.Create(folder.Path, Small.Log);
        Assert.Empty(Positions(log, 0));
        List<long> places = [.. Enumerable.Range(0, 200).Select(i => log.Append(Payload(i)))];
        Assert.True(Directory.GetFiles(folder.Path, "*.log").Length > 2);
        foreach (long from in places) Assert.Equal(places.Where(p => p >= from), Positions(log, from));
        foreach (LogEntry entry in log.ReadFrom())
            Assert.Equal(places[(places.IndexOf(entry.Position) + 1)..], Positions(log, entry.Next));
        Assert.Empty(Positions(log, log.End));
        // A loop that appends ends all the same.
        foreach (LogEntry entry in log.ReadFrom()) log.Append(entry.Payload);
        Assert.Equal(400, Positions(log, 0).Count);
    }

    [Fact]
    public void A_place_without_a_frame_is_an_error_that_says_so()
    {
        using TempFolder folder = new();
        using LogFile log = LogFile.Create(folder.Path);
        long at = log.Append("0123456789"u8);
        log.Sync();
        Assert.Throws<ArgumentOutOfRangeException>(() => log.Read(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => log.Read(0));
        string told = Assert.Throws<ArgumentOutOfRangeException>(() => log.Read(log.End)).Message;
        Assert.Contains($"The log ends at {log.End}", told);
        Assert.Contains("Read takes a position", told);
        Assert.DoesNotContain("begin at 0", told);
        Assert.Contains("begin at 0", Assert.Throws<ArgumentOutOfRangeException>(() => log.ReadFrom(log.End + 1)).Message);
        Assert.Throws<ArgumentOutOfRangeException>(() => log.Read(long.MaxValue));
        Assert.Throws<ArgumentOutOfRangeException>(() => log.ReadFrom(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => log.CutBefore(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => log.CutBefore(log.End + 1));
        log.Append("next"u8);
        // Between two frames, within one, and at the frame that the sync left.
        foreach (long wrong in (long[])[at + 1, at + 8, at + 48])
            Assert.Equal(wrong, Assert.Throws<DamagedDataException>(() => log.Read(wrong)).Offset);
    }

    [Fact]
    public void Cutting_drops_whole_files_before_the_place_and_nothing_behind_it()
    {
        using TempFolder folder = new();
        List<long> places = [];
        using (LogFile log = LogFile.Create(folder.Path, Small.Log))
        {
            for (int i = 0; i < 600; i++) places.Add(log.Append(Payload(i)));
            int before = Directory.GetFiles(folder.Path, "*.log").Length;
            ReadOnlySpan<byte> kept = log.Read(places[400]);
            log.CutBefore(places[400]);
            Assert.True(kept.SequenceEqual(Payload(400)));
            Assert.True(log.SyncedEnd >= places[400]);
            Assert.InRange(log.Start, places[400] - 4096, places[400]);
            Assert.InRange(Directory.GetFiles(folder.Path, "*.log").Length, 2, before - 5);
            Assert.Throws<ArgumentOutOfRangeException>(() => log.Read(places[0]));
            Assert.Equal(places.Where(p => p >= log.Start), Positions(log, 0));
            log.Verify();
        }
        using LogFile again = LogFile.Open(folder.Path, Small.Log);
        Assert.Equal(places.Where(p => p >= again.Start), Positions(again, 0));
        again.CutBefore(again.End);
        Assert.True(again.Append("on"u8) > places[^1]);
        again.Sync();
        Assert.Equal("on", Encoding.UTF8.GetString(again.Read(Positions(again, 0)[^1])));
    }

    [Fact]
    public void Create_open_and_open_or_create_do_what_they_say()
    {
        using TempFolder folder = TempFolder.With("a/b", out string path);
        Assert.Contains(Path.GetFullPath(path), Assert.Throws<DirectoryNotFoundException>(() => LogFile.Open(path)).Message);
        Assert.Contains(folder.Path, Assert.Throws<FileNotFoundException>(() => LogFile.Open(folder.Path)).Message);
        Assert.Contains(folder.Path, Assert.Throws<FileNotFoundException>(() => LogFile.OpenRead(folder.Path)).Message);
        LogFile.OpenOrCreate(path).Dispose();
        Assert.ThrowsAny<IOException>(() => LogFile.Create(path));
        LogFile.OpenOrCreate(path).Dispose();
        LogFile.Open(path).Dispose();
        using LogFile read = LogFile.OpenRead(path);
        Assert.Equal(MappedFileReason.ReadOnly, Assert.Throws<MappedFileException>(() => read.Append("x"u8)).Reason);
        Assert.Equal(MappedFileReason.ReadOnly, Assert.Throws<MappedFileException>(read.Sync).Reason);
        Assert.Equal(MappedFileReason.ReadOnly, Assert.Throws<MappedFileException>(() => read.CutBefore(0)).Reason);
    }

    [Fact]
    public void Options_out_of_range_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new LogFileOptions { FileBytes = 4095 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new LogFileOptions { Durability = (Durability)7 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new LogFileOptions { WriterTimeout = TimeSpan.FromSeconds(-5) });
    }

    [Fact]
    public void A_second_writer_is_refused_until_the_first_is_closed_or_waits_for_it()
    {
        using TempFolder folder = new();
        LogFile first = LogFile.Create(folder.Path, Small.Log);
        Assert.Equal(MappedFileReason.Locked, Assert.Throws<MappedFileException>(() => LogFile.Open(folder.Path, Small.Log)).Reason);
        Task<LogFile> waits = Task.Run(() => LogFile.Open(folder.Path));
        Thread.Sleep(50);
        Assert.False(waits.IsCompleted);
        first.Dispose();
        using LogFile second = Result(waits);
        Assert.True(second.Recovery.WasClosedCleanly);
    }

    [Fact]
    public void After_dispose_every_call_says_so_and_spans_stay_readable()
    {
        using TempFolder folder = new();
        LogFile log = LogFile.Create(folder.Path);
        ReadOnlySpan<byte> span = log.Read(log.Append("kept"u8));
        LogFile reader = LogFile.OpenRead(folder.Path);
        Task tail = log.TailAsync(log.End).AsTask(), followed = reader.TailAsync(log.End).AsTask();
        log.Dispose();
        log.Dispose();
        Assert.Equal("kept"u8, span);
        Assert.Throws<ObjectDisposedException>(() => { tail.GetAwaiter().GetResult(); });
        Assert.Throws<ObjectDisposedException>(() => log.Append("x"u8));
        Assert.Throws<ObjectDisposedException>(log.Sync);
        Assert.Throws<ObjectDisposedException>(() => log.Read(64));
        Assert.Throws<ObjectDisposedException>(() => log.ReadFrom());
        Assert.Throws<ObjectDisposedException>(() => log.CutBefore(0));
        Assert.Throws<ObjectDisposedException>(log.Verify);
        Assert.Throws<ObjectDisposedException>(() => log.SyncAsync().AsTask().GetAwaiter().GetResult());
        Assert.Throws<ObjectDisposedException>(() => log.TailAsync(0).AsTask().GetAwaiter().GetResult());
        reader.Dispose();
        Assert.Throws<ObjectDisposedException>(() => { followed.GetAwaiter().GetResult(); });
        Assert.Throws<ObjectDisposedException>(() => reader.Read(64));
    }

    [Fact]
    public async Task A_tail_is_woken_by_an_append_and_a_reader_finds_it_by_looking()
    {
        using TempFolder folder = new();
        using LogFile log = LogFile.Create(folder.Path, Small.Log);
        using LogFile reader = LogFile.OpenRead(folder.Path, Small.Log);
        long place = 0, readers = 0;
        for (int i = 0; i < 200; i++)
        {
            Task own = log.TailAsync(place).AsTask(), other = reader.TailAsync(readers).AsTask();
            Assert.False(own.IsCompleted);
            log.Append(Payload(i));
            await own.WaitAsync(TimeSpan.FromSeconds(10));
            await log.SyncAsync();
            await other.WaitAsync(TimeSpan.FromSeconds(10));
            place = Last(log, place, i);
            readers = Last(reader, readers, i);
        }
        using CancellationTokenSource stop = new();
        Task cancelled = log.TailAsync(place, cancellationToken: stop.Token).AsTask(),
            polled = reader.TailAsync(readers, cancellationToken: stop.Token).AsTask();
        stop.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => polled);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => log.SyncAsync(stop.Token).AsTask());
        Assert.Equal(log.End, reader.End);
        Assert.True(reader.SyncedEnd <= log.SyncedEnd);

        static long Last(LogFile log, long from, int number)
        {
            long next = from;
            foreach (LogEntry entry in log.ReadFrom(from))
            {
                Assert.True(entry.Payload.SequenceEqual(Payload(number)));
                next = entry.Next;
            }
            Assert.True(next > from);
            return next;
        }
    }

    [Fact]
    public async Task A_loop_of_synced_frames_sees_none_that_is_not_on_the_disk()
    {
        using TempFolder folder = new();
        using LogFile log = LogFile.Create(folder.Path, Small.Log);
        using LogFile reader = LogFile.OpenRead(folder.Path, Small.Log);
        long[] next = [0, 0];
        LogFile[] both = [log, reader];
        int seen = 0;
        for (int i = 0; i < 100; i++)
        {
            Task[] tails = [.. both.Select((each, n) => each.TailAsync(next[n], onlySynced: true).AsTask())];
            for (int more = 0; more <= i % 3; more++) log.Append(Payload(seen++));
            // Handed to the system, so that readers have them.
            Assert.Equal(seen, Positions(log, 0).Count);
            await reader.TailAsync(next[1]).AsTask().WaitAsync(TimeSpan.FromSeconds(10));
            for (int n = 0; n < 2; n++)
            {
                Assert.Empty(Positions(both[n], next[n], onlySynced: true));
                Assert.False(tails[n].IsCompleted);
                Assert.True(both[n].SyncedEnd < both[n].End);
            }
            // A sync without frames after it, of two threads at once, or by the end of a task.
            if (i % 2 == 0) log.Sync();
            else await log.SyncAsync();
            for (int n = 0; n < 2; n++)
            {
                await tails[n].WaitAsync(TimeSpan.FromSeconds(10));
                foreach (LogEntry entry in both[n].ReadFrom(next[n], onlySynced: true)) next[n] = entry.Next;
                Assert.Equal((log.End, log.End), (next[n], both[n].SyncedEnd));
                Assert.False(both[n].TailAsync(next[n], onlySynced: true).AsTask().IsCompleted);
            }
        }
        using CancellationTokenSource stop = new();
        Task[] cancelled = [.. both.Select((each, n) => each.TailAsync(next[n], onlySynced: true, stop.Token).AsTask())];
        stop.Cancel();
        foreach (Task task in cancelled) await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);
        Task[] closed = [.. both.Select((each, n) => each.TailAsync(next[n], onlySynced: true).AsTask())];
        log.Dispose();
        reader.Dispose();
        foreach (Task task in closed) await Assert.ThrowsAsync<ObjectDisposedException>(() => task);
    }

    // What opening has brought to the disk is told to readers, also where the last writer left no mark.
    [Fact]
    public void A_reader_learns_that_opening_has_synced()
    {
        using TempFolder folder = new();
        using (LogFile log = LogFile.Create(folder.Path, Small.Log with { Durability = Durability.ProcessCrash }))
        {
            log.Append("kept"u8);
            log.Sync();
            using LogFile reader = LogFile.OpenRead(folder.Path);
            Assert.Equal((log.End, log.Start), (reader.End, reader.SyncedEnd));
        }
        using (LogFile log = LogFile.Open(folder.Path, Small.Log))
        {
            using LogFile reader = LogFile.OpenRead(folder.Path);
            Assert.Equal((log.End, log.End), (log.SyncedEnd, reader.SyncedEnd));
            // Then a frame that is not on the disk: the mark ends at a frame without payload, and the synced ones before it.
            log.Append("more"u8);
            Assert.Equal(2, Positions(log, 0).Count);
            long next = 0;
            foreach (LogEntry entry in reader.ReadFrom(0, onlySynced: true)) next = entry.Next;
            Assert.Equal(next, reader.SyncedEnd);
            Assert.Single(Positions(reader, 0, onlySynced: true));
            Assert.Equal(2, Positions(reader, 0).Count);
            Assert.False(reader.TailAsync(reader.SyncedEnd, onlySynced: true).IsCompleted);
        }
        using LogFile again = LogFile.Open(folder.Path, Small.Log);
        Assert.Equal(new(2, 0, true, null), again.Recovery);
    }

    [Fact]
    public void A_new_log_counts_as_closed_cleanly_and_a_cut_tells_why()
    {
        using TempFolder folder = new();
        long end;
        using (LogFile log = LogFile.Create(folder.Path, Small.Log))
        {
            Assert.Equal(new(0, 0, true, null), log.Recovery);
            log.Append("kept"u8);
            log.Sync();
            end = log.End;
        }
        string path = Directory.GetFiles(folder.Path, "*.log").Single();
        using (FileStream file = new(path, FileMode.Open))
        {
            // Something that no frame is follows what the sync and the close have left.
            file.Position = end + 64;
            file.Write([1, 2, 3]);
        }
        using LogFile opened = LogFile.Open(folder.Path, Small.Log);
        Assert.Equal((1, 3, false), (opened.Recovery.Frames, opened.Recovery.BytesCut, opened.Recovery.WasClosedCleanly));
        Assert.Contains($"at {end + 64}", opened.Recovery.Why);
    }

    [Fact]
    public void What_an_open_appender_has_written_is_a_payload()
    {
        using TempFolder folder = new();
        using LogFile log = LogFile.Create(folder.Path, Small.Log);
        using SegmentList list = new();
        List<(long Place, byte[] Bytes)> all = [];
        foreach (int length in (int[])[0, 1, 100, 5000, 300_000])
        {
            byte[] bytes = new byte[length];
            new Random(length).NextBytes(bytes);
            using Appender to = new(list);
            to.Write(bytes);
            all.Add((log.Append(to.Written), to.Written.ToArray()));
        }
        foreach ((long place, byte[] bytes) in all) Assert.True(log.Read(place).SequenceEqual(bytes), $"{bytes.Length} bytes");
        Assert.Equal(0, list.Length);
    }

    // With ProcessCrash syncs are quick, and threads wait for each other without sleeping.
    [Theory, InlineData(Durability.PowerLoss), InlineData(Durability.ProcessCrash)]
    public void Threads_append_sync_read_follow_and_cut_beside_each_other(Durability durability)
    {
        using TempFolder folder = new();
        using LogFile log = LogFile.Create(folder.Path, Small.Log with { Durability = durability });
        const int threads = 6;
        int each = LongRuns.Of(300, 20_000);
        long[] acknowledged = new long[threads];
        Exception? failed = null;
        Thread[] writers = [.. Enumerable.Range(0, threads).Select(id => new Thread(() => Guard(() =>
        {
            for (int i = 0; i < each; i++)
            {
                byte[] payload = [(byte)id, .. BitConverter.GetBytes(i), .. Payload(i)];
                long at = log.Append(payload);
                if (i % 3 == 0) log.Sync();
                if (i % 7 == 0) log.SyncAsync().AsTask().GetAwaiter().GetResult();
                if (i % 3 == 0 || i % 7 == 0) Assert.True(log.SyncedEnd > at);
                Assert.True(log.Read(at).SequenceEqual(payload));
                Volatile.Write(ref acknowledged[id], at);
            }
        })))];
        using LogFile reader = LogFile.OpenRead(folder.Path, Small.Log);
        int[] seen = new int[threads];
        Thread follower = new(() => Guard(() =>
        {
            long next = 0;
            for (int count = 0; count < threads * each;)
            {
                reader.TailAsync(next).AsTask().GetAwaiter().GetResult();
                foreach (LogEntry entry in reader.ReadFrom(next))
                {
                    Assert.Equal(seen[entry.Payload[0]]++, BitConverter.ToInt32(entry.Payload[1..]));
                    next = entry.Next;
                    count++;
                }
                if (failed is not null) return;
            }
        }));
        follower.Start();
        foreach (Thread writer in writers) writer.Start();
        foreach (Thread writer in writers) writer.Join();
        log.Sync();
        follower.Join();
        Assert.Null(failed);
        Assert.All(seen, count => Assert.Equal(each, count));
        log.CutBefore(acknowledged.Min());
        log.Verify();

        void Guard(Action work)
        {
            try
            {
                work();
            }
            catch (Exception e)
            {
                failed = e;
            }
        }
    }

    [Theory, InlineData(Durability.PowerLoss), InlineData(Durability.ProcessCrash)]
    public void Dispose_beside_everything_ends_it_and_loses_nothing_acknowledged(Durability durability)
    {
        for (int round = 0; round < LongRuns.Of(15, 500); round++)
        {
            using TempFolder folder = new();
            LogFile log = LogFile.Create(folder.Path, Small.Log with { Durability = durability });
            List<long>[] acknowledged = [[], [], [], []];
            Exception? failed = null;
            Thread[] threads = [.. acknowledged.Select((own, id) => new Thread(() =>
            {
                try
                {
                    for (int i = 0; ; i++)
                    {
                        long at = log.Append(Payload(i));
                        if (id < 2) log.Sync();
                        else if (id == 2) log.SyncAsync().AsTask().GetAwaiter().GetResult();
                        else log.CutBefore(Math.Max(0, log.SyncedEnd - 8192));
                        if (id < 3) own.Add(at);
                        if (i % 8 == 0) foreach (LogEntry entry in log.ReadFrom(at)) _ = entry.Payload.Length;
                    }
                }
                catch (ObjectDisposedException) { }
                // A loop that a cut overtakes is told so.
                catch (ArgumentOutOfRangeException) { }
                catch (Exception e)
                {
                    failed = e;
                }
            }))];
            foreach (Thread thread in threads) thread.Start();
            Thread.Sleep(round % 10);
            log.Dispose();
            foreach (Thread thread in threads) Assert.True(thread.Join(TimeSpan.FromSeconds(20)), "a thread hangs");
            Assert.Null(failed);
            using LogFile again = LogFile.Open(folder.Path, Small.Log);
            HashSet<long> found = [.. Positions(again, 0)];
            Assert.All(acknowledged.SelectMany(a => a).Where(at => at >= again.Start), at => Assert.Contains(at, found));
        }
    }

    [Fact]
    public void Syncs_of_a_pool_all_of_whose_threads_wait_end()
    {
        using TempFolder folder = new();
        Child.Run(StarvePool, [folder.Path]).AssertSucceeded();
    }

    private static void StarvePool(string[] arguments)
    {
        ThreadPool.SetMinThreads(2, 2);
        ThreadPool.SetMaxThreads(2, 2);
        using LogFile log = LogFile.Create(arguments[0]);
        Task[] tasks = [.. Enumerable.Range(0, 20).Select(i => Task.Run(() =>
        {
            log.Append(Payload(i));
            if (i % 2 == 0) log.Sync();
            else log.SyncAsync().AsTask().Wait();
        }))];
        if (!Task.WaitAll(tasks, TimeSpan.FromSeconds(30))) throw new TimeoutException("The syncs wait for each other.");
    }

    internal static T Result<T>(Task<T> task) => task.GetAwaiter().GetResult();

    internal static byte[] Payload(int number) => Encoding.UTF8.GetBytes($"payload {number} {new string('x', number % 90)}");

    internal static List<long> Positions(LogFile log, long from, bool onlySynced = false)
    {
        List<long> positions = [];
        foreach (LogEntry entry in log.ReadFrom(from, onlySynced)) positions.Add(entry.Position);
        return positions;
    }

    internal static List<(long First, byte[] Bytes)> Files(TempFolder folder) =>
        [.. Directory.GetFiles(folder.Path, "*.log").Order(StringComparer.Ordinal).Select(path =>
            (long.Parse(Path.GetFileNameWithoutExtension(path)), ReadShared(path)))];

    private static byte[] ReadShared(string path)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] bytes = new byte[file.Length];
        file.ReadExactly(bytes);
        return bytes;
    }

    private static void AssertFrames(LogFile log, List<long> places)
    {
        int i = 0;
        foreach (LogEntry entry in log.ReadFrom())
        {
            Assert.Equal(places[i], entry.Position);
            Assert.True(entry.Payload.SequenceEqual(Payload(i++)));
        }
        Assert.Equal(places.Count, i);
    }

    private static ReadOnlySequence<byte> Sequence(byte[] bytes)
    {
        SegmentList list = new();
        for (int i = 0; i < bytes.Length; i += 7000) list.Append(new ReadOnlySequence<byte>(bytes, i, Math.Min(7000, bytes.Length - i)));
        return list.AsSequence();
    }

    private readonly struct Number(long value) : IEncodable<Number>
    {
        private readonly long _value = value;

        public static int Bound(in Number value) => sizeof(long);

        public static void Encode(in Number value, ref UnsafeAppender to) => to.Write(value._value);
    }
}
