using System.Buffers;
using System.Reflection;
using MemPrims.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Buffers;

// The overloads for the types that people have, and the pairs: TryReadX and ReadX, WriteX and ReadX.
public class OverloadTests
{
    [Fact]
    public void Signed_lengths_are_written_as_unsigned_ones_and_negative_ones_are_refused()
    {
        byte[] place = new byte[10], other = new byte[10];
        foreach (long value in new[] { 0, 1, 127, 128, 254, 255, 300, 1 << 14, int.MaxValue, 1L << 35, long.MaxValue })
        {
            Assert.Equal(Varint.Size((ulong)value), Varint.Size(value));
            Assert.Equal(Varint.Write(other, (ulong)value), Varint.Write(place, value));
            Assert.Equal(other, place);
            Assert.True(Varint.TryWrite(place, value, out int written));
            Assert.Equal(Varint.Size(value), written);
            Assert.False(Varint.TryWrite(place.AsSpan(0, written - 1), value, out _));
            Assert.Equal(PackedLength.Size((ulong)value), PackedLength.Size(value));
            Assert.Equal(PackedLength.Write(other, (ulong)value), PackedLength.Write(place, value));
            Assert.Equal(other, place);
            Assert.True(PackedLength.TryWrite(place, value, out written));
            Assert.Equal(PackedLength.Size(value), written);
        }
        int length = 300;
        uint narrow = 300;
        Assert.Equal(2, Varint.Write(place, length));
        Assert.Equal(2, Varint.Write(place, narrow));
        Assert.Equal(2, Varint.Size(narrow));
        Assert.True(Varint.TryWrite(place, narrow, out _));
        byte[] untouched = new byte[10];
        foreach (long value in new[] { -1, int.MinValue, long.MinValue })
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => Varint.Size(value));
            Assert.Throws<ArgumentOutOfRangeException>(() => Varint.Write(untouched, value));
            Assert.Throws<ArgumentOutOfRangeException>(() => Varint.TryWrite(untouched, value, out _));
            Assert.Throws<ArgumentOutOfRangeException>(() => PackedLength.Size(value));
            Assert.Throws<ArgumentOutOfRangeException>(() => PackedLength.Write(untouched, value));
            Assert.Throws<ArgumentOutOfRangeException>(() => PackedLength.TryWrite(untouched, value, out _));
        }
        Assert.Equal(new byte[10], untouched);
    }

    [Fact]
    public void A_varint_read_as_32_bits_is_held_to_them()
    {
        byte[] place = new byte[10];
        foreach (ulong value in new ulong[] { 0, 127, 128, int.MaxValue, 1UL << 31, uint.MaxValue, 1UL << 32, ulong.MaxValue })
        {
            byte[] bytes = place.AsSpan(0, Varint.Write(place, value)).ToArray();
            OperationStatus asUInt = value <= uint.MaxValue ? OperationStatus.Done : OperationStatus.InvalidData;
            OperationStatus asInt = value <= int.MaxValue ? OperationStatus.Done : OperationStatus.InvalidData;
            SpanReader span = new(bytes);
            Assert.Equal((asInt, asInt == OperationStatus.Done ? (int)value : 0),
                (span.Answer(span.TryReadVarintInt32(out int narrow)), narrow));
            Assert.Equal(asInt == OperationStatus.Done ? bytes.Length : 0, span.Position);
            SegmentReader pieces = new(ReaderTests.Cut([.. bytes, 1], 1));
            Assert.Equal(asUInt, pieces.Answer(pieces.TryReadVarintUInt32(out uint unsigned)));
            Assert.Equal(asUInt == OperationStatus.Done ? ((uint)value, bytes.Length) : (0, 0), (unsigned, (int)pieces.Position));
            pieces.Position = 0;
            Assert.Equal(asInt, pieces.Answer(pieces.TryReadVarintInt32(out narrow)));
            if (asInt == OperationStatus.Done) continue;
            Assert.Throws<DamagedDataException>(() =>
            {
                SpanReader from = new(bytes);
                from.ReadVarintInt32();
            });
        }
        SpanReader cutOff = new([0x80]);
        Assert.Equal(OperationStatus.NeedMoreData, cutOff.Answer(cutOff.TryReadVarintInt32(out _)));
    }

    [Fact]
    public void Unsigned_parts_of_keys_order_in_both_directions()
    {
        Random random = Seeds.Random();
        byte[] left = new byte[9], right = new byte[9];
        for (int i = 0; i < 100_000; i++)
        {
            ulong a = (ulong)random.NextInt64() << 1 >> random.Next(64);
            ulong b = random.Next(4) == 0 ? a + 1 : (ulong)random.NextInt64() >> random.Next(64);
            ReadOnlySpan<byte> up = left.AsSpan(0, SortableKey.WriteUInt(left, a));
            ReadOnlySpan<byte> other = right.AsSpan(0, SortableKey.WriteUInt(right, b));
            Assert.Equal(Math.Sign(a.CompareTo(b)), Math.Sign(up.SequenceCompareTo(other)));
            ReadOnlySpan<byte> down = left.AsSpan(0, SortableKey.WriteUInt(left, a, descending: true));
            other = right.AsSpan(0, SortableKey.WriteUInt(right, b, descending: true));
            Assert.Equal(Math.Sign(b.CompareTo(a)), Math.Sign(down.SequenceCompareTo(other)));
            Assert.Equal(OperationStatus.Done, SortableKey.ReadUInt(down, out ulong read, out int consumed, descending: true));
            Assert.Equal((a, down.Length), (read, consumed));
            for (int cut = 0; cut < down.Length; cut++)
                Assert.NotEqual(OperationStatus.Done, SortableKey.ReadUInt(down[..cut], out _, out _, descending: true));
        }
        Assert.Throws<ArgumentException>(() => SortableKey.WriteUInt(new byte[1], 300, descending: true));
    }

    [Fact]
    public void Each_TryRead_has_a_Read_that_throws()
    {
        string[] Names(Type type, string prefix) => [.. type.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance
            | BindingFlags.DeclaredOnly).Where(m => m.Name.StartsWith(prefix, StringComparison.Ordinal)).Select(Signature)];
        foreach (Type type in new[] { typeof(ReaderItems), typeof(SpanReader), typeof(SegmentReader) })
        {
            string[] tries = Names(type, "TryRead"), reads = Names(type, "Read");
            Assert.NotEmpty(tries);
            // A copy of a block by SegmentReader has no Read. ReadVarint is a member of IReader.
            Assert.Empty(tries.Select(name => name["Try".Length..]).Except(reads).Except(["ReadBlock(Span`1)", "ReadVarint(TReader&)"]));
        }

        // Without out parameters: these are what Read returns.
        static string Signature(MethodInfo method) => $"{method.Name}({string.Join(", ", method.GetParameters()
            .Where(p => !p.IsOut).Select(p => p.ParameterType.Name))})";
    }

    [Fact]
    public void Every_read_that_throws_does_so_at_the_end_of_its_source_and_does_not_move()
    {
        // One for each public Read of ReaderItems and of IReader, and six codecs without a name of their own.
        const int Reads = 12;
        Assert.Equal(Reads, 5 + typeof(ReaderItems).GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly)
            .Concat(typeof(IReader).GetMethods()).Count(m => m.Name.StartsWith("Read", StringComparison.Ordinal)));
        for (int kind = 0; kind < Reads; kind++)
        {
            // All bytes that are left are the last number: too many of them, and not too few, are wrong.
            byte[] source = new byte[kind == 0 ? 9 : 0];
            SpanReader span = new(source);
            Assert.True(Throws(ref span, kind), $"Read {kind} of a span");
            Assert.Equal(0, span.Position);
            SegmentReader pieces = new(ReaderTests.Cut(source, 2));
            Assert.True(Throws(ref pieces, kind), $"Read {kind} of a sequence");
            Assert.Equal(0, pieces.Position);
        }

        static bool Throws<TReader>(ref TReader from, int kind)
            where TReader : struct, IReader, allows ref struct
        {
            try
            {
                ReadOne(ref from, kind);
            }
            catch (DamagedDataException)
            {
                return true;
            }
            return false;
        }
    }

    private static void ReadOne<TReader>(ref TReader from, int kind)
        where TReader : struct, IReader, allows ref struct
    {
        switch (kind)
        {
            case 0: from.Read<LastUInt, ulong>(); break;
            case 1: from.Read<int>(); break;
            case 2: from.Read<BigEndian<int>, int>(); break;
            case 3: from.Read<AnyBytes<int>, int>(); break;
            case 4: from.ReadVarint(); break;
            case 5: from.ReadVarintUInt32(); break;
            case 6: from.ReadVarintInt32(); break;
            case 7: from.ReadZigZag(); break;
            case 8: from.Read<PackedLength, ulong>(); break;
            case 9: from.Read<SortableUInt, ulong>(); break;
            case 10: from.ReadText(); break;
            default: from.Read<Text, string>(); break;
        }
    }

    [Fact]
    public void Reads_that_throw_say_what_where_and_why_and_do_not_move()
    {
        (string Says, Action Read)[] cases =
        [
            ("ends inside the block at position 0", static () => new SpanReader([5, 1]).ReadBlock()),
            ("ends inside the block at position 0", static () => new SegmentReader(ReaderTests.Cut([5, 1], 1)).ReadBlock()),
            ("ends inside the run of bytes", static () => new SpanReader([5, 1]).ReadBytes(3)),
            ("ends inside the run of bytes", static () => new SegmentReader(ReaderTests.Cut([5, 1], 1)).ReadBytes(3)),
            ("not a valid text, in the one form that is written, or are more than the reader's MaxLength",
                static () => new SpanReader([1, 0xFF]).ReadText()),
            ("not a valid Boolean", static () => new SpanReader([2]).Read<bool>()),
            ("not a valid varint, in the one form", static () => { SpanReader from = new([0x80, 0]); from.ReadVarint(); }),
        ];
        foreach ((string says, Action read) in cases) Assert.Contains(says, Assert.Throws<DamagedDataException>(read).Message);
        SpanReader reader = new([3, (byte)'a', (byte)'b', (byte)'c', 2, 8, 9, 1, 2]);
        Assert.Equal("abc", reader.ReadText());
        Assert.Equal([8, 9], reader.ReadBlock().ToArray());
        Assert.Equal([1, 2], reader.ReadBytes(2).ToArray());
        SegmentReader pieces = new(ReaderTests.Cut([3, (byte)'a', (byte)'b', (byte)'c', 2, 8, 9, 1, 2], 2));
        Assert.Equal("abc", pieces.ReadText());
        Assert.Equal([8, 9], pieces.ReadBlock().ToArray());
        Assert.Equal([1, 2], pieces.ReadBytes(2).ToArray());
    }

    [Fact]
    public void A_list_is_read_without_asking_for_its_sequence()
    {
        SegmentList list = new();
        list.Append(new byte[5000]);
        list.Append([7]);
        SegmentReader from = new(list);
        from.Advance(5000);
        Assert.Equal((byte)7, from.Read<byte>());
    }

    [Fact]
    public void A_ninth_byte_of_zero_is_overlong_whatever_follows()
    {
        Random random = Seeds.Random();
        byte[] source = new byte[20];
        for (int length = 9; length <= 20; length++)
            for (int i = 0; i < 200; i++)
            {
                random.NextBytes(source);
                for (int at = 0; at < 8; at++) source[at] |= 0x80;
                source[8] = 0;
                Assert.Equal(OperationStatus.InvalidData, Varint.Read(source.AsSpan(0, length), out _, out int consumed));
                Assert.Equal(0, consumed);
                Assert.Equal(OperationStatus.InvalidData, Varint.ReadMany(source.AsSpan(0, length), new ulong[1], out _, out int count));
                Assert.Equal(0, count);
                // The same groups after FF, with the high bits the other way round.
                byte[] packed = [0xFF, .. source.AsSpan(0, length)];
                for (int at = 1; at <= 8; at++) packed[at] &= 0x7F;
                packed[9] = 0x80;
                Assert.Equal(OperationStatus.InvalidData, PackedLength.Read(packed, out _, out consumed));
            }
    }

    [Fact]
    public void One_long_value_among_short_ones_is_written_whole_at_each_place()
    {
        byte[] expected = new byte[400], place = new byte[400];
        for (int at = 0; at < 64; at++)
            foreach (uint value in new uint[] { 127, 128, 255, 256, 300, 65_536, 1 << 28, uint.MaxValue })
            {
                uint[] values = [.. Enumerable.Range(0, 64).Select(i => (uint)i)];
                values[at] = value;
                int size = 0;
                foreach (uint v in values) size += Varint.Write(expected.AsSpan(size), v);
                Varint.WriteMany(values, place, out int count, out int written);
                Assert.Equal((64, size), (count, written));
                Assert.True(place.AsSpan(0, size).SequenceEqual(expected.AsSpan(0, size)));
                if (System.Runtime.Intrinsics.Vector128.IsHardwareAccelerated) ByShuffles(values, expected);
            }
    }

    // The kernel of AVX2 and below, which wider tiers never take.
    private static unsafe void ByShuffles(uint[] values, byte[] expected)
    {
        byte[] place = new byte[400];
        fixed (uint* from = values)
        fixed (byte* to = place)
        {
            uint* next = from;
            byte* at = to;
            VarintShuffle.Write(ref next, from + values.Length, ref at, to + place.Length);
            Assert.Equal(values.Length, (int)(next - from));
            Assert.True(new Span<byte>(to, (int)(at - to)).SequenceEqual(expected.AsSpan(0, (int)(at - to))));
        }
    }
}
