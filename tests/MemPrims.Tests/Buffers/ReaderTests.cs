using System.Buffers;
using System.Runtime.CompilerServices;
using MemPrims.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Buffers;

// What the appenders write, both readers read back, wherever a sequence is cut, and never past its end.
public class ReaderTests
{
    private static readonly Guid s_guid = new("00112233-4455-6677-8899-aabbccddeeff");

    [Fact]
    public void Both_readers_read_what_every_appender_writes()
    {
        SegmentList list = new();
        using (Appender to = new(list))
        {
            ref Appender generic = ref System.Runtime.CompilerServices.Unsafe.AsRef(in to);
            WriteAll(ref generic);
            to.Commit();
        }
        byte[] bytes = list.ToArray();
        SegmentList reserved = new();
        ReservedAppender second = new(reserved, bytes.Length);
        WriteAll(ref second);
        second.Commit();
        Assert.Equal(bytes, reserved.ToArray());
        SegmentList trusted = new();
        UnsafeAppender third = new(trusted, bytes.Length);
        WriteAll(ref third);
        third.Commit();
        Assert.Equal(bytes, trusted.ToArray());

        SpanReader span = new(bytes);
        ReadAll(ref span);
        foreach (int size in new[] { 1, 2, 3, 7, 64, bytes.Length })
        {
            SegmentReader segments = new(Cut(bytes, size));
            ReadAll(ref segments);
        }
    }

    [Fact]
    public void A_source_that_ends_too_soon_is_told_from_a_wrong_one_and_moves_nothing()
    {
        SegmentList list = new();
        Appender to = new(list);
        WriteAll(ref to);
        to.Commit();
        byte[] bytes = list.ToArray();
        for (int length = 0; length < bytes.Length; length++)
        {
            using GuardedMemory guarded = new(length);
            bytes.AsSpan(0, length).CopyTo(AtEnd(guarded, length));
            try
            {
                SpanReader from = new(AtEnd(guarded, length));
                ReadAll(ref from);
                Assert.Fail($"All was read from {length} of {bytes.Length} bytes.");
            }
            catch (DamagedDataException cut)
            {
                Assert.InRange(cut.Offset, 0, length);
            }
        }
        SpanReader wrong = new([2, 0x80, 0x00, 0xFF, 0x7F]);
        Assert.Equal(OperationStatus.InvalidData, wrong.Answer(wrong.TryRead(out bool _)));
        Assert.Equal(0, wrong.Position);
        wrong.Advance(1);
        Assert.Equal(OperationStatus.InvalidData, wrong.Answer(wrong.TryReadVarint(out _)));
        Assert.Equal(1, wrong.Position);
        wrong.Position = 3;
        Assert.Equal(OperationStatus.NeedMoreData, wrong.Answer(wrong.TryRead<PackedLength, ulong>(out _)));
        Assert.Equal(OperationStatus.NeedMoreData, wrong.Answer(wrong.TryRead(out int _)));
        Assert.Equal(3, wrong.Position);
    }

    [Fact]
    public void A_lying_length_is_refused_before_memory_is_taken_and_slices_are_not_copied()
    {
        byte[] bytes = [3, 1, 2, 3, 0xFF, 0x00, 0x7F, 0x7F, 0xFF, 9];
        SpanReader from = new(bytes) { MaxLength = 100 };
        Assert.Equal(OperationStatus.Done, from.Answer(from.TryReadBlock(out ReadOnlySpan<byte> block)));
        Assert.True(block.Overlaps(bytes, out int at) && at == -1 && block.Length == 3);
        Assert.Equal(OperationStatus.InvalidData, from.Answer(from.TryReadBlock(out block)));
        Assert.Equal(OperationStatus.InvalidData, from.Answer(from.TryReadText(out _)));
        Assert.Equal(4, from.Position);
        SegmentReader segments = new(Cut(bytes, 2)) { MaxLength = 2 };
        Assert.Equal(OperationStatus.InvalidData, segments.Answer(segments.TryReadBlock(out ReadOnlySequence<byte> _)));
        Assert.Equal(0, segments.Position);
        segments = new(Cut(bytes, 2));
        Assert.Equal(OperationStatus.Done, segments.Answer(segments.TryReadBlock(out ReadOnlySequence<byte> sequence)));
        Assert.Equal(new byte[] { 1, 2, 3 }, sequence.ToArray());
        segments.Position = 1;
        Assert.Equal(OperationStatus.Done, segments.Answer(segments.TryReadBytes(3, out sequence)));
        Assert.Equal(new byte[] { 1, 2, 3 }, sequence.ToArray());
        Assert.Equal(6, segments.Remaining);
        Assert.Equal(OperationStatus.NeedMoreData, segments.Answer(segments.TryReadBytes(7, out sequence)));
        try
        {
            segments.Advance(7);
            Assert.Fail("It went past the end.");
        }
        catch (ArgumentOutOfRangeException)
        {
        }
    }

    [Fact]
    public void Whatever_bytes_come_no_read_leaves_the_source()
    {
        Random random = Seeds.Random();
        using GuardedMemory guarded = new(24);
        for (int round = 0; round < 20_000 * Seeds.Scale; round++)
        {
            byte[] bytes = new byte[random.Next(24)];
            random.NextBytes(bytes);
            if (random.Next(2) == 0) bytes.AsSpan().Replace((byte)(random.Next(256)), (byte)0xFF);
            bytes.CopyTo(AtEnd(guarded, bytes.Length));
            SpanReader span = new(AtEnd(guarded, bytes.Length));
            SegmentReader cut = new(Cut(bytes, 1 + random.Next(4)));
            while (true)
            {
                int kind = random.Next(7);
                (OperationStatus status, object? value) = ReadOne(ref span, kind);
                Assert.Equal((status, value), ReadOne(ref cut, kind));
                Assert.Equal(span.Position, cut.Position);
                if (status != OperationStatus.Done || span.Remaining == 0) break;
            }
        }
    }

    [Fact]
    public void The_three_appenders_have_the_same_members()
    {
        string[] first = Members(typeof(Appender)), reserved = Members(typeof(ReservedAppender));
        Assert.Equal(15, first.Length);
        Assert.Equal(["get_RoomLeft()"], reserved.Except(first));
        Assert.Empty(first.Except(reserved));
        Assert.Equal(reserved, Members(typeof(UnsafeAppender)));
        Assert.Empty(Members(typeof(IAppender)).Except(first));

        static string[] Members(Type type) => [.. type.GetMethods().Where(m => m.DeclaringType == type).Select(m =>
            $"{m.Name}({string.Join(", ", m.GetParameters().Select(p => p.ParameterType))})").Order()];
    }

    [Fact]
    public void A_bool_of_any_other_byte_is_damage_and_never_reaches_the_caller()
    {
        for (int other = 2; other <= byte.MaxValue; other++)
        {
            byte[] bytes = [1, (byte)other, 0];
            SpanReader span = new(bytes);
            RefuseBool(ref span);
            SegmentReader whole = new(new ReadOnlySequence<byte>(bytes));
            RefuseBool(ref whole);
            using SegmentList list = new();
            list.Append(bytes[..1]);
            list.Append(bytes[1..]);
            SegmentReader pieces = new(list);
            RefuseBool(ref pieces);
        }
    }

    private static void RefuseBool<TReader>(ref TReader from)
        where TReader : struct, IReader, allows ref struct
    {
        Assert.Equal(OperationStatus.Done, from.Answer(from.TryRead(out bool value)));
        Assert.True(value);
        Assert.Equal(OperationStatus.InvalidData, from.Answer(from.TryRead(out value)));
        Assert.Equal(0, Unsafe.BitCast<bool, byte>(value));
        value = true;
        Assert.Equal(OperationStatus.InvalidData, from.Answer(from.TryRead<BigEndian<bool>, bool>(out value)));
        Assert.Equal(0, Unsafe.BitCast<bool, byte>(value));
        Assert.Equal(1, from.Position);
        from.Advance(1);
        Assert.Equal(OperationStatus.Done, from.Answer(from.TryRead(out value)));
        Assert.False(value);
        value = true;
        Assert.Equal(OperationStatus.NeedMoreData, from.Answer(from.TryRead(out value)));
        Assert.Equal(0, Unsafe.BitCast<bool, byte>(value));
    }

    private static (OperationStatus Status, object? Value) ReadOne<TReader>(ref TReader from, int kind)
        where TReader : struct, IReader, allows ref struct
    {
        switch (kind)
        {
            case 0: return (from.Answer(from.TryReadVarint(out ulong varint)), varint);
            case 1: return (from.Answer(from.TryRead<PackedLength, ulong>(out ulong length)), length);
            case 2: return (from.Answer(from.TryRead<SortableUInt, ulong>(out ulong sortable)), sortable);
            case 3: return (from.Answer(from.TryRead(out bool boolean)), boolean);
            case 4: return (from.Answer(from.TryRead(out int number)), number);
            case 5: return (from.Answer(from.TryReadText(out string? text)), text);
            default: return (from.Answer(from.TryRead<LastUInt, ulong>(out ulong last)), last);
        }
    }

    private static void WriteAll<TAppender>(ref TAppender to)
        where TAppender : struct, IAppender, allows ref struct
    {
        to.Write((byte)1);
        to.Write(true);
        to.Write(-5L);
        to.Write<BigEndian<Guid>, Guid>(s_guid);
        to.WriteVarint(300);
        to.WriteVarint(ulong.MaxValue);
        to.WriteZigZag(-70_000);
        to.Write<PackedLength, ulong>(1 << 20);
        to.Write<SortableUInt, ulong>(1UL << 40);
        to.WriteBlock([1, 2, 3]);
        to.WriteText("aé€😀");
        to.Write<LastUInt, ulong>(1UL << 50);
    }

    private static void ReadAll<TReader>(ref TReader from)
        where TReader : struct, IReader, allows ref struct
    {
        Assert.Equal(1, from.Read<byte>());
        Assert.True(from.Read<bool>());
        Assert.Equal(-5L, from.Read<long>());
        Assert.Equal(s_guid, from.Read<BigEndian<Guid>, Guid>());
        Assert.Equal(300UL, from.ReadVarint());
        Assert.Equal(ulong.MaxValue, from.ReadVarint());
        Assert.Equal(-70_000, from.ReadZigZag());
        Assert.Equal(1UL << 20, from.Read<PackedLength, ulong>());
        Assert.Equal(1UL << 40, from.Read<SortableUInt, ulong>());
        Assert.Equal(3ul, from.Read<PackedLength, ulong>());
        for (byte i = 1; i <= 3; i++) Assert.Equal(i, from.Read<byte>());
        Assert.Equal("aé€😀", from.ReadText());
        if (from.Read<LastUInt, ulong>() != 1UL << 50) throw new DamagedDataException("cut", from.Position);
        Assert.Equal(0, from.Remaining);
    }

    internal static unsafe Span<byte> AtEnd(GuardedMemory guarded, int length) => new(guarded.EndingAtGuard(length), length);

    // The bytes as a sequence of segments of that size, with empty ones among them.
    internal static ReadOnlySequence<byte> Cut(byte[] bytes, int size)
    {
        Piece first = new(default, 0), last = first;
        for (int at = 0; at < bytes.Length; at += size)
        {
            last = last.Then(bytes.AsMemory(at, Math.Min(size, bytes.Length - at)));
            if (at % 3 == 0) last = last.Then(default);
        }
        return new(first, 0, last, last.Memory.Length);
    }

    // The arrays as one sequence.
    internal static ReadOnlySequence<byte> Join(IEnumerable<byte[]> arrays)
    {
        Piece first = new(default, 0), last = first;
        foreach (byte[] array in arrays) last = last.Then(array);
        return new(first, 0, last, last.Memory.Length);
    }

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public Piece(ReadOnlyMemory<byte> memory, long index) => (Memory, RunningIndex) = (memory, index);

        public Piece Then(ReadOnlyMemory<byte> memory)
        {
            Piece next = new(memory, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}
