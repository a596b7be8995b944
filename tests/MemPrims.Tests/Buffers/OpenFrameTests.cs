using System.Buffers;
using MemPrims.Buffers;

namespace MemPrims.Tests.Buffers;

/// <summary>Frames that are begun and ended on an appender, and frames around bytes that lie in several pieces.</summary>
public class OpenFrameTests
{
    [Fact]
    public void A_frame_that_was_opened_is_the_frame_of_its_bytes_wherever_segments_end()
    {
        Random random = Seeds.Random();
        SegmentList list = new();
        List<byte> expected = [];
        byte[] payload = new byte[9000];
        for (int i = 0; i < 400; i++)
        {
            int before = random.Next(3) == 0 ? random.Next(5000) : 0, length = random.Next(3) == 0 ? random.Next(9000) : random.Next(100);
            random.NextBytes(payload);
            byte[] frame = new byte[Frame.Size(length)];
            Frame.Write(frame, payload.AsSpan(0, length), expected.Count + before, seed: 7);
            using Appender to = new(list);
            to.Write(new byte[before]);
            to.BeginFrame(to.Position, seed: 7);
            Assert.Equal(0, to.Written.Slice(before).ToArray().Max());
            int cut = random.Next(length + 1);
            to.Write(payload.AsSpan(0, cut));
            to.Write(payload.AsSpan(cut, length - cut));
            Assert.Equal(frame.Length, to.EndFrame());
            to.Commit();
            expected.AddRange(new byte[before]);
            expected.AddRange(frame);
        }
        Assert.Equal(expected.ToArray(), list.ToArray());
    }

    [Fact]
    public void All_appenders_open_frames()
    {
        byte[] expected = new byte[Frame.Size(8)];
        Frame.Write(expected, BitConverter.GetBytes(42L), 100, 3);
        SegmentList list = new();
        Appender growing = new(list);
        Put(ref growing);
        Assert.Equal(expected, Taken(list));
        ReservedAppender reserved = new(list, expected.Length);
        Put(ref reserved);
        Assert.Equal(expected, Taken(list));
        UnsafeAppender unchecked_ = new(list, expected.Length);
        Put(ref unchecked_);
        Assert.Equal(expected, Taken(list));

        static void Put<TAppender>(ref TAppender to)
            where TAppender : struct, IAppender, allows ref struct
        {
            to.BeginFrame(100, 3);
            to.Write(42L);
            to.EndFrame();
            to.Commit();
        }

        static byte[] Taken(SegmentList list)
        {
            byte[] all = list.ToArray();
            list.Clear();
            return all;
        }
    }

    private delegate void Use(ref Appender to);

    [Fact]
    public void A_frame_that_is_not_right_publishes_nothing_and_closes_the_appender()
    {
        (Use Use, string Says)[] wrong =
        [
            (static (ref Appender to) => { to.BeginFrame(0); to.Commit(); }, "not ended"),
            (static (ref Appender to) => to.EndFrame(), "without BeginFrame"),
            (static (ref Appender to) => { to.BeginFrame(0); to.EndFrame(); to.EndFrame(); }, "without BeginFrame"),
            (static (ref Appender to) => { to.BeginFrame(0); to.BeginFrame(20); }, "begun a frame already"),
            (static (ref Appender to) => to.BeginFrame(-1), "never negative"),
            (static (ref Appender to) => to.WriteFrame([1], -1), "never negative"),
            (static (ref Appender to) => to.WriteFrame(new byte[5000], -1), "never negative"),
            (static (ref Appender to) => { to.BeginFrame(0); to.LeaveHole(4); to.EndFrame(); }, "hole of 4 bytes at position 18"),
        ];
        foreach ((Use use, string says) in wrong)
        {
            SegmentList list = new();
            list.Append([1]);
            Appender to = new(list);
            to.Write((byte)2);
            string? said = null;
            try
            {
                use(ref to);
            }
            catch (Exception thrown)
            {
                said = thrown.Message;
            }
            Assert.Contains(says, said);
            bool isClosed = false;
            try
            {
                to.Write((byte)3);
            }
            catch (InvalidOperationException)
            {
                isClosed = true;
            }
            Assert.True(isClosed, says);
            Assert.Equal([1], list.ToArray());
            // Nothing of the frame is left for the next appender.
            using Appender next = new(list);
            next.BeginFrame(0);
            next.EndFrame();
            next.Commit();
            Assert.Equal(17, list.Length);
        }
    }

    [Fact]
    public void A_hole_before_the_frame_may_still_be_open_and_one_inside_is_filled_first()
    {
        SegmentList list = new();
        using Appender to = new(list);
        Hole before = to.LeaveHole(4);
        to.BeginFrame(0);
        Hole inside = to.LeaveHole(4);
        inside.Fill(7);
        to.EndFrame();
        before.Fill(9);
        to.Commit();
        Assert.Equal(OperationStatus.Done, Frame.Read(list.ToArray().AsSpan(4), 0, out ReadOnlySpan<byte> payload, out _));
        Assert.Equal([7, 0, 0, 0], payload.ToArray());
    }

    [Fact]
    public void A_dropped_frame_is_forgotten()
    {
        SegmentList list = new();
        using (Appender dropped = new(list)) dropped.BeginFrame(0);
        using Appender to = new(list);
        to.Write((byte)1);
        to.Commit();
        Assert.Equal(1, list.Length);
    }

    private readonly struct Framer : IEncodable<Framer>
    {
        public static int Bound(in Framer value) => 100;

        public static void Encode(in Framer value, ref UnsafeAppender to) => to.BeginFrame(0);
    }

    [Fact]
    public void A_value_that_encodes_itself_opens_no_frame()
    {
        SegmentList list = new();
        Assert.Contains("begin frames", Assert.Throws<InvalidOperationException>(() => list.Append(new Framer())).Message);
        Assert.Equal(0, list.Length);
    }

    [Fact]
    public void A_frame_around_pieces_is_the_frame_around_their_bytes()
    {
        Random random = Seeds.Random();
        for (int i = 0; i < 200; i++)
        {
            byte[] payload = new byte[random.Next(300)], frame = new byte[Frame.Size(payload.Length)];
            random.NextBytes(payload);
            long position = random.NextInt64(1L << 40);
            uint seed = (uint)random.Next();
            Frame.Write(frame, payload, position, seed);
            ReadOnlySequence<byte> pieces = payload.Length == 0 ? default : ReaderTests.Cut(payload, random.Next(1, 100));
            SegmentList list = new();
            // Near the end of the first segment too.
            list.Append(new byte[random.Next(2) == 0 ? 0 : random.Next(3900, 4096)]);
            int start = (int)list.Length;
            using Appender to = new(list);
            to.BeginFrame(position, seed);
            foreach (ReadOnlyMemory<byte> piece in pieces) to.Write(piece.Span);
            Assert.Equal(frame.Length, to.EndFrame());
            Assert.Equal(frame.Length, to.WriteFrame(payload, position, seed));
            to.Commit();
            Assert.Equal([.. frame, .. frame], list.ToArray()[start..]);
        }
    }

    [Fact]
    public void A_frame_that_begins_and_ends_in_new_segments_is_summed_from_its_own_first_byte()
    {
        Random random = Seeds.Random();
        byte[] bytes = new byte[40_000];
        random.NextBytes(bytes);
        // The first segments of a list have 4 and 8 KiB. So the appender, the header and the end lie in up to three segments.
        foreach (int before in new[] { 0, 4079, 4080, 4081, 4096, 5000, 12_271, 12_272, 12_273, 12_288, 13_000 })
            foreach (int length in new[] { 0, 1, 4000, 8000, 8176, 8177, 20_000, 40_000 })
            {
                byte[] frame = new byte[Frame.Size(length)];
                Frame.Write(frame, bytes.AsSpan(0, length), 3, seed: 7);
                SegmentList list = new();
                using Appender to = new(list);
                to.Write(bytes.AsSpan(0, before));
                to.BeginFrame(3, seed: 7);
                to.Write(bytes.AsSpan(0, length));
                Assert.Equal(frame.Length, to.EndFrame());
                to.Commit();
                Assert.True(frame.AsSpan().SequenceEqual(list.ToArray().AsSpan(before)), $"{length} bytes after {before}");
            }
    }

    [Fact]
    public void A_frame_longer_than_the_limit_is_damage_wherever_the_log_lies()
    {
        SegmentList list = new();
        using (Appender to = new(list))
        {
            foreach (int length in new[] { 10, 299, 300, 10 }) to.WriteFrame(new byte[length], to.Position);
            to.Commit();
        }
        byte[] log = list.ToArray();
        FrameReader[] readers =
        [
            new(log, maxPayload: 299), new(ReaderTests.Cut(log, 50), maxPayload: 299), new(new MemoryStream(log), maxPayload: 299),
        ];
        foreach (FrameReader reader in readers)
        {
            foreach (int length in new[] { 10, 299 })
            {
                Assert.Equal(FrameStatus.Frame, reader.Read(out ReadOnlySpan<byte> payload));
                Assert.Equal(length, payload.Length);
            }
            Assert.Equal(FrameStatus.Damaged, reader.Read(out _));
            reader.SkipDamage();
            Assert.Equal(316, reader.SkippedBytes);
            Assert.Equal(FrameStatus.Frame, reader.Read(out ReadOnlySpan<byte> last));
            Assert.Equal(10, last.Length);
            Assert.Equal(FrameStatus.End, reader.Read(out _));
            reader.Dispose();
        }
    }

    [Fact]
    public void A_whole_frame_may_lie_in_an_open_one_and_a_lost_one_is_forgotten()
    {
        SegmentList list = new();
        Appender lost = new(list);
        lost.BeginFrame(0);
        list.Abandon();
        using Appender to = new(list);
        to.BeginFrame(0);
        Assert.Equal(20, to.WriteFrame([1, 2, 3, 4], 16));
        Assert.Equal(36, to.EndFrame());
        to.Commit();
        byte[] outer = list.ToArray();
        Assert.Equal(OperationStatus.Done, Frame.Read(outer, 0, out ReadOnlySpan<byte> inner, out int consumed));
        Assert.Equal(36, consumed);
        Assert.Equal(OperationStatus.Done, Frame.Read(inner, 16, out ReadOnlySpan<byte> payload, out _));
        Assert.Equal([1, 2, 3, 4], payload.ToArray());
    }

    [Fact]
    public void A_reservation_too_small_for_a_frame_publishes_nothing_of_it()
    {
        foreach (int room in new[] { 0, 15, 16, 17, 19 })
        {
            SegmentList list = new();
            Assert.Throws<InvalidOperationException>(() =>
            {
                using ReservedAppender to = new(list, room);
                to.WriteFrame([1, 2, 3, 4], 0);
                to.Commit();
            });
            Assert.Equal(0, list.Length);
        }
    }

    [Fact]
    public void Sizes_and_headers_out_of_range_are_refused()
    {
        Assert.Equal(16, Frame.Size(0));
        Assert.Equal(int.MaxValue, Frame.Size(Frame.MaxPayload));
        Assert.Throws<ArgumentOutOfRangeException>(() => Frame.Size(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => Frame.Size(Frame.MaxPayload + 1));
        byte[] place = new byte[20];
        Assert.Throws<ArgumentException>(() => Frame.Write(place, new byte[5], 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => Frame.Write(place, new byte[4], -1));
        Assert.Equal(new byte[20], place);
    }

    [Fact]
    public void A_log_in_an_array_is_read_as_one_in_a_stream_whatever_is_damaged()
    {
        Random random = Seeds.Random();
        SegmentList list = new();
        using (Appender to = new(list))
        {
            for (int i = 0; i < 8; i++) to.WriteFrame(new byte[random.Next(40)], 1000 + to.Position, 5);
            to.Commit();
        }
        byte[] log = list.ToArray();
        for (int at = 0; at < log.Length; at++)
        {
            byte[] damaged = [1, 2, 3, .. log, 4, 5, 6, 7];
            damaged[3 + at] ^= (byte)(1 << random.Next(8));
            int length = random.Next(4) == 0 ? random.Next(log.Length) : log.Length;
            using FrameReader memory = new(damaged.AsMemory(3, length), 5, position: 1000);
            using FrameReader stream = new(new MemoryStream(damaged, 3, length), 5, position: 1000);
            while (true)
            {
                FrameStatus expected = stream.Read(out ReadOnlySpan<byte> wanted), found = memory.Read(out ReadOnlySpan<byte> payload);
                Assert.Equal((expected, stream.Position, stream.SkippedBytes), (found, memory.Position, memory.SkippedBytes));
                Assert.True(wanted.SequenceEqual(payload));
                if (found == FrameStatus.Damaged)
                {
                    stream.SkipDamage();
                    memory.SkipDamage();
                }
                else if (found != FrameStatus.Frame) break;
            }
        }
        FrameReader gone = new(log, 5, position: 1000);
        gone.Dispose();
        Assert.Throws<ObjectDisposedException>(() => gone.Read(out _));
        // The array was never the pool's.
        Assert.NotSame(log, ArrayPool<byte>.Shared.Rent(log.Length));
    }
}
