namespace MemPrims.Records.Tests.Log;

// The bytes of a log: what other readers find in them, and what hostile ones do.
public class LogFormatTests
{
    [Fact]
    public void A_reader_written_from_the_page_finds_the_frames_and_the_close()
    {
        using TempFolder folder = new();
        Fill(folder, out List<long> places);
        LogModel.Outcome model = LogModel.Recover(LogFileTests.Files(folder));
        Assert.False(model.IsDamaged);
        Assert.True(model.EndsClosed);
        Assert.Equal(places, model.Frames.Select(f => f.Position));
        Assert.All(model.Frames, (frame, i) => Assert.Equal(LogFileTests.Payload(i), frame.Payload));
    }

    [Fact]
    public void A_frame_that_others_write_by_the_page_is_read()
    {
        using TempFolder folder = new();
        LogFile.Create(folder.Path).Dispose();
        (_, byte[] file) = LogFileTests.Files(folder)[0];
        byte[] id = file[8..16];
        byte[][] payloads = [[], [1], [.. Enumerable.Range(0, 255).Select(i => (byte)i)]];
        List<byte> log = [.. file[..64]];
        foreach (byte[] payload in payloads) log.AddRange(LogModel.Frame(id, log.Count, 0, payload));
        File.WriteAllBytes(folder.File($"{0:D19}.log"), [.. log]);
        using LogFile read = LogFile.OpenRead(folder.Path);
        int i = 0;
        foreach (LogEntry entry in read.ReadFrom()) Assert.Equal(payloads[i++], entry.Payload.ToArray());
        Assert.Equal(3, i);
    }

    [Fact]
    public void Parts_with_their_own_CRC_that_are_exchanged_are_seen()
    {
        // Two payloads that end with their own CRC-32C: the CRC of the one is the CRC of the other.
        byte[] a = WithCrc([.. Enumerable.Range(1, 60).Select(i => (byte)i)]),
            b = WithCrc([.. Enumerable.Range(101, 60).Select(i => (byte)i)]);
        Assert.Equal(LogModel.Crc(a), LogModel.Crc(b));
        using TempFolder folder = new();
        using (LogFile log = LogFile.Create(folder.Path))
        {
            log.Append(a);
            log.Append("behind"u8);
        }
        string path = folder.File($"{0:D19}.log");
        byte[] bytes = File.ReadAllBytes(path);
        b.CopyTo(bytes, 96);
        File.WriteAllBytes(path, bytes);
        Assert.Equal(64, Assert.Throws<DamagedDataException>(() => LogFile.Open(folder.Path)).Offset);
        // A reader without the sum would take them.
        Assert.Equal(b, LogModel.Recover(LogFileTests.Files(folder), LeftOut.PayloadSum).Frames[0].Payload);

        static byte[] WithCrc(byte[] part) => [.. part, .. BitConverter.GetBytes(LogModel.Crc(part))];
    }

    [Fact]
    public void Each_flipped_bit_of_a_closed_log_is_told_or_changes_nothing()
    {
        using TempFolder folder = new();
        List<long> places = [];
        using (LogFile log = LogFile.Create(folder.Path, Small.Log))
            for (int i = 0; i < 12; i++) places.Add(log.Append(LogFileTests.Payload(i)));
        string path = folder.File($"{0:D19}.log");
        byte[] sound = File.ReadAllBytes(path);
        int end = (int)places[^1] + 32 + LogFileTests.Payload(11).Length, told = 0;
        for (int bit = 0; bit < end * 8; bit += LongRuns.Of(5, 1))
        {
            byte[] bytes = [.. sound];
            bytes[bit / 8] ^= (byte)(1 << bit % 8);
            File.WriteAllBytes(path, bytes);
            try
            {
                using LogFile log = LogFile.OpenRead(folder.Path);
                int i = 0;
                foreach (LogEntry entry in log.ReadFrom()) Assert.True(entry.Payload.SequenceEqual(LogFileTests.Payload(i++)));
                // The zeros of a file's header mean nothing.
                Assert.True(i == 12 && bit / 8 is >= 32 and < 64, $"bit {bit} was not told");
            }
            catch (Exception e) when (e is DamagedDataException or MappedFileException)
            {
                told++;
            }
        }
        Assert.InRange(told, (end - 32) * 8 / LongRuns.Of(5, 1) - 1, (end - 32) * 8 / LongRuns.Of(5, 1) + 1);
    }

    [Fact]
    public void Hostile_frames_under_right_checks_give_no_wrong_answer()
    {
        using TempFolder folder = new();
        LogFile.Create(folder.Path).Dispose();
        string path = folder.File($"{0:D19}.log");
        byte[] header = File.ReadAllBytes(path)[..64], id = header[8..16];
        // Lengths that lie, alone and with a frame behind that testifies to bytes which were never there.
        foreach (int length in (int[])[int.MaxValue, int.MinValue, -3, -1, -2, 1, 0x7FFF_0000, 0x7FFF_0001, 4096, 1 << 30])
            foreach (bool testified in (bool[])[false, true])
            {
                byte[] first = LogModel.Frame(id, 64, 0, [], length);
                byte[] second = testified ? LogModel.Frame(id, 64 + 96, 64 + 96, [1, 2, 3]) : [];
                File.WriteAllBytes(path, [.. header, .. first, .. new byte[64], .. second]);
                try
                {
                    using LogFile log = LogFile.OpenRead(folder.Path);
                    Assert.False(testified && length is not (-1 or -2));
                    Assert.Empty(LogFileTests.Positions(log, 0));
                }
                catch (DamagedDataException)
                {
                    // -3 says that the log goes on in another file, which is not there.
                    Assert.True(testified || length == -3);
                }
            }
        // A payload full of headers of other places and logs testifies to nothing.
        byte[] forged = [.. Enumerable.Range(0, 20).SelectMany(i =>
            LogModel.Frame([.. Guid.NewGuid().ToByteArray()[..8]], 128 + 32 * i, 1 << 20, []))];
        File.WriteAllBytes(path, [.. header, .. new byte[64], .. forged]);
        using LogFile empty = LogFile.Open(folder.Path);
        Assert.Equal(0, empty.Recovery.Frames);
        Assert.InRange(empty.Recovery.BytesCut, 64 + forged.Length - 20, 64 + forged.Length);
        Assert.NotNull(empty.Recovery.Why);
    }

    [Fact]
    public void Salvage_copies_what_is_sound_below_the_marks_and_tells_what_was_lost()
    {
        using TempFolder folder = new(), saved = new();
        Fill(folder, out List<long> places);
        List<(long First, byte[] Bytes)> files = LogFileTests.Files(folder);
        // A payload, a header, a whole file, and a file's own header.
        Rot(0, (int)places[1] + 40);
        Rot(0, (int)places[3] + 4);
        File.Delete(folder.File($"{files[2].First:D19}.log"));
        Rot(4, 3);
        Assert.ThrowsAny<IOException>(() => LogFile.Open(folder.Path));
        LogSalvage report = LogFile.Salvage(folder.Path, saved.Path, Small.Log);
        int[] kept = [.. Enumerable.Range(0, places.Count).Where(i => i is not (1 or 3) && FileOf(places[i]) != files[2].First)];
        Assert.Equal(kept.Length, report.Frames);
        Assert.Equal(new(places[1], places[2]), report.Lost[0]);
        Assert.Equal(new(places[3], places[4]), report.Lost[1]);
        Assert.Equal(3, report.Lost.Count);
        Assert.StartsWith($"{kept.Length} frames, 3 places lost [{places[1]}..{places[2]}, {places[3]}..{places[4]}, ", $"{report}");
        Assert.InRange(files[2].First, report.Lost[2].From, report.Lost[2].To);
        using LogFile log = LogFile.Open(saved.Path);
        int next = 0;
        foreach (LogEntry entry in log.ReadFrom()) Assert.True(entry.Payload.SequenceEqual(LogFileTests.Payload(kept[next++])));
        Assert.Equal(kept.Length, next);

        void Rot(int file, int at)
        {
            files[file].Bytes[at] ^= 1;
            File.WriteAllBytes(folder.File($"{files[file].First:D19}.log"), files[file].Bytes);
        }

        long FileOf(long place) => files.Last(f => f.First <= place).First;
    }

    [Fact]
    public void Verify_and_reads_tell_rot_of_an_open_log()
    {
        using TempFolder folder = new();
        using LogFile log = LogFile.Create(folder.Path);
        long at = log.Append(LogFileTests.Payload(1)), behind = log.Append(LogFileTests.Payload(2));
        log.Sync();
        using LogFile reader = LogFile.OpenRead(folder.Path);
        using (FileStream file = new(folder.File($"{0:D19}.log"), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite))
        {
            file.Position = at + 35;
            file.WriteByte(0);
        }
        foreach (LogFile open in (LogFile[])[log, reader])
        {
            Assert.Equal(at, Assert.Throws<DamagedDataException>(() => open.Read(at)).Offset);
            Assert.Equal(at, Assert.Throws<DamagedDataException>(() => LogFileTests.Positions(open, 0)).Offset);
            Assert.Equal(at, Assert.Throws<DamagedDataException>(open.Verify).Offset);
            Assert.True(open.Read(behind).SequenceEqual(LogFileTests.Payload(2)));
        }
    }

    internal static void Fill(TempFolder folder, out List<long> places)
    {
        places = [];
        using LogFile log = LogFile.Create(folder.Path, Small.Log);
        for (int i = 0; i < 300; i++)
        {
            places.Add(log.Append(LogFileTests.Payload(i)));
            if (i % 7 == 0) log.Sync();
        }
    }
}
