using System.Buffers;
using MemPrims.Buffers;

namespace MemPrims.Tests.Buffers;

public class FrameTests
{
    private static (byte[] Log, byte[][] Payloads, int[] Starts) Log(int frames, uint seed = 0)
    {
        Random random = Seeds.Random();
        SegmentList list = new();
        byte[][] payloads = new byte[frames][];
        int[] starts = new int[frames];
        for (int i = 0; i < frames; i++)
        {
            random.NextBytes(payloads[i] = new byte[random.Next(200)]);
            starts[i] = (int)list.Length;
            using Appender to = new(list);
            to.WriteFrame(payloads[i], to.Position, seed);
            to.Commit();
        }
        return (list.ToArray(), payloads, starts);
    }

    private static List<string> ReadAll(FrameReader log)
    {
        List<string> found = [];
        while (true)
        {
            FrameStatus status = log.Read(out ReadOnlySpan<byte> payload);
            found.Add(status == FrameStatus.Frame ? Convert.ToHexString(payload) : $"{status} at {log.Position}");
            if (status == FrameStatus.Damaged) log.SkipDamage();
            else if (status != FrameStatus.Frame) return found;
        }
    }

    [Fact]
    public void Frames_are_read_from_span_sequence_stream_and_file()
    {
        (byte[] log, byte[][] payloads, _) = Log(300, seed: 9);
        string[] expected = [.. payloads.Select(Convert.ToHexString), $"End at {log.Length}"];
        using FrameReader stream = new(new MemoryStream(log), 9), sequence = new(ReaderTests.Cut(log, 100), 9);
        Assert.Equal(expected, ReadAll(stream));
        Assert.Equal(expected, ReadAll(sequence));
        using TempFolder folder = new();
        string path = Path.Combine(folder.Path, "log");
        File.WriteAllBytes(path, log);
        using FileStream file = File.OpenRead(path);
        using FrameReader handle = new(file, 9);
        Assert.Equal(expected, ReadAll(handle));
        int at = 0;
        foreach (byte[] payload in payloads)
        {
            Assert.Equal(OperationStatus.Done, Frame.Read(log.AsSpan(at), at, out ReadOnlySpan<byte> read, out int consumed, 9));
            Assert.True(read.SequenceEqual(payload));
            byte[] again = new byte[consumed];
            Assert.Equal(consumed, Frame.Write(again, payload, at, 9));
            Assert.True(again.AsSpan().SequenceEqual(log.AsSpan(at, consumed)));
            at += consumed;
        }
        Assert.Throws<ArgumentException>(() => Frame.Write(new byte[16], [1], 0));
    }

    [Fact]
    public void A_log_cut_anywhere_has_whole_frames_and_a_torn_end()
    {
        (byte[] log, byte[][] payloads, int[] starts) = Log(8);
        for (int length = 0; length <= log.Length; length++)
        {
            int whole = Enumerable.Range(0, 8).Count(i => starts[i] + 16 + payloads[i].Length <= length);
            int end = whole == 8 ? log.Length : starts[whole];
            using FrameReader reader = new(new MemoryStream(log, 0, length));
            List<string> found = ReadAll(reader);
            Assert.Equal([.. payloads.Take(whole).Select(Convert.ToHexString),
                $"{(end == length ? FrameStatus.End : whole == 0 ? FrameStatus.Unrecognized : FrameStatus.TornEnd)} at {end}"], found);
        }
    }

    [Fact]
    public void Any_bit_that_flips_costs_one_frame_and_reading_goes_on_after_it()
    {
        (byte[] log, byte[][] payloads, int[] starts) = Log(6);
        for (int at = 0; at < log.Length; at++)
        {
            log[at] ^= (byte)(1 << (at % 8));
            int hit = Array.FindLastIndex(starts, s => s <= at);
            using FrameReader reader = new(ReaderTests.Cut(log, 64));
            List<string> expected = [.. payloads.Select(Convert.ToHexString), $"End at {log.Length}"];
            expected[hit] = $"Damaged at {starts[hit]}";
            if (hit == 5)
            {
                expected.RemoveAt(6);
                expected[5] = $"TornEnd at {starts[5]}";
            }
            Assert.Equal(expected, ReadAll(reader));
            log[at] ^= (byte)(1 << (at % 8));
        }
    }

    [Fact]
    public void Frames_that_changed_places_or_are_of_another_log_are_no_frames()
    {
        byte[] first = new byte[20], second = new byte[20], log = new byte[40];
        Frame.Write(first, [1, 2, 3, 4], 0);
        Frame.Write(second, [5, 6, 7, 8], 20);
        second.CopyTo(log, 0);
        first.CopyTo(log, 20);
        using FrameReader exchanged = new(new MemoryStream(log));
        Assert.Equal(["Unrecognized at 0"], ReadAll(exchanged));
        first.CopyTo(log, 0);
        second.CopyTo(log, 20);
        using FrameReader other = new(new MemoryStream(log), seed: 1);
        Assert.Equal(["Unrecognized at 0"], ReadAll(other));
    }

    [Fact]
    public void The_position_and_the_length_are_under_the_checksum()
    {
        byte[] frame = new byte[20];
        Frame.Write(frame, [1, 2, 3, 4], 0x0102_0304_0506, seed: 9);
        byte[] summed = [.. frame[..4], .. frame[8..]];
        Assert.Equal(Checksum.Crc32C(9, summed), BitConverter.ToUInt32(frame, 4));
        Assert.Equal("04000000060504030201000001020304", Convert.ToHexString(summed));
        // Moved by somebody who knows the format but for the checksum.
        BitConverter.TryWriteBytes(frame.AsSpan(8), 20L);
        Assert.Equal(OperationStatus.InvalidData, Frame.Read(frame, 20, out _, out _, 9));
        using FrameReader reader = new(new MemoryStream([.. new byte[20], .. frame]), 9);
        Assert.Equal(["Unrecognized at 0"], ReadAll(reader));
    }

    [Fact]
    public void Room_that_nobody_used_is_the_end_and_a_lying_length_takes_no_memory()
    {
        (byte[] log, byte[][] payloads, _) = Log(3);
        using FrameReader zeros = new(new MemoryStream([.. log, .. new byte[200_000]]));
        Assert.Equal([.. payloads.Select(Convert.ToHexString), $"End at {log.Length}"], ReadAll(zeros));
        byte[] lying = new byte[16];
        BitConverter.TryWriteBytes(lying, int.MaxValue - 16);
        long before = GC.GetAllocatedBytesForCurrentThread();
        using FrameReader reader = new(new MemoryStream(lying), maxPayload: 1000);
        Assert.Equal(FrameStatus.Unrecognized, reader.Read(out _));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1 << 20);
        Assert.Throws<InvalidOperationException>(() => reader.SkipDamage());
    }

    [Fact]
    public void What_a_reader_cannot_recognize_is_not_called_torn()
    {
        (byte[] log, byte[][] payloads, int[] starts) = Log(6, seed: 9);
        using FrameReader otherSeed = new(new MemoryStream(log), 8), noLog = new(new MemoryStream(new string('x', 100).Select(c =>
            (byte)c).ToArray()));
        Assert.Equal(["Unrecognized at 0"], ReadAll(otherSeed));
        Assert.Equal(["Unrecognized at 0"], ReadAll(noLog));
        // The last frame is longer than this reader takes.
        byte[] longer = [.. log, .. new byte[16 + 300]];
        Frame.Write(longer.AsSpan(log.Length), new byte[300], log.Length, 9);
        using FrameReader limited = new(new MemoryStream(longer), 9, maxPayload: 299);
        Assert.Equal([.. payloads.Select(Convert.ToHexString), $"Unrecognized at {log.Length}"], ReadAll(limited));
        // Nothing tells a first frame that was cut off from the beginning of another kind of file.
        for (int length = 1; length < 16 + payloads[0].Length; length++)
        {
            using FrameReader cut = new(new MemoryStream(log, 0, length), 9);
            Assert.Equal(["Unrecognized at 0"], ReadAll(cut));
        }
    }

    /// <summary>The first 16 bytes of a text, a TIFF and an icon could be the header of a frame at position 0 that was cut off.</summary>
    [Theory]
    [InlineData("4142430020202020")]
    [InlineData("49492A0008000000")]
    [InlineData("0000010001002020")]
    public void A_file_of_another_kind_is_never_called_a_torn_log(string start)
    {
        byte[] file = [.. Convert.FromHexString(start), .. new byte[8], .. Enumerable.Repeat((byte)7, 500)];
        using FrameReader reader = new(new MemoryStream(file));
        Assert.Equal(["Unrecognized at 0"], ReadAll(reader));
    }

    [Fact]
    public void A_log_is_read_from_its_middle_and_in_several_files()
    {
        (byte[] log, byte[][] payloads, int[] starts) = Log(6);
        byte[] rest = log[starts[3]..];
        rest[^1] ^= 1;
        string[] expected = [.. payloads.Skip(3).Take(2).Select(Convert.ToHexString), $"TornEnd at {starts[5]}"];
        using TempFolder folder = new();
        string path = Path.Combine(folder.Path, "log.2");
        File.WriteAllBytes(path, rest);
        using FileStream file = File.OpenRead(path);
        using FrameReader stream = new(new MemoryStream(rest), position: starts[3]), handle = new(file, position: starts[3]);
        using FrameReader sequence = new(ReaderTests.Cut(rest, 50), position: starts[3]);
        Assert.Equal(expected, ReadAll(stream));
        Assert.Equal(expected, ReadAll(handle));
        Assert.Equal(expected, ReadAll(sequence));
    }

    [Fact]
    public void A_disposed_reader_does_not_say_that_the_log_has_ended()
    {
        (byte[] log, _, _) = Log(2);
        FrameReader reader = new(new MemoryStream(log));
        Assert.Equal(FrameStatus.Frame, reader.Read(out _));
        reader.Dispose();
        reader.Dispose();
        Assert.Throws<ObjectDisposedException>(() => reader.Read(out _));
    }

    [Fact]
    public void Damage_over_many_windows_is_searched_through()
    {
        byte[] log = new byte[500_016 + 20];
        Frame.Write(log, new byte[500_000], 0);
        Frame.Write(log.AsSpan(500_016), [1, 2, 3, 4], 500_016);
        log[0] ^= 1;
        using FrameReader reader = new(new MemoryStream(log));
        Assert.Equal(["Damaged at 0", "01020304", $"End at {log.Length}"], ReadAll(reader));
        Assert.Equal(500_016, reader.SkippedBytes);
    }
}
