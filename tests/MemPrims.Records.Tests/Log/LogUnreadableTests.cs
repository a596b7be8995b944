namespace MemPrims.Records.Tests.Log;

// Sectors that cannot be read, and holes of a full file system in memory. Each runs in a child: what reads them through a map ends the
// process.
public class LogUnreadableTests
{
    private const int PageBytes = 4096;

    private static readonly LogFileOptions s_options = new() { FileBytes = 8 * PageBytes, WriterTimeout = TimeSpan.Zero };

    [Fact]
    public void A_page_that_cannot_be_read_is_damage_below_the_marks_and_what_is_around_it_is_salvaged()
    {
        using TempFolder root = new();
        Child.Run(ReadBelowTheMarks, [root.Path]).AssertSucceeded();
    }

    [Fact]
    public void A_page_that_cannot_be_read_above_all_marks_is_cut_off()
    {
        using TempFolder root = new();
        Child.Run(OpenAboveTheMarks, [root.Path]).AssertSucceeded();
    }

    [SkippableFact]
    public void A_log_opens_whose_end_falls_on_a_hole_of_a_full_file_system()
    {
        using SmallDisk disk = new("1m");
        Child.Run(OpenAtAHole, [disk.File("log"), disk.File("ballast")]).AssertSucceeded();
    }

    private static void ReadBelowTheMarks(string[] arguments)
    {
        List<long> places = [];
        string path = Path.Combine(arguments[0], "log");
        using (LogFile log = LogFile.Create(path, s_options))
            for (int i = 0; i < 1500 || places[^1] < new LogFolder(path).List()[^1] + 3 * PageBytes; i++)
            {
                places.Add(log.Append(LogFileTests.Payload(i)));
                if (i % 50 == 0) log.Sync();
            }
        long[] firsts = new LogFolder(path).List();
        Assert.True(firsts.Length > 3);
        // In the middle of a file, at its beginning with the file's header, in two files, and at the end.
        foreach (long[] bad in (long[][])[[2 * PageBytes], [firsts[1]], [PageBytes, firsts[2] + 3 * PageBytes],
            [firsts[^1] + PageBytes], [0]])
        {
            SteppedFolder folder = new(path);
            foreach (long from in bad) folder.Unreadable.Add((from, from + PageBytes));
            Assert.Throws<DamagedDataException>(() => new LogFile(folder, s_options));
            Assert.Throws<DamagedDataException>(() => new LogFile(folder, s_options, creates: false, opens: true));
            string saved = Path.Combine(arguments[0], $"saved{bad[0]}");
            List<long> whole = [.. places.Where((place, i) =>
                folder.Unreadable.All(part => place >= part.To || place + LogFrame.SizeOf(LogFileTests.Payload(i).Length) <= part.From))];
            LogSalvage report = LogSalvager.Run(folder, () => LogFile.Create(saved));
            Assert.Equal(whole.Count, report.Frames);
            Assert.Equal(bad.Length, report.Lost.Count);
            foreach (LogRange lost in report.Lost) Assert.Contains(bad, from => lost.From < from + PageBytes && lost.To > from);
            // Of an open log, whose maps were there before.
            SteppedFolder sound = new(path);
            using LogFile open = new(sound, s_options);
            sound.Unreadable.AddRange(folder.Unreadable);
            if (bad[0] == 0) Assert.Equal(open.Start, Assert.Throws<DamagedDataException>(open.Verify).Offset);
            else Assert.InRange(Assert.Throws<DamagedDataException>(open.Verify).Offset, bad[0] - PageBytes, bad[0] + PageBytes);
        }
    }

    private static void OpenAboveTheMarks(string[] arguments)
    {
        string path = Path.Combine(arguments[0], "log"), file = Path.Combine(path, LogFolder.NameOf(0));
        byte[] id = [1, 2, 3, 4, 5, 6, 7, 8];
        Directory.CreateDirectory(path);
        List<byte> bytes = [.. LogFileHeader.Of(BitConverter.ToUInt64(id), 0)];
        List<long> places = [];
        while (bytes.Count < 4 * PageBytes)
        {
            places.Add(bytes.Count);
            bytes.AddRange(LogModel.Frame(id, bytes.Count, 0, LogFileTests.Payload(places.Count)));
        }
        File.WriteAllBytes(file, [.. bytes]);
        List<long> whole = [.. places.Where((_, i) => i + 1 < places.Count && places[i + 1] <= 2 * PageBytes)];
        SteppedFolder folder = new(path);
        folder.Unreadable.Add((2 * PageBytes, 3 * PageBytes));
        using (LogFile reader = new(folder, s_options)) Assert.Equal(whole, LogFileTests.Positions(reader, 0));
        using LogFile log = new(folder, s_options, creates: false, opens: true);
        Assert.Equal(whole.Count, log.Recovery.Frames);
        Assert.InRange(log.Recovery.BytesCut, PageBytes, 3 * PageBytes);
        // Zeros were written over all that followed, and then a mark.
        Assert.False(File.ReadAllBytes(file).AsSpan((int)log.End + LogFrame.HeaderBytes).ContainsAnyExcept((byte)0));
        Assert.Equal(whole, LogFileTests.Positions(log, 0));
    }

    private static void OpenAtAHole(string[] arguments)
    {
        string path = arguments[0], file = Path.Combine(path, LogFolder.NameOf(0));
        byte[] id = [1, 2, 3, 4, 5, 6, 7, 8];
        Directory.CreateDirectory(path);
        // It ends with the page, and nothing but a hole follows.
        byte[] frame = LogModel.Frame(id, 64, 0, [.. Enumerable.Repeat((byte)7, PageBytes - 96)]);
        File.WriteAllBytes(Path.Combine(path, "lock"), []);
        File.WriteAllBytes(file, [.. LogFileHeader.Of(BitConverter.ToUInt64(id), 0), .. frame]);
        using (FileStream stream = File.OpenWrite(file)) stream.SetLength(1 << 19);
        SmallDisk.FillUp(arguments[1]);
        using (LogFile reader = LogFile.OpenRead(path, s_options))
        {
            Assert.Equal([64], LogFileTests.Positions(reader, 0));
            reader.Verify();
        }
        using (LogFile log = LogFile.Open(path, s_options))
        {
            Assert.Equal([64], LogFileTests.Positions(log, 0));
            log.Verify();
        }
        // A payload that lies in a hole: a reader finds it, and a writer asks for room first.
        File.Delete(file);
        File.Delete(arguments[1]);
        byte[] header = LogFileHeader.Of(BitConverter.ToUInt64(id), 0), holed = LogModel.Frame(id, 64, 0, new byte[8 * PageBytes]);
        using (FileStream stream = File.OpenWrite(file))
        {
            stream.Write([.. header, .. holed[..32]]);
            stream.SetLength(64 + holed.Length);
        }
        SmallDisk.FillUp(arguments[1]);
        using (LogFile reader = LogFile.OpenRead(path, s_options)) reader.Verify();
        Assert.Equal(MappedFileReason.Full, Assert.Throws<MappedFileException>(() => LogFile.Open(path, s_options)).Reason);
        File.Delete(arguments[1]);
        using LogFile again = LogFile.Open(path, s_options);
        Assert.Equal(8 * PageBytes, again.Read(64).Length);
        Assert.False(again.Read(64).ContainsAnyExcept((byte)0));
    }
}
