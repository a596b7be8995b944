using System.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Codecs;

public class SortableKeyTests
{
    private static readonly long[] s_ints = [long.MinValue, long.MinValue + 1, -(1L << 40), -129, -128, -127, -2, -1, 0, 1, 127, 128,
        1L << 40, long.MaxValue];

    private static readonly double[] s_doubles = [double.NegativeInfinity, double.MinValue, -1.5, -double.Epsilon, 0, double.Epsilon,
        1, Math.PI, double.MaxValue, double.PositiveInfinity];

    private static readonly string[] s_texts = ["", "\0", "\0\0", "\0a", "\u0001", "a", "a\0", "a\0b", "aa", "b", "é", "€", "\uFFFD",
        "😀"];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Bytes_order_as_values_do_and_read_back(bool descending)
    {
        Hold(s_ints, v => Written(b => SortableKey.WriteInt(b, v, descending)),
            b => (SortableKey.ReadInt(b, out long v, out int n, descending), v, n), descending);
        Hold(s_doubles, v => Written(b => SortableKey.WriteDouble(b, v, descending)),
            b => (SortableKey.ReadDouble(b, out double v, out int n, descending), v, n), descending);
        Hold(s_texts, v => Written(b => SortableKey.WriteText(b, v, descending)),
            b => (SortableKey.ReadText(b, out string? v, out int n, descending), v!, n), descending);
        Hold([.. s_texts.Select(System.Text.Encoding.UTF8.GetBytes)], v => Written(b => SortableKey.WriteBlock(b, v, descending)), b =>
        {
            byte[] room = new byte[100];
            OperationStatus status = SortableKey.ReadBlock(b, room, out int n, out int size, descending);
            return (status, room[..size], n);
        }, descending);
    }

    [Fact]
    public void Composite_keys_order_by_their_parts_in_turn()
    {
        Random random = Seeds.Random();
        List<(string Text, long Number, double Real, byte[] Key)> keys = [];
        for (int i = 0; i < 400; i++)
        {
            (string text, long number, double real) = (s_texts[random.Next(s_texts.Length)], s_ints[random.Next(s_ints.Length)],
                s_doubles[random.Next(s_doubles.Length)]);
            byte[] key = [.. Written(b => SortableKey.WriteText(b, text)), .. Written(b => SortableKey.WriteInt(b, number,
                descending: true)), .. Written(b => SortableKey.WriteDouble(b, real))];
            keys.Add((text, number, real, key));
        }
        foreach (var left in keys)
            foreach (var right in keys)
            {
                int expected = Array.IndexOf(s_texts, left.Text).CompareTo(Array.IndexOf(s_texts, right.Text));
                if (expected == 0) expected = right.Number.CompareTo(left.Number);
                if (expected == 0) expected = left.Real.CompareTo(right.Real);
                Assert.Equal(expected, Math.Sign(left.Key.AsSpan().SequenceCompareTo(right.Key)));
            }
    }

    [Fact]
    public void Each_value_has_one_form_and_the_others_are_refused()
    {
        Assert.Equal(Written(b => SortableKey.WriteDouble(b, 0.0)), Written(b => SortableKey.WriteDouble(b, -0.0)));
        byte[] nan = Written(b => SortableKey.WriteDouble(b, double.NaN));
        Assert.Equal(nan, Written(b => SortableKey.WriteDouble(b, BitConverter.Int64BitsToDouble(0x7FF8_0000_0000_0001))));
        Assert.True(nan.AsSpan().SequenceCompareTo(Written(b => SortableKey.WriteDouble(b, double.PositiveInfinity))) > 0);
        Assert.Equal(OperationStatus.Done, SortableKey.ReadDouble(nan, out double read, out _));
        Assert.True(double.IsNaN(read));
        Assert.Equal(OperationStatus.InvalidData, SortableKey.ReadDouble(Convert.FromHexString("7FFFFFFFFFFFFFFF"), out _, out _)); // −0
        Assert.Equal(OperationStatus.InvalidData, SortableKey.ReadInt([0x81, 0], out _, out _));
        Assert.Equal(OperationStatus.InvalidData, SortableKey.ReadInt([0x80, 0x80, 0x01], out _, out _));
        Assert.Equal(OperationStatus.InvalidData, SortableKey.ReadInt(Convert.FromHexString("80FF8000000000000000"), out _, out _));
        Assert.Equal(OperationStatus.InvalidData, SortableKey.ReadBlock([1, 0, 2], new byte[9], out _, out _));
        Assert.Equal(OperationStatus.NeedMoreData, SortableKey.ReadBlock([1, 0], new byte[9], out _, out _));
        Assert.Equal(OperationStatus.DestinationTooSmall, SortableKey.ReadBlock([1, 0, 255, 0, 1], new byte[1], out _, out _));
        Assert.Equal(OperationStatus.InvalidData, SortableKey.ReadText([0xFF, 0, 1], out _, out _));
        string tooShort = Assert.Throws<ArgumentException>(() => SortableKey.WriteText(new byte[3], "ab")).Message;
        Assert.Contains(nameof(SortableKey.SizeOfText), tooShort);
        Assert.Throws<ArgumentException>(() => SortableKey.WriteInt(new byte[1], 1));
    }

    // A destination of just the size is taken, and one that lacks a byte stays as it is.
    [Fact]
    public void Parts_fit_where_just_they_fit()
    {
        HoldFit(room => SortableKey.WriteUInt(room, 70_000));
        HoldFit(room => SortableKey.WriteInt(room, 70_000));
        HoldFit(room => SortableKey.WriteInt(room, -70_000, descending: true));
        HoldFit(room => SortableKey.WriteDouble(room, 1.5));
        HoldFit(room => SortableKey.WriteBlock(room, [1, 0, 2]));
        HoldFit(room => SortableKey.WriteText(room, "ab"));

        static void HoldFit(Func<byte[], int> write)
        {
            byte[] room = new byte[64];
            int size = write(room);
            byte[] fitting = new byte[size], lacking = new byte[size - 1];
            Assert.Equal(size, write(fitting));
            Assert.Equal(room[..size], fitting);
            Assert.Throws<ArgumentException>(() => write(lacking));
            Assert.Equal(new byte[size - 1], lacking);
        }
    }

    private static void Hold<T>(T[] values, Func<T, byte[]> write, Func<byte[], (OperationStatus Status, T Value, int Consumed)> read,
        bool descending)
    {
        byte[][] keys = [.. values.Select(write)];
        for (int i = 0; i < keys.Length; i++)
        {
            Assert.Equal((OperationStatus.Done, keys[i].Length), (read([.. keys[i], 5]).Status, read([.. keys[i], 5]).Consumed));
            Assert.Equal(values[i], read(keys[i]).Value);
            for (int cut = 0; cut < keys[i].Length; cut++) Assert.Equal(OperationStatus.NeedMoreData, read(keys[i][..cut]).Status);
            for (int j = 0; j < keys.Length; j++)
                Assert.Equal(descending ? j.CompareTo(i) : i.CompareTo(j), Math.Sign(keys[i].AsSpan().SequenceCompareTo(keys[j])));
        }
    }

    private delegate int Writer(Span<byte> destination);

    private static byte[] Written(Writer write)
    {
        byte[] room = new byte[100];
        room.AsSpan().Fill(0xCC);
        int size = write(room);
        Assert.Equal(0xCC, room[size]);
        return room[..size];
    }
}
