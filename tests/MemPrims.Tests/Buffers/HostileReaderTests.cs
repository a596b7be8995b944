using System.Buffers;
using MemPrims.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Buffers;

/// <summary>Sources that lie about lengths, end anywhere, or lie in many pieces.</summary>
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
                    3 => (long)ReaderItems.ReadVarint(ref from),
                    4 => ReaderItems.ReadZigZag(ref from),
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
        Span<byte> room = stackalloc byte[64];
        if (from.Answer(ReaderItems.TryReadBlock(ref from, room, out int size)) is var status
            && status != OperationStatus.Done) return -(long)status;
        return size == 0 ? 0 : size * 256 + room[size - 1];
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
                else found += kind switch { 0 => from.Read<long>(), 1 => from.Read<ushort>(), 2 => from.Read<bool>() ? 1 : 0, 3 =>
                    (long)from.ReadVarint(), _ => from.ReadZigZag() } + " ";
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
                else found += kind switch { 0 => from.Read<long>(), 1 => from.Read<ushort>(), 2 => from.Read<bool>() ? 1 : 0, 3 =>
                    (long)from.ReadVarint(), _ => from.ReadZigZag() } + " ";
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
    public void A_key_that_goes_over_a_cut_takes_memory_in_proportion_to_itself()
    {
        byte[] key = new byte[2000], rest = new byte[64 << 20];
        key = key[..SortableKey.WriteText(key, new string('k', 1000))];
        SegmentReader from = new(ReaderTests.Join([key[..500], key[500..], rest]));
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Equal(OperationStatus.Done, from.Answer(from.TryReadSortableText(out string? text)));
        Assert.Equal(new string('k', 1000), text);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1 << 20);
    }

    [Fact]
    public void A_limit_on_sortable_parts_is_the_same_wherever_the_source_is_cut()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 4000 * Seeds.Scale; round++)
        {
            byte[] value = new byte[random.Next(40)], key = new byte[100];
            foreach (ref byte b in value.AsSpan()) b = (byte)(random.Next(3) == 0 ? 0 : random.Next(128));
            bool descending = random.Next(2) == 0;
            key = key[..SortableKey.WriteBlock(key, value, descending)];
            if (random.Next(4) == 0) key[random.Next(key.Length)] ^= (byte)random.Next(256);
            key = key[..random.Next(key.Length + 1)];
            int most = random.Next(45), room = random.Next(45);
            byte[] first = new byte[room], second = new byte[room];
            SpanReader whole = new(key) { MaxLength = most };
            SegmentReader pieces = new(ReaderTests.Cut(key, 1 + random.Next(5))) { MaxLength = most };
            OperationStatus expected = whole.Answer(whole.TryReadSortableBlock(first, out int written, descending));
            Assert.Equal(expected, pieces.Answer(pieces.TryReadSortableBlock(second, out int again, descending)));
            Assert.Equal((written, whole.Position), (again, pieces.Position));
            if (expected == OperationStatus.Done) Assert.Equal(first[..written], second[..written]);
            Assert.True(written <= most);
            (whole.Position, pieces.Position) = (0, 0);
            expected = whole.Answer(whole.TryReadSortableText(out string? text, descending));
            Assert.Equal(expected, pieces.Answer(pieces.TryReadSortableText(out string? same, descending)));
            Assert.Equal((text, whole.Position), (same, pieces.Position));
            Assert.True((text?.Length ?? 0) <= most);
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

    /// <summary>The RunningIndex of the last segment promises more bytes than there are.</summary>
    [Fact]
    public async Task A_sequence_that_lies_about_its_length_ends_in_an_error()
    {
        SegmentRead[] reads =
        [
            (ref SegmentReader from) => from.Read<long>(),
            (ref SegmentReader from) => { while (from.TryRead<short>(out _)) { } },
            (ref SegmentReader from) => { while (from.TryReadVarint(out _)) { } },
            (ref SegmentReader from) => from.TryReadBytes(new byte[(int)Math.Min(60, from.Remaining)]),
            (ref SegmentReader from) => from.TryReadBytes(from.Remaining, out ReadOnlySequence<byte> _),
            (ref SegmentReader from) => from.ReadSortableText(),
            (ref SegmentReader from) => from.Advance(from.Remaining),
        ];
        foreach (SegmentRead read in reads)
        foreach ((int first, int second, long gap) in new[] { (2, 2, 6L), (4, 4, 1L << 40), (0, 4, 99L) })
        {
            Task reading = Task.Run(() =>
            {
                SegmentReader from = new(Lying(first, second, gap));
                read(ref from);
            });
            Assert.Same(reading, await Task.WhenAny(reading, Task.Delay(TimeSpan.FromSeconds(20))));
            Exception error = await Assert.ThrowsAnyAsync<Exception>(() => reading);
            Assert.True(error is InvalidOperationException or ArgumentOutOfRangeException, $"{Array.IndexOf(reads, read)}: {error}");
        }
    }

    [Fact]
    public void A_frame_of_a_sequence_that_lies_about_its_length_is_not_published()
    {
        SegmentList list = new();
        Assert.Throws<InvalidOperationException>(() =>
        {
            using Appender to = new(list);
            to.WriteFrame(Lying(2, 2, 6), 0);
            to.Commit();
        });
        list.Append([1]);
        Assert.Equal([1], list.ToArray());
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
