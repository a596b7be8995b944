using System.Buffers;
using MemPrims.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Buffers;

// Sources that lie about lengths, end anywhere, or lie in many pieces.
public class HostileReaderTests
{
    [Fact]
    public void The_short_ways_of_the_span_reader_answer_as_the_common_ones_do()
    {
        Random random = Seeds.Random();
        using GuardedMemory guarded = new(64);
        for (int round = 0; round < 30_000 * Seeds.Scale; round++)
        {
            Span<byte> bytes = ReaderTests.AtEnd(guarded, random.Next(30));
            random.NextBytes(bytes);
            for (int i = 0; i < bytes.Length; i++)
                if (random.Next(2) == 0) bytes[i] |= 0x80;
            ReadOnlySequence<byte> pieces = ReaderTests.Cut(bytes.ToArray(), 1 + random.Next(9));
            int first = random.Next(6), second = random.Next(6);
            string expected = Common(new SpanReader(bytes), first, second);
            Assert.Equal(expected, Direct(new SpanReader(bytes), first, second));
            Assert.Equal(expected, Direct(new SegmentReader(pieces), first, second));
        }
    }

    private static string Common(SpanReader from, int first, int second)
    {
        string found = "";
        try
        {
            foreach (int kind in new[] { first, second, first })
                found += kind switch
                {
                    0 => from.Read<long>(),
                    1 => from.Read<ushort>(),
                    2 => from.Read<bool>() ? 1 : 0,
                    3 => (long)from.Read<Varint, ulong>(),
                    4 => Varint.UnZigZag(from.Read<Varint, ulong>()),
                    _ => Block(ref from),
                } + " ";
        }
        catch (DamagedDataException e)
        {
            found += e.Message;
        }
        return found + from.Position;
    }

    // Not TryReadBlock, which has a short way of its own.
    private static long Block(ref SpanReader from)
    {
        long start = from.Position;
        if (!from.TryRead<PackedLength, ulong>(out ulong length)) return -(long)from.Status;
        if (length > (ulong)from.Remaining)
        {
            from.Position = start;
            return -(long)(length > int.MaxValue ? OperationStatus.InvalidData : OperationStatus.NeedMoreData);
        }
        return from.ReadBytes((int)length) is [.., var last] ? (long)length * 256 + last : 0;
    }

    private static string Direct(SpanReader from, int first, int second)
    {
        string found = "";
        try
        {
            foreach (int kind in new[] { first, second, first })
            {
                if (kind == 5)
                {
                    OperationStatus status = from.Answer(from.TryReadBlock(out ReadOnlySpan<byte> block));
                    found += (status != OperationStatus.Done ? -(long)status : block.IsEmpty ? 0 : block.Length * 256 + block[^1]) + " ";
                }
                else found += kind switch
                {
                    0 => from.Read<long>(),
                    1 => from.Read<ushort>(),
                    2 => from.Read<bool>() ? 1 : 0,
                    3 => (long)from.ReadVarint(),
                    _ => from.ReadZigZag(),
                } + " ";
            }
        }
        catch (DamagedDataException e)
        {
            found += e.Message;
        }
        return found + from.Position;
    }

    private static string Direct(SegmentReader from, int first, int second)
    {
        string found = "";
        try
        {
            foreach (int kind in new[] { first, second, first })
            {
                if (kind == 5)
                {
                    // By copy, or where it lies.
                    byte[] bytes = new byte[64];
                    OperationStatus status;
                    if (second % 2 == 0)
                    {
                        status = from.Answer(from.TryReadBlock(bytes, out int size));
                        bytes = bytes[..size];
                    }
                    else
                    {
                        status = from.Answer(from.TryReadBlock(out ReadOnlySequence<byte> block));
                        bytes = block.ToArray();
                    }
                    found += (status != OperationStatus.Done ? -(long)status : bytes.Length == 0 ? 0
                        : bytes.Length * 256 + bytes[^1]) + " ";
                }
                else found += kind switch
                {
                    0 => from.Read<long>(),
                    1 => from.Read<ushort>(),
                    2 => from.Read<bool>() ? 1 : 0,
                    3 => (long)from.ReadVarint(),
                    _ => from.ReadZigZag(),
                } + " ";
            }
        }
        catch (DamagedDataException e)
        {
            found += e.Message;
        }
        return found + from.Position;
    }

    [Fact]
    public void A_length_near_two_GiB_that_the_source_could_have_is_refused()
    {
        // 2.5 GiB: one array, forty times.
        byte[] zeros = new byte[64 << 20], head = new byte[PackedLength.MaxSize];
        head = head[..PackedLength.Write(head, int.MaxValue)];
        ReadOnlySequence<byte> source = ReaderTests.Join([head, .. Enumerable.Repeat(zeros, 40)]);
        SegmentReader from = new(source);
        Assert.Equal(OperationStatus.InvalidData, from.Answer(from.TryReadText(out _)));
        Assert.Equal(0, from.Position);
        Assert.Equal(OperationStatus.DestinationTooSmall, from.Answer(from.TryReadBlock(new byte[9], out _)));
        Assert.Equal(OperationStatus.Done, from.Answer(from.TryReadBlock(out ReadOnlySequence<byte> block)));
        Assert.Equal(int.MaxValue, block.Length);
        Assert.Equal(head.Length + (long)int.MaxValue, from.Position);
        foreach (ulong length in new ulong[] { 1UL << 31, 1UL << 32, ulong.MaxValue, int.MaxValue })
        {
            byte[] lying = new byte[PackedLength.MaxSize];
            lying = [.. lying[..PackedLength.Write(lying, length)], 1, 2, 3];
            SpanReader short_ = new(lying);
            OperationStatus expected = length > int.MaxValue ? OperationStatus.InvalidData : OperationStatus.NeedMoreData;
            Assert.Equal(expected, short_.Answer(short_.TryReadBlock(out _)));
            Assert.Equal(expected, short_.Answer(short_.TryReadText(out _)));
            Assert.Equal(0, short_.Position);
        }
    }

    [Fact]
    public void A_limit_below_zero_is_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new SpanReader([]) { MaxLength = -1 }.Position);
        Assert.Throws<ArgumentOutOfRangeException>(() => new SegmentReader(default) { MaxLength = -1 }.Position);
    }

    [Fact]
    public void A_read_goes_on_from_where_it_is_and_not_from_the_beginning_of_the_source()
    {
        SegmentList list = new();
        Appender to = new(list);
        for (int i = 0; i < 20; i++)
        {
            to.Write((long)i);
            to.WriteText($"text {i}");
            to.WriteVarint(1_000_000 + i);
            to.WriteBlock(new byte[i]);
        }
        to.Commit();
        Piece[] pieces = [.. list.ToArray().Chunk(3).Select(part => new Piece(part))];
        for (int i = 1; i < pieces.Length; i++) pieces[i - 1].Link(pieces[i]);
        SegmentReader from = new(new(pieces[0], 0, pieces[^1], pieces[^1].Memory.Length));
        int cut = 0;
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal(i, from.Read<long>());
            Assert.Equal(OperationStatus.Done, from.Answer(from.TryReadText(out string? text)));
            Assert.Equal($"text {i}", text);
            Assert.Equal(1_000_000UL + (ulong)i, from.ReadVarint());
            Assert.Equal(OperationStatus.Done, from.Answer(from.TryReadBlock(out ReadOnlySequence<byte> block)));
            Assert.Equal(i, block.Length);
            // Whoever begins at the first piece again comes no further than to this place.
            for (; cut < from.Position / 3 - 1; cut++) pieces[cut].Link(null);
        }
        Assert.Equal(0, from.Remaining);
        Assert.True(cut > 100);
    }

    private delegate void SegmentRead(ref SegmentReader from);

    // The RunningIndex of the last segment promises more bytes than there are, or fewer.
    [Fact]
    public async Task A_sequence_that_lies_about_its_length_ends_in_an_error()
    {
        SegmentRead[] reads =
        [
            (ref SegmentReader from) => from.Read<long>(),
            (ref SegmentReader from) => { while (from.TryRead<short>(out _)) { } },
            (ref SegmentReader from) => { while (from.TryReadVarint(out _)) { } },
            (ref SegmentReader from) => from.TryReadBytes(from.Remaining, out ReadOnlySequence<byte> _),
            (ref SegmentReader from) => from.Advance(from.Remaining),
        ];
        foreach (SegmentRead read in reads)
            foreach ((int first, int second, long gap) in new[]
                { (2, 2, 6L), (4, 4, 1L << 40), (0, 4, 99L), (4, 4, -2L), (4, 40, -4L), (9, 1, -1L), (9, 0, -9L) })
            {
                Task reading = Task.Run(() =>
                {
                    SegmentReader from = new(Lying(first, second, gap));
                    read(ref from);
                    Assert.True(from.Position <= first + second + gap);
                });
                Assert.Same(reading, await Task.WhenAny(reading, Task.Delay(TimeSpan.FromSeconds(20))));
                // A length that ends with the first segment shows no lie: what is read ends there too.
                if (reading.IsCompletedSuccessfully && second + gap == 0) continue;
                Exception error = await Assert.ThrowsAnyAsync<Exception>(() => reading);
                // A read past a length that is too small is one past the end.
                Assert.True(error is InvalidOperationException or ArgumentOutOfRangeException || gap < 0 && error is DamagedDataException,
                    $"{Array.IndexOf(reads, read)}: {error}");
            }
    }

    private static ReadOnlySequence<byte> Lying(int first, int second, long gap)
    {
        Piece start = new([.. Enumerable.Repeat((byte)0x41, first)]), end = new([.. Enumerable.Repeat((byte)0x0B, second)]);
        start.Link(end, gap);
        return new(start, 0, end, second);
    }

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public Piece(byte[] bytes) => Memory = bytes;

        public void Link(Piece? next, long gap = 0)
        {
            Next = next;
            if (next is not null) next.RunningIndex = RunningIndex + Memory.Length + gap;
        }
    }
}
