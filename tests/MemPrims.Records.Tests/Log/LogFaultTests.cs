using System.Diagnostics;
using System.Runtime.Versioning;

namespace MemPrims.Records.Tests.Log;

// What disk, system and other programs do to a log.
[UnsupportedOSPlatform("windows")]
public sealed class LogFaultTests
{
    [SkippableFact]
    public void A_full_disk_is_an_error_that_leaves_the_log_whole_and_goes_on_when_there_is_room()
    {
        using SmallDisk disk = new("300k");
        string ballast = disk.File("ballast"), path = disk.File("log");
        File.WriteAllBytes(ballast, new byte[100_000]);
        List<long> places = [];
        using (LogFile log = LogFile.Create(path, Small.Log))
        {
            MappedFileException full = AppendUntilRefused(log, places);
            Assert.Equal(MappedFileReason.Full, full.Reason);
            full = Assert.Throws<MappedFileException>(() => log.Append(new byte[200_000]));
            Assert.Equal(MappedFileReason.Full, full.Reason);
            int before = places.Count;
            Assert.Equal(places[..LogFileTests.Positions(log, 0).Count], LogFileTests.Positions(log, 0));
            File.Delete(ballast);
            for (int i = 0; i < 100; i++) places.Add(log.Append(LogFileTests.Payload(before + i)));
            log.Sync();
        }
        using LogFile again = LogFile.Open(path, Small.Log);
        Assert.Equal(places, LogFileTests.Positions(again, 0));
        again.Verify();
    }

    [Fact]
    public void Reading_goes_on_where_the_disk_takes_nothing_more()
    {
        LogDisk disk = new();
        LogFile log = LogHistory.Open(disk);
        List<long> places = [log.Append(LogFileTests.Payload(0))];
        log.Sync();
        foreach (Fate failure in (Fate[])[Fate.FailFull, Fate.Fail])
        {
            disk.Fate = operation => operation.Call == DiskCall.Write ? failure : Fate.Done;
            for (int i = 0; i < 5; i++) places.Add(log.Append(LogFileTests.Payload(places.Count)));
            for (int from = 0; from < places.Count; from++) Assert.Equal(places[from..], LogFileTests.Positions(log, places[from]));
            for (int i = 0; i < places.Count; i++) Assert.True(log.Read(places[i]).SequenceEqual(LogFileTests.Payload(i)));
            int read = 0;
            foreach (LogEntry entry in log.ReadFrom()) Assert.True(entry.Payload.SequenceEqual(LogFileTests.Payload(read++)));
            Assert.Throws<DamagedDataException>(() => log.Read(places[^1] + 8));
            Assert.Throws<DamagedDataException>(() => LogFileTests.Positions(log, places[^1] + 8));
            Assert.Throws<ArgumentOutOfRangeException>(() => log.Read(log.End));
            Assert.Empty(LogFileTests.Positions(log, log.End));
            log.Verify();
            Assert.Throws<MappedFileException>(log.Sync);
            // A disk with room again has them in their order.
            disk.Fate = static _ => Fate.Done;
            log.Sync();
            Assert.Equal(places, LogFileTests.Positions(log, 0));
        }
        log.Dispose();
        Assert.Equal(places, LogFileTests.Positions(LogHistory.Open(disk), 0));
    }

    [Fact]
    public void A_file_that_may_grow_no_longer_is_full_and_goes_on_when_it_may()
    {
        using TempFolder folder = new();
        Child.Run(GrowToTheLimit, [folder.Path]).AssertSucceeded();
        using LogFile log = LogFile.Open(folder.Path);
        Assert.True(log.Recovery.Frames > 100);
        log.Verify();
    }

    [Fact]
    public void A_failed_sync_poisons_and_is_never_tried_again()
    {
        LogDisk disk = new();
        int syncs = 0;
        LogFile log = LogHistory.Open(disk);
        long first = log.Append("kept"u8);
        log.Sync();
        disk.Fate = operation => operation.Call == DiskCall.Sync && ++syncs > 0 ? Fate.Fail : Fate.Done;
        long lost = log.Append("unknown"u8);
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(MappedFileReason.Poisoned, Assert.Throws<MappedFileException>(log.Sync).Reason);
            MappedFileException told = Assert.Throws<MappedFileException>(() => log.SyncAsync().AsTask().GetAwaiter().GetResult());
            Assert.Equal(MappedFileReason.Poisoned, told.Reason);
            Assert.Equal(MappedFileReason.Poisoned, Assert.Throws<MappedFileException>(() => log.Append("no"u8)).Reason);
            Assert.Equal(MappedFileReason.Poisoned, Assert.Throws<MappedFileException>(() => log.CutBefore(log.End)).Reason);
        }
        Assert.Equal(1, syncs);
        Assert.True(log.SyncedEnd <= lost);
        Assert.Equal("kept"u8, log.Read(first));
        Assert.Equal("unknown"u8, log.Read(lost));
        log.Dispose();
        Assert.Equal(1, syncs);
    }

    [Fact]
    public void All_who_wait_for_a_sync_that_fails_are_told()
    {
        LogDisk disk = new();
        LogFile log = LogHistory.Open(disk);
        disk.Fate = operation =>
        {
            if (operation.Call != DiskCall.Sync) return Fate.Done;
            Thread.Sleep(50);
            return Fate.Fail;
        };
        Task[] waiting = [.. Enumerable.Range(0, 8).Select(i => Task.Factory.StartNew(() =>
        {
            log.Append(LogFileTests.Payload(i));
            if (i % 2 == 0) log.Sync();
            else log.SyncAsync().AsTask().GetAwaiter().GetResult();
        }, TaskCreationOptions.LongRunning))];
        foreach (Task task in waiting)
            Assert.Equal(MappedFileReason.Poisoned, Assert.Throws<MappedFileException>(() => task.GetAwaiter().GetResult()).Reason);
    }

    [Fact]
    public void A_log_that_may_not_be_written_is_read_and_told_to_be_read_only()
    {
        using TempFolder folder = new();
        using (LogFile log = LogFile.Create(folder.Path)) log.Append("x"u8);
        foreach (string file in Directory.GetFiles(folder.Path))
            File.SetUnixFileMode(file, UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
        File.SetUnixFileMode(folder.Path, (UnixFileMode)0x16D);     // r-xr-xr-x
        ChildResult read = Child.Run(ReadWithoutPermission, [folder.Path]);
        // Who is not root may empty the folder only with this.
        File.SetUnixFileMode(folder.Path, (UnixFileMode)0x1ED);     // rwxr-xr-x
        read.AssertSucceeded();
    }

    [Theory]
    [InlineData("not a log, but long enough to be taken for one if nobody looked at its first bytes", MappedFileReason.NotThisFormat)]
    [InlineData("short", MappedFileReason.NotThisFormat), InlineData("", MappedFileReason.NotThisFormat)]
    public void A_foreign_or_empty_file_is_told_and_left_alone(string content, MappedFileReason reason)
    {
        using TempFolder folder = new();
        using (LogFile log = LogFile.Create(folder.Path, Small.Log)) log.Append("x"u8);
        string foreign = folder.File(LogName(8192));
        File.WriteAllText(foreign, content);
        MappedFileException told = Assert.Throws<MappedFileException>(() => LogFile.Open(folder.Path));
        Assert.Equal(reason, told.Reason);
        Assert.Contains(foreign, told.Message);
        Assert.Equal(reason, Assert.Throws<MappedFileException>(() => LogFile.OpenRead(folder.Path)).Reason);
        Assert.Equal(content, File.ReadAllText(foreign));
        File.Delete(foreign);
        // Names that are no log's do not matter.
        File.WriteAllText(folder.File("8192.log"), content);
        LogFile.Open(folder.Path).Dispose();
    }

    [Fact]
    public void A_file_of_another_log_and_a_renamed_one_are_told()
    {
        using TempFolder folder = new(), other = new();
        using (LogFile log = LogFile.Create(folder.Path, Small.Log)) log.Append("x"u8);
        using (LogFile log = LogFile.Create(other.Path, Small.Log))
            for (int i = 0; i < 100; i++) log.Append(LogFileTests.Payload(i));
        string second = Directory.GetFiles(other.Path, "*.log").Order(StringComparer.Ordinal).ElementAt(1);
        File.Copy(second, folder.File(Path.GetFileName(second)));
        Assert.Equal(MappedFileReason.NotThisFormat, Assert.Throws<MappedFileException>(() => LogFile.Open(folder.Path)).Reason);
        File.Move(second, other.File(LogName(4104)));
        Assert.Throws<DamagedDataException>(() => LogFile.Open(other.Path));
    }

    [Fact]
    public void A_missing_file_in_the_row_is_damage()
    {
        using TempFolder folder = new();
        using (LogFile log = LogFile.Create(folder.Path, Small.Log))
            for (int i = 0; i < 100; i++)
            {
                log.Append(LogFileTests.Payload(i));
                log.Sync();
            }
        File.Delete(Directory.GetFiles(folder.Path, "*.log").Order(StringComparer.Ordinal).ElementAt(1));
        Assert.Throws<DamagedDataException>(() => LogFile.Open(folder.Path, Small.Log));
        Assert.Throws<DamagedDataException>(() => LogFile.OpenRead(folder.Path));
    }

    [Fact]
    public void Kill_9_loses_nothing_acknowledged_and_a_reader_beside_never_sees_damage()
    {
        using TempFolder folder = new();
        long next = 0;
        int expected = 0;
        for (int round = 0; round < LongRuns.Of(6, 200); round++)
        {
            using Process child = Child.Start(AppendForever, [folder.Path, expected.ToString()]);
            Assert.Equal("ready", child.StandardOutput.ReadLine());
            int acknowledged = expected - 1;
            bool hasWritten;
            Task<string> lines = child.StandardOutput.ReadToEndAsync();
            using (LogFile reader = LogFile.OpenRead(folder.Path, Small.Log))
            {
                Stopwatch time = Stopwatch.StartNew();
                while (time.ElapsedMilliseconds < 60 + round % 7 * 20)
                    foreach (LogEntry entry in reader.ReadFrom(next))
                    {
                        Assert.Equal(expected++, BitConverter.ToInt32(entry.Payload));
                        next = entry.Next;
                    }
                child.Kill();
                child.WaitForExit();
                // What follows the last line's end was not told in whole.
                string[] told = LogFileTests.Result(lines).Split('\n')[..^1];
                hasWritten = told.Length > 0;
                if (hasWritten) acknowledged = int.Parse(told[^1]);
            }
            using LogFile log = LogFile.Open(folder.Path, Small.Log);
            // A child that was killed before its first frame left the log as it was closed.
            if (hasWritten) Assert.False(log.Recovery.WasClosedCleanly);
            foreach (LogEntry entry in log.ReadFrom(next))
            {
                Assert.Equal(expected++, BitConverter.ToInt32(entry.Payload));
                next = entry.Next;
            }
            Assert.True(expected > acknowledged, $"{acknowledged} was acknowledged, and {expected} frames are there");
            if (round % 3 == 2) log.CutBefore(next);
        }
        Assert.True(expected > 20);
    }

    [Fact]
    public void A_writer_that_was_killed_leaves_its_lock_to_the_next_one()
    {
        using TempFolder folder = new();
        using Process child = Child.Start(AppendForever, [folder.Path, "0"]);
        Assert.Equal("ready", child.StandardOutput.ReadLine());
        Assert.Equal(MappedFileReason.Locked, Assert.Throws<MappedFileException>(() => LogFile.Open(folder.Path, Small.Log)).Reason);
        Task<LogFile> waits = Task.Run(() => LogFile.Open(folder.Path));
        child.Kill();
        child.WaitForExit();
        using LogFile next = LogFileTests.Result(waits);
        Assert.False(next.Recovery.WasClosedCleanly);
    }

    private static void AppendForever(string[] arguments)
    {
        using LogFile log = LogFile.OpenOrCreate(arguments[0], Small.Log);
        Console.Out.WriteLine("ready");
        for (int i = int.Parse(arguments[1]); ; i++)
        {
            log.Append([.. BitConverter.GetBytes(i), .. LogFileTests.Payload(i)]);
            if (i % 5 != 0) continue;
            log.Sync();
            Console.Out.WriteLine(i);
            Console.Out.Flush();
        }
    }

    private static MappedFileException AppendUntilRefused(LogFile log, List<long> places)
    {
        for (int i = 0; i < 100_000; i++)
        {
            try
            {
                places.Add(log.Append(LogFileTests.Payload(places.Count)));
                if (i % 10 == 0) log.Sync();
            }
            catch (MappedFileException e)
            {
                return e;
            }
        }
        throw new InvalidOperationException("everything fitted");
    }

    private static void GrowToTheLimit(string[] arguments)
    {
        const int fileSize = 1;
        ulong before = Scarcity.Limit(fileSize, 150_000);
        using LogFile log = LogFile.Create(arguments[0]);
        List<long> places = [];
        Assert.Equal(MappedFileReason.Full, AppendUntilRefused(log, places).Reason);
        Assert.Equal(MappedFileReason.Full, Assert.Throws<MappedFileException>(log.Sync).Reason);
        Scarcity.Limit(fileSize, before);
        log.Sync();
        Assert.Equal(places, LogFileTests.Positions(log, 0));
        log.Verify();
    }

    private static void ReadWithoutPermission(string[] arguments)
    {
        Read();
        Scarcity.LeaveRoot();
        Read();
        Assert.Equal(MappedFileReason.ReadOnly, Assert.Throws<MappedFileException>(() => LogFile.Open(arguments[0])).Reason);

        void Read()
        {
            using LogFile log = LogFile.OpenRead(arguments[0]);
            Assert.Single(LogFileTests.Positions(log, 0));
        }
    }

    private static string LogName(long first) => $"{first:D19}.log";
}
