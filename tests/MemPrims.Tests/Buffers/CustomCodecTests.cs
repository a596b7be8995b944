using System.Buffers;
using System.Buffers.Binary;
using MemPrims.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Buffers;

// Codecs that are declared here and nowhere else: every appender writes them and every reader reads them, also across segments, at every
// cut.
public class CustomCodecTests
{
    // A temperature: tenths of a degree in two bytes.
    private readonly struct Celsius : ICodec<Celsius, double>
    {
        public static string Name => "temperature";

        public static int MaxSize => 2;

        public static int Size(double value) => 2;

        public static int Write(Span<byte> destination, double value)
        {
            BinaryPrimitives.WriteInt16LittleEndian(destination, checked((short)(value * 10)));
            return 2;
        }

        public static OperationStatus Read(ReadOnlySpan<byte> source, out double value, out int consumed)
        {
            (value, consumed) = (0, 0);
            if (!BinaryPrimitives.TryReadInt16LittleEndian(source, out short tenths)) return OperationStatus.NeedMoreData;
            if (tenths < -2732) return OperationStatus.InvalidData;
            (value, consumed) = (tenths / 10.0, 2);
            return OperationStatus.Done;
        }
    }

    // Letters up to a zero: no largest size. And numbers of 300 bytes: more than the longest that is written without a look at its size.
    private readonly struct ZeroEnded : ICodec<ZeroEnded, string>
    {
        public static string Name => "name";

        public static int MaxSize => int.MaxValue;

        public static int Size(string value) => value.Length + 1;

        public static int Write(Span<byte> destination, string value)
        {
            System.Text.Encoding.ASCII.GetBytes(value, destination);
            destination[value.Length] = 0;
            return value.Length + 1;
        }

        public static OperationStatus Read(ReadOnlySpan<byte> source, out string value, out int consumed)
        {
            int end = source.IndexOf((byte)0);
            (value, consumed) = end < 0 ? ("", 0) : (System.Text.Encoding.ASCII.GetString(source[..end]), end + 1);
            return end < 0 ? OperationStatus.NeedMoreData : OperationStatus.Done;
        }
    }

    private readonly struct Wide : ICodec<Wide, byte>
    {
        public static string Name => "wide number";

        public static int MaxSize => 300;

        public static int Size(byte value) => 300;

        public static int Write(Span<byte> destination, byte value)
        {
            destination[..300].Fill(value);
            return 300;
        }

        public static OperationStatus Read(ReadOnlySpan<byte> source, out byte value, out int consumed)
        {
            (value, consumed) = source.Length < 300 ? ((byte)0, 0) : (source[0], 300);
            return source.Length < 300 ? OperationStatus.NeedMoreData
                : source[..300].ContainsAnyExcept(value) ? OperationStatus.InvalidData : OperationStatus.Done;
        }
    }

    // What a wrong codec does: its Size, and what its Write and Read answer.
    private readonly struct Wrong : ICodec<Wrong, (int Size, int Written, int Consumed)>
    {
        public static string Name => "wrong codec";

        public static int MaxSize => 4;

        public static int Size((int Size, int Written, int Consumed) value) => value.Size;

        public static int Write(Span<byte> destination, (int Size, int Written, int Consumed) value) =>
            value.Written == int.MinValue ? throw new FormatException() : value.Written;

        public static OperationStatus Read(ReadOnlySpan<byte> source, out (int Size, int Written, int Consumed) value, out int consumed)
        {
            value = default;
            consumed = source.IsEmpty ? 0 : (sbyte)source[0];
            return OperationStatus.Done;
        }
    }

    private static readonly string s_long = new('x', 700);

    private static void WriteAll<TAppender>(ref TAppender to)
        where TAppender : struct, IAppender, allows ref struct
    {
        to.Write<Celsius, double>(21.5);
        to.Write<ZeroEnded, string>("ab");
        to.Write<Wide, byte>(7);
        to.Write<Varint, ulong>(300);
        to.Write<Varint, uint>(uint.MaxValue);
        to.Write<Varint, int>(int.MaxValue);
        to.Write<PackedLength, ulong>(1000);
        to.Write<SortableUInt, ulong>(1 << 20);
        to.Write<LittleEndian<short>, short>(-2);
        to.Write<BigEndian<int>, int>(5);
        to.Write<Text, string>("grün");
        to.Write<ZeroEnded, string>(s_long);
        to.Write<Celsius, double>(-40);
        to.Write<LastUInt, ulong>(1 << 16);
    }

    private static void ReadAll<TReader>(ref TReader from)
        where TReader : struct, IReader, allows ref struct
    {
        Assert.Equal(21.5, from.Read<Celsius, double>());
        Assert.True(from.TryRead<ZeroEnded, string>(out string name));
        Assert.Equal("ab", name);
        Assert.Equal(7, from.Read<Wide, byte>());
        Assert.Equal(300u, from.Read<Varint, ulong>());
        Assert.Equal(uint.MaxValue, from.Read<Varint, uint>());
        Assert.Equal(int.MaxValue, from.Read<Varint, int>());
        Assert.Equal(1000u, from.Read<PackedLength, ulong>());
        Assert.Equal(1u << 20, from.Read<SortableUInt, ulong>());
        Assert.Equal(-2, from.Read<LittleEndian<short>, short>());
        Assert.Equal(5, from.Read<BigEndian<int>, int>());
        Assert.Equal("grün", from.Read<Text, string>());
        Assert.Equal(s_long, from.Read<ZeroEnded, string>());
        Assert.Equal(-40, from.Read<Celsius, double>());
        Assert.Equal(1u << 16, from.Read<LastUInt, ulong>());
        Assert.Equal(0, from.Remaining);
        Assert.Equal(OperationStatus.Done, from.Status);
    }

    private static byte[] Bytes()
    {
        using SegmentList list = new();
        Appender to = new(list);
        WriteAll(ref to);
        to.Commit();
        return list.ToArray();
    }

    [Fact]
    public void All_three_appenders_write_the_same_bytes_also_where_a_segment_ends()
    {
        byte[] expected = Bytes();
        using SegmentList reserved = new(), unchecked_ = new();
        ReservedAppender exact = new(reserved, expected.Length);
        WriteAll(ref exact);
        Assert.Equal(0, exact.RoomLeft);
        exact.Commit();
        Assert.Equal(expected, reserved.ToArray());
        UnsafeAppender without = new(unchecked_, expected.Length);
        WriteAll(ref without);
        without.Commit();
        Assert.Equal(expected, unchecked_.ToArray());
        // The first segment has 4,096 bytes: it ends before, in and after each value.
        for (int before = 4096 - expected.Length - 1; before <= 4097; before++)
        {
            using SegmentList list = new();
            using Appender to = new(list);
            to.Write(new byte[before]);
            to.Write<Celsius, double>(1);
            to.WriteVarint(ulong.MaxValue);
            to.Write<ZeroEnded, string>("name");
            to.Commit();
            SegmentReader from = new(list);
            from.Advance(before);
            Assert.Equal((1.0, ulong.MaxValue, "name"), (from.Read<Celsius, double>(), from.ReadVarint(), from.Read<ZeroEnded, string>()));
        }
    }

    [Fact]
    public void Both_readers_read_them_at_every_cut()
    {
        byte[] bytes = Bytes();
        SpanReader span = new(bytes);
        ReadAll(ref span);
        for (int cut = 0; cut <= bytes.Length; cut++)
        {
            SegmentReader two = new(InTwo(bytes, cut));
            ReadAll(ref two);
        }
        for (int size = 1; size < 20; size++)
        {
            SegmentReader small = new(ReaderTests.Cut(bytes, size));
            ReadAll(ref small);
        }
    }

    [Fact]
    public void Every_truncation_needs_more_and_does_not_move()
    {
        byte[] bytes = new byte[s_long.Length + 1 + 2 + 300];
        ZeroEnded.Write(bytes, s_long);
        Celsius.Write(bytes.AsSpan(s_long.Length + 1), 3);
        Wide.Write(bytes.AsSpan(s_long.Length + 3), 9);
        for (int cut = 0; cut < bytes.Length; cut++)
        {
            SpanReader span = new(bytes.AsSpan(0, cut));
            ReadUntilItFails(ref span);
            SegmentReader pieces = new(ReaderTests.Cut(bytes[..cut], 7));
            ReadUntilItFails(ref pieces);
            Assert.Equal(span.Position, pieces.Position);
        }

        static void ReadUntilItFails<TReader>(ref TReader from)
            where TReader : struct, IReader, allows ref struct
        {
            bool all = from.TryRead<ZeroEnded, string>(out _) && from.TryRead<Celsius, double>(out _) && from.TryRead<Wide, byte>(out _);
            Assert.False(all);
            Assert.Equal(OperationStatus.NeedMoreData, from.Status);
        }
    }

    [Fact]
    public void What_is_wrong_names_the_codec_and_where()
    {
        byte[] bytes = [1, 0, 0x80];
        DamagedDataException error = Assert.Throws<DamagedDataException>(() =>
        {
            SpanReader from = new(bytes);
            from.Read<byte>();
            from.Read<Celsius, double>();
        });
        Assert.Contains("temperature", error.Message);
        Assert.Equal(1, error.Offset);
        SegmentReader pieces = new(ReaderTests.Cut(bytes, 1));
        pieces.Read<byte>();
        Assert.False(pieces.TryRead<Celsius, double>(out _));
        Assert.Equal((OperationStatus.InvalidData, 1), (pieces.Status, pieces.Position));
    }

    [Fact]
    public void MaxLength_bounds_a_codec_without_a_largest_size()
    {
        byte[] bytes = new byte[11];
        ZeroEnded.Write(bytes, "0123456789");
        foreach (int most in new[] { 0, 5, 10, 11, 12, int.MaxValue })
        {
            OperationStatus expected = most < 11 ? OperationStatus.InvalidData : OperationStatus.Done;
            SpanReader span = new(bytes) { MaxLength = most };
            Assert.Equal(expected, span.Answer(span.TryRead<ZeroEnded, string>(out _)));
            SegmentReader whole = new(new ReadOnlySequence<byte>(bytes)) { MaxLength = most };
            Assert.Equal(expected, whole.Answer(whole.TryRead<ZeroEnded, string>(out _)));
            SegmentReader pieces = new(ReaderTests.Cut(bytes, 3)) { MaxLength = most };
            Assert.Equal(expected, pieces.Answer(pieces.TryRead<ZeroEnded, string>(out _)));
        }
    }

    [Theory]
    [InlineData(4, 5, 100)]
    [InlineData(4, -1, 100)]
    [InlineData(4, int.MaxValue, 100)]
    [InlineData(4, int.MinValue, 100)]
    [InlineData(4, 5, 2)]
    [InlineData(2, 1, 2)]
    [InlineData(2, 3, 2)]
    [InlineData(-1, 0, 2)]
    [InlineData(int.MaxValue, 0, 2)]
    public void A_codec_that_lies_or_throws_closes_the_appender_and_nothing_is_published(int size, int written, int room)
    {
        using SegmentList list = new();
        Assert.ThrowsAny<Exception>(() =>
        {
            using ReservedAppender to = new(list, room);
            to.Write<Wrong, (int, int, int)>((size, written, 0));
        });
        Assert.Throws<InvalidOperationException>(() =>
        {
            using Appender to = new(list);
            to.Write(new byte[4096 - room]);
            try
            {
                to.Write<Wrong, (int, int, int)>((size, written, 0));
                Assert.Fail("Nothing was thrown.");
            }
            catch (Exception e) when (e is InvalidOperationException or FormatException or ArgumentException)
            {
            }
            to.Commit();
        });
        list.Append([1]);
        Assert.Equal(new byte[] { 1 }, list.ToArray());
    }

    [Theory]
    [InlineData(3)]
    [InlineData(-1)]
    [InlineData(127)]
    public void A_codec_that_consumes_what_is_not_there_is_an_error_and_never_reads_on(int consumed)
    {
        byte[] bytes = [(byte)(sbyte)consumed, 0];
        // All three blame the codec, by its name.
        foreach (Action read in (Action[])
            [
                () => new SpanReader(bytes).Read<Wrong, (int, int, int)>(),
                () => new SegmentReader(new ReadOnlySequence<byte>(bytes)).Read<Wrong, (int, int, int)>(),
                () => new SegmentReader(InTwo(bytes, 1)).Read<Wrong, (int, int, int)>(),
            ])
            Assert.Contains(Wrong.Name, Assert.Throws<InvalidOperationException>(read).Message);
    }

    [Fact]
    public void A_codec_with_a_negative_MaxSize_is_named()
    {
        SegmentList list = new();
        foreach (Action use in (Action[])
            [
                () => new SegmentReader(InTwo([1, 2], 1)).Read<Negative, int>(),
                () =>
                {
                    using Appender to = new(list);
                    to.Write<Negative, int>(1);
                },
            ])
            Assert.Contains(Negative.Name, Assert.Throws<InvalidOperationException>(use).Message);
        Assert.Equal(0, list.Length);
    }

    private readonly struct Negative : ICodec<Negative, int>
    {
        public static string Name => "negative number";

        public static int MaxSize => -1;

        public static int Size(int value) => 1;

        public static int Write(Span<byte> destination, int value) => 1;

        public static OperationStatus Read(ReadOnlySpan<byte> source, out int value, out int consumed)
        {
            (value, consumed) = (0, 0);
            return OperationStatus.NeedMoreData;
        }
    }

    private static ReadOnlySequence<byte> InTwo(byte[] bytes, int cut) => ReaderTests.Join([bytes[..cut], bytes[cut..]]);
}
