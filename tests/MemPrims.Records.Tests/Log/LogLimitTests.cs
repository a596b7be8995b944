namespace MemPrims.Records.Tests.Log;

// Positions, lengths and marks near the ends of their ranges, in whole files under right checks.
public class LogLimitTests
{
    private const long LastFirst = 1L << 62;

    private static readonly byte[] s_id = [1, 2, 3, 4, 5, 6, 7, 8];

    [Theory, InlineData(7), InlineData(4100), InlineData(LastFirst + 8), InlineData(long.MaxValue - 4095), InlineData(long.MaxValue - 71)]
    [InlineData(long.MaxValue - 64), InlineData(long.MaxValue)]
    public async Task A_file_that_begins_where_none_can_is_refused_by_every_reader(long first)
    {
        using TempFolder folder = new(), beside = new();
        byte[] file = [.. LogFileHeader.Of(BitConverter.ToUInt64(s_id), first), .. LogModel.Frame(s_id, unchecked(first + 64), 0, [1])];
        Write(folder, first, file);
        // Alone, and after a file that is sound.
        Write(beside, 0, [.. LogFileHeader.Of(BitConverter.ToUInt64(s_id), 0), .. LogModel.Frame(s_id, 64, 0, [1])]);
        Write(beside, first, file);
        foreach (TempFolder log in (TempFolder[])[folder, beside])
        {
            foreach (Func<string, LogFile> open in (Func<string, LogFile>[])[
                static path => LogFile.Open(path, Small.Log), static path => LogFile.OpenRead(path, Small.Log),
                static path => LogFile.OpenOrCreate(path, Small.Log)])
                Assert.Equal(MappedFileReason.NotThisFormat,
                    (await Assert.ThrowsAsync<MappedFileException>(() => Ends(() => open(log.Path).Dispose()))).Reason);
            Assert.Equal(file, File.ReadAllBytes(log.File($"{first:D19}.log")));
        }
        await Assert.ThrowsAsync<FileNotFoundException>(() => Ends(() => LogFile.Salvage(folder.Path, folder.File("saved"))));
        await Ends(() => Assert.Equal(1, LogFile.Salvage(beside.Path, folder.File("others")).Frames));
    }

    [Fact]
    public void A_log_is_written_to_the_last_position_and_no_further()
    {
        using TempFolder folder = new();
        Write(folder, LastFirst, LogFileHeader.Of(BitConverter.ToUInt64(s_id), LastFirst));
        List<long> places = [];
        using (LogFile log = LogFile.Open(folder.Path, Small.Log))
        {
            MappedFileException told = Assert.Throws<MappedFileException>(() =>
            {
                for (int i = 0; i < 1000; i++) places.Add(log.Append(LogFileTests.Payload(i)));
            });
            Assert.Equal(MappedFileReason.Full, told.Reason);
            Assert.InRange(places.Count, 5, 900);
            log.Sync();
            Assert.Equal(places, LogFileTests.Positions(log, LastFirst));
        }
        using LogFile again = LogFile.Open(folder.Path, Small.Log);
        Assert.Equal(places, LogFileTests.Positions(again, 0));
        Assert.True(again.Recovery.WasClosedCleanly);
        again.Verify();
        foreach (long position in (long[])[long.MaxValue, long.MaxValue - 7, long.MaxValue - 31, LastFirst - 8, 1L << 63, -8])
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => again.Read(position));
            if (position is > LastFirst or < 0) Assert.Throws<ArgumentOutOfRangeException>(() => again.ReadFrom(position));
            if (position is > LastFirst or < 0) Assert.Throws<ArgumentOutOfRangeException>(() => again.CutBefore(position));
        }
    }

    [Theory, InlineData(8), InlineData(56)]
    public void A_file_that_begins_in_the_header_of_the_one_before_is_damage_and_stays(long second)
    {
        using TempFolder folder = new();
        Write(folder, 0, LogFileHeader.Of(BitConverter.ToUInt64(s_id), 0));
        Write(folder, second, [.. LogFileHeader.Of(BitConverter.ToUInt64(s_id), second), .. LogModel.Frame(s_id, second + 64, 0, [1])]);
        Assert.Equal(second, Assert.Throws<DamagedDataException>(() => LogFile.Open(folder.Path, Small.Log)).Offset);
        Assert.Equal(second, Assert.Throws<DamagedDataException>(() => LogFile.OpenRead(folder.Path, Small.Log)).Offset);
        Assert.Equal(2, Directory.GetFiles(folder.Path, "*.log").Length);
        Assert.Equal(1, LogFile.Salvage(folder.Path, folder.File("saved")).Frames);
    }

    [Fact]
    public async Task Marks_and_lengths_at_their_ends_are_refused_or_cut_by_every_reader()
    {
        long[] firsts = [0, LastFirst];
        long[] marks = [0, 64, long.MaxValue, long.MaxValue - 7, long.MinValue, -1, LastFirst, LastFirst + (1 << 20)];
        int[] lengths = [0, 1, 7, 8, -1, -2, -3, int.MinValue, int.MaxValue, LogFrame.MaxPayload, LogFrame.MaxPayload + 1];
        foreach (long first in firsts)
            foreach (long mark in marks)
                foreach (int length in lengths)
                {
                    using TempFolder folder = new();
                    byte[] frame = LogModel.Frame(s_id, first + 64, mark, new byte[Math.Clamp(length, 0, 8)], length);
                    Write(folder, first, [.. LogFileHeader.Of(BitConverter.ToUInt64(s_id), first), .. frame]);
                    LogModel.Outcome model = LogModel.Recover(LogFileTests.Files(folder));
                    foreach (Func<LogFile> open in (Func<LogFile>[])[
                        () => LogFile.OpenRead(folder.Path, Small.Log), () => LogFile.Open(folder.Path, Small.Log)])
                    {
                        try
                        {
                            await Ends(() =>
                            {
                                using LogFile log = open();
                                log.Verify();
                                Assert.Equal(model.Frames.Select(f => f.Position), LogFileTests.Positions(log, 0));
                            });
                            Assert.False(model.IsDamaged);
                        }
                        catch (DamagedDataException)
                        {
                            Assert.True(model.IsDamaged);
                        }
                    }
                    await Ends(() => Assert.Equal(model.Frames.Count, LogFile.Salvage(folder.Path, folder.File("saved")).Frames));
                }
    }

    // Long enough for any machine: what is looked for has no end.
    private static Task Ends(Action action) =>
        Task.Factory.StartNew(action, TaskCreationOptions.LongRunning).WaitAsync(TimeSpan.FromMinutes(2));

    private static void Write(TempFolder folder, long first, byte[] bytes) => File.WriteAllBytes(folder.File($"{first:D19}.log"), bytes);
}
