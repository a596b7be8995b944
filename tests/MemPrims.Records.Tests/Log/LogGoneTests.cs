namespace MemPrims.Records.Tests.Log;

// Files of a log that are gone: deleted while it was closed, or by a cut beside a reader.
public class LogGoneTests
{
    [Theory, InlineData(1), InlineData(2), InlineData(5)]
    public void Files_that_were_deleted_at_the_end_are_told_and_the_rest_is_salvaged(int deleted)
    {
        using TempFolder folder = new();
        LogFormatTests.Fill(folder, out List<long> places);
        List<(long First, byte[] Bytes)> files = LogFileTests.Files(folder);
        long end = files[^deleted].First;
        foreach ((long first, _) in files[^deleted..]) File.Delete(folder.File($"{first:D19}.log"));
        Dictionary<string, byte[]> before = Directory.GetFiles(folder.Path).ToDictionary(path => path, File.ReadAllBytes);
        foreach (Func<LogFile> open in (Func<LogFile>[])[() => LogFile.Open(folder.Path), () => LogFile.OpenRead(folder.Path)])
        {
            DamagedDataException told = Assert.Throws<DamagedDataException>(() => open());
            Assert.Equal(end, told.Offset);
            Assert.Contains($"{end:D19}.log", told.Message);
        }
        foreach ((string path, byte[] bytes) in before) Assert.Equal(bytes, File.ReadAllBytes(path));
        Assert.True(LogModel.Recover(LogFileTests.Files(folder)).IsDamaged);
        LogSalvage report = LogFile.Salvage(folder.Path, folder.File("saved"));
        Assert.Equal(places.Count(place => place < end), report.Frames);
        Assert.Equal([(end, end + 64)], report.Lost.Select(static lost => (lost.From, lost.To)));
        // Put back, all is well.
        foreach ((long first, byte[] bytes) in files[^deleted..]) File.WriteAllBytes(folder.File($"{first:D19}.log"), bytes);
        using LogFile log = LogFile.Open(folder.Path);
        Assert.Equal(places, LogFileTests.Positions(log, 0));
    }

    [Fact]
    public void A_file_that_was_deleted_between_others_is_told_by_its_name()
    {
        using TempFolder folder = new();
        LogFormatTests.Fill(folder, out List<long> places);
        foreach ((long first, byte[] bytes) in LogFileTests.Files(folder)[1..])
        {
            string path = folder.File($"{first:D19}.log");
            File.Delete(path);
            foreach (Func<LogFile> open in (Func<LogFile>[])[() => LogFile.Open(folder.Path), () => LogFile.OpenRead(folder.Path)])
            {
                DamagedDataException told = Assert.Throws<DamagedDataException>(() => open());
                Assert.Equal(first, told.Offset);
                Assert.Contains($"in a file {first:D19}.log, which is not there", told.Message);
            }
            File.WriteAllBytes(path, bytes);
        }
        using LogFile log = LogFile.Open(folder.Path);
        Assert.Equal(places, LogFileTests.Positions(log, 0));
    }

    [Fact]
    public void No_folder_is_told_by_the_parameters_name()
    {
        foreach (Action open in (Action[])[() => LogFile.Create(null!), () => LogFile.Open(null!), () => LogFile.OpenOrCreate(null!),
            () => LogFile.OpenRead(null!)])
            Assert.Throws<ArgumentNullException>("folder", open);
        Assert.Throws<ArgumentNullException>("damagedFolder", () => LogFile.Salvage(null!, "new"));
        Assert.Throws<ArgumentNullException>("newFolder", () => LogFile.Salvage(Path.GetTempPath(), null!));
    }

    // The file before says that it began; where its header has gone, it was more than made.
    [Theory, InlineData(0, true), InlineData(20, true), InlineData(64, false), InlineData(70, false)]
    public void A_last_file_of_which_nothing_is_left_is_a_loss_to_salvage(int bytes, bool isLost)
    {
        using TempFolder folder = new();
        LogFormatTests.Fill(folder, out List<long> places);
        long last = LogFileTests.Files(folder)[^1].First;
        string path = folder.File($"{last:D19}.log");
        byte[] whole = File.ReadAllBytes(path);
        foreach (byte[] left in (byte[][])[whole[..bytes], [.. whole[..bytes], .. new byte[500]]])
        {
            File.WriteAllBytes(path, left);
            using TempFolder saved = new();
            LogSalvage report = LogFile.Salvage(folder.Path, saved.File("log"));
            Assert.Equal(places.Count(place => place < last), report.Frames);
            Assert.Equal(isLost ? [(last, last + 64)] : [], report.Lost.Select(static lost => (lost.From, lost.To)));
        }
        // A header that has rotted over sound frames loses none.
        whole[9] ^= 1;
        File.WriteAllBytes(path, whole);
        using TempFolder other = new();
        LogSalvage all = LogFile.Salvage(folder.Path, other.File("log"));
        Assert.Equal((places.Count, 0), (all.Frames, all.Lost.Count));
    }

    [Fact]
    public void A_log_of_an_earlier_version_says_nothing_of_files_that_follow_and_opens_as_ever()
    {
        using TempFolder folder = new();
        LogFormatTests.Fill(folder, out List<long> places);
        List<(long First, byte[] Bytes)> files = LogFileTests.Files(folder);
        for (int i = 0; i + 1 < files.Count; i++)
            File.WriteAllBytes(folder.File($"{files[i].First:D19}.log"), files[i].Bytes[..(int)(files[i + 1].First - files[i].First)]);
        using (LogFile log = LogFile.Open(folder.Path)) Assert.Equal(places, LogFileTests.Positions(log, 0));
        File.Delete(folder.File($"{files[^1].First:D19}.log"));
        using LogFile shorter = LogFile.Open(folder.Path);
        Assert.Equal(places.Where(place => place < files[^1].First), LogFileTests.Positions(shorter, 0));
    }

    [Fact]
    public void A_reader_whose_files_a_cut_has_taken_is_told_of_no_loss()
    {
        using TempFolder folder = new();
        using LogFile log = LogFile.Create(folder.Path, Small.Log);
        log.Append(new byte[500]);
        log.Sync();
        using LogFile reader = LogFile.OpenRead(folder.Path, Small.Log);
        for (int i = 0; i < 40; i++) log.Append(new byte[500]);
        log.Sync();
        log.CutBefore(log.End);
        for (int i = 0; i < 3; i++) reader.Verify();
        foreach (LogEntry entry in reader.ReadFrom()) Assert.True(entry.Next > entry.Position);
    }

    // Whether the end of a life was clean or not, an opening takes no file that it deletes itself for one that was lost.
    [Fact]
    public void A_file_that_an_opening_drops_is_not_missed_by_the_next_one()
    {
        // The last file but one is torn where no mark covers it, as after a loss of power; so the last one goes.
        LogDisk disk = new();
        LogFile log = LogHistory.Open(disk);
        for (int i = 0; i < 40; i++) log.Append(new byte[300]);
        _ = log.Read(log.Segments.Last.FirstFrame);
        Assert.True(disk.Names.Count > 3);
        DiskFile torn = disk.Names.ElementAt(disk.Names.Count - 2).Value;
        torn.Rot(torn.Length / 2, 0);
        disk.Kill();
        for (int life = 0; life < 3; life++) LogHistory.Open(disk).Append(new byte[5000]);
        Assert.False(LogModel.Recover(disk.Image()).IsDamaged);
    }
}
