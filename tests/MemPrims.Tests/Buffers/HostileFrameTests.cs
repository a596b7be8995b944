using System.Buffers;
using MemPrims.Buffers;

namespace MemPrims.Tests.Buffers;

/// <summary>Logs made to slow a reader down or to mislead it.</summary>
public class HostileFrameTests
{
    private const int Size = 256 << 10;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_log_of_false_headers_costs_work_in_proportion_to_its_length(bool growing)
    {
        byte[] log = new byte[Size];
        for (int at = 0; at + 16 <= Size; at += 16) Header(log, at, growing ? Math.Min(100_000 + 2 * at, Size - at - 16) : Size - at - 16);
        using FrameReader reader = new(new MemoryStream(log));
        Assert.Equal(FrameStatus.Unrecognized, reader.Read(out _));
        // A sum for each header would be 8,000 times the log, and a move of the window for each the same.
        Assert.InRange(reader.SummedBytes, Size / 2, 200L * Size);
        Assert.InRange(reader.MovedBytes, 0, 8L * Size);
    }

    [Fact]
    public void Headers_that_each_ask_for_nearly_the_whole_window_do_not_move_it_each_time()
    {
        // Each needs 128 KiB from its place on, which is what the pool gives: without the doubling the window moves for each of them.
        byte[] log = new byte[4 * Size];
        for (int at = 0; at + 16 <= log.Length; at += 16) Header(log, at, (128 << 10) - 16);
        using FrameReader reader = new(new MemoryStream(log));
        Assert.Equal(FrameStatus.Unrecognized, reader.Read(out _));
        Assert.InRange(reader.MovedBytes, log.Length / 8, 4L * log.Length);
    }

    [Theory]
    [InlineData(1 << 30)]
    [InlineData(Frame.MaxPayload)]
    public void A_first_length_that_lies_takes_no_more_memory_than_the_source_has(int length)
    {
        byte[] log = new byte[Size];
        Header(log, 0, length);
        Frame.Write(log.AsSpan(Size - 17), [1], Size - 17);
        foreach (int pieces in new[] { Size, 777 })
        {
            using FrameReader reader = new(new PiecemealStream(log, pieces), maxPayload: int.MaxValue);
            long before = GC.GetAllocatedBytesForCurrentThread();
            Assert.Equal(FrameStatus.Damaged, reader.Read(out _));
            // Windows of 64 KiB and twice that each time, up to what has room for one more byte than the source.
            Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 4L * Size + (128 << 10));
            reader.SkipDamage();
            Assert.Equal(FrameStatus.Frame, reader.Read(out ReadOnlySpan<byte> payload));
            Assert.Equal(1, payload[0]);
            Assert.Equal(FrameStatus.End, reader.Read(out _));
        }
    }

    [Theory]
    [InlineData(int.MaxValue)]
    [InlineData(-1)]
    public void A_stream_that_claims_what_it_has_no_room_for_is_named(int claimed)
    {
        using FrameReader reader = new(new LyingStream(claimed));
        Assert.Contains("The stream", Assert.Throws<IOException>(() => reader.Read(out _)).Message);
    }

    private sealed class LyingStream(int claimed) : MemoryStream
    {
        public override int Read(Span<byte> buffer) => claimed;
    }

    [Fact]
    public void A_payload_of_many_windows_arrives_in_small_pieces()
    {
        byte[] payload = new byte[3_000_000], log = new byte[16 + payload.Length];
        Seeds.Random().NextBytes(payload);
        Frame.Write(log, payload, 0);
        using FrameReader reader = new(new PiecemealStream(log, 5000));
        Assert.Equal(FrameStatus.Frame, reader.Read(out ReadOnlySpan<byte> read));
        Assert.True(read.SequenceEqual(payload));
        Assert.InRange(reader.MovedBytes, 0, 2L * log.Length);
        Assert.Equal(log.Length - 16, reader.SummedBytes);
    }

    [Fact]
    public void False_headers_between_good_frames_cost_no_more()
    {
        byte[] log = new byte[Size];
        int frames = 0;
        for (int at = 0; at + 40 <= Size; at += 33, frames++)
        {
            Header(log, at, Size - at - 16);
            Frame.Write(log.AsSpan(at + 16), [1], at + 16);
        }
        using FrameReader reader = new(new MemoryStream(log));
        int found = 0;
        FrameStatus status;
        while ((status = reader.Read(out _)) is FrameStatus.Frame or FrameStatus.Damaged)
            if (status == FrameStatus.Damaged) reader.SkipDamage();
            else found++;
        Assert.Equal(frames, found);
        Assert.InRange(reader.SummedBytes, Size / 2, 200L * Size);
    }

    [Fact]
    public void A_search_finds_what_trying_every_position_finds()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 60 * Seeds.Scale; round++)
        {
            MemoryStream made = new();
            uint seed = (uint)random.Next(3);
            while (made.Length < 300_000)
            {
                int at = (int)made.Length;
                byte[] piece = new byte[16 + (random.Next(3) == 0 ? random.Next(100_000) : random.Next(5000))];
                random.NextBytes(piece);
                if (random.Next(3) > 0) Frame.Write(piece, piece.AsSpan(16).ToArray(), at, seed);
                else if (random.Next(2) == 0) Header(piece, 0, random.Next(200_000), at);
                made.Write(piece);
            }
            byte[] log = made.ToArray();
            if (random.Next(2) == 0) log = log[..random.Next(log.Length)];
            using FrameReader reader = new(new MemoryStream(log), seed);
            List<(int, int)> expected = [], found = [];
            for (int at = 0; at < log.Length;)
            {
                if (Frame.Read(log.AsSpan(at), at, out ReadOnlySpan<byte> payload, out int consumed,
                    seed) != OperationStatus.Done) consumed = 1;
                else expected.Add((at, payload.Length));
                at += consumed;
            }
            FrameStatus status;
            long place = 0;
            while ((status = reader.Read(out ReadOnlySpan<byte> payload)) is FrameStatus.Frame or FrameStatus.Damaged)
            {
                if (status == FrameStatus.Damaged) reader.SkipDamage();
                else
                {
                    Assert.True(payload.SequenceEqual(log.AsSpan((int)place + 16, payload.Length)));
                    found.Add(((int)place, payload.Length));
                }
                place = reader.Position;
            }
            Assert.Equal(expected, found);
        }
    }

    /// <summary>Gives at most so many bytes at once, and cannot seek.</summary>
    private sealed class PiecemealStream(byte[] content, int most) : MemoryStream(content)
    {
        public override bool CanSeek => false;

        public override int Read(Span<byte> buffer) => base.Read(buffer[..Math.Min(buffer.Length, most)]);
    }

    private static void Header(byte[] log, int at, int length, long? position = null)
    {
        BitConverter.TryWriteBytes(log.AsSpan(at), length);
        BitConverter.TryWriteBytes(log.AsSpan(at + 8), position ?? at);
    }
}
