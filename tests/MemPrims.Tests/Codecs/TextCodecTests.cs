using System.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Codecs;

public class TextCodecTests
{
    [Theory]
    [InlineData("00", OperationStatus.Done, false)]
    [InlineData("01", OperationStatus.Done, true)]
    [InlineData("02", OperationStatus.InvalidData, false)]
    [InlineData("FF", OperationStatus.InvalidData, false)]
    [InlineData("", OperationStatus.NeedMoreData, false)]
    public void A_boolean_is_zero_or_one(string hex, OperationStatus expected, bool value)
    {
        Assert.Equal(expected, LittleEndian<bool>.Read(Convert.FromHexString(hex), out bool read, out int consumed));
        Assert.Equal((value, expected == OperationStatus.Done ? 1 : 0), (read, consumed));
    }

    [Fact]
    public void Fixed_width_values_come_back_in_both_orders_and_every_truncation_needs_more()
    {
        byte[] bytes = new byte[4];
        Assert.Equal(4, LittleEndian<int>.Write(bytes, 0x01020304));
        Assert.Equal(new byte[] { 4, 3, 2, 1 }, bytes);
        Assert.Equal(4, BigEndian<int>.Write(bytes, 0x01020304));
        Assert.Equal(new byte[] { 1, 2, 3, 4 }, bytes);
        Assert.Equal(OperationStatus.Done, BigEndian<int>.Read(bytes, out int value, out int consumed));
        Assert.Equal((0x01020304, 4), (value, consumed));
        for (int cut = 0; cut < bytes.Length; cut++)
        {
            Assert.Equal(OperationStatus.NeedMoreData, BigEndian<int>.Read(bytes.AsSpan(0, cut), out value, out consumed));
            Assert.Equal((0, 0), (value, consumed));
            Assert.Equal(OperationStatus.NeedMoreData, LittleEndian<int>.Read(bytes.AsSpan(0, cut), out value, out consumed));
            Assert.Equal((0, 0), (value, consumed));
            Assert.Throws<ArgumentException>(() => LittleEndian<int>.Write(new byte[cut], 1));
        }
        Assert.Throws<NotSupportedException>(() => LittleEndian<DateTime>.Write(new byte[8], default));
        Assert.Throws<NotSupportedException>(() => LittleEndian<DateTime>.Read(new byte[8], out _, out _));
        Assert.Throws<NotSupportedException>(() => BigEndian<DateTime>.Read(new byte[8], out _, out _));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(254)]
    [InlineData(255)]
    [InlineData(20_000)]
    public void A_text_comes_back_and_every_truncation_needs_more(int length)
    {
        string text = new('é', length / 2);
        byte[] bytes = new byte[Text.Size(text)];
        Assert.Equal(bytes.Length, Text.Write(bytes, text));
        Assert.Equal(OperationStatus.Done, Text.Read(bytes, out string read, out int consumed));
        Assert.Equal((text, bytes.Length), (read, consumed));
        for (int cut = 0; cut < bytes.Length; cut += 1 + cut / 10)
        {
            Assert.Equal(OperationStatus.NeedMoreData, Text.Read(bytes.AsSpan(0, cut), out _, out consumed));
            Assert.Equal(0, consumed);
        }
        byte[] tooShort = new byte[bytes.Length - 1];
        Assert.Throws<ArgumentException>(() => Text.Write(tooShort, text));
        Assert.DoesNotContain(tooShort, b => b != 0);
    }

    [Fact]
    public void Text_that_is_not_UTF_8_or_has_half_of_a_pair_is_refused()
    {
        foreach ((string name, Action use) in ((string, Action)[])[("value", () => Text.Write(new byte[10], "ab\uD800")),
            ("value", () => Text.Size("ab\uD800")), ("text", () => SortableKey.WriteText(new byte[10], "ab\uD800")),
            ("text", () => SortableKey.SizeOfText("ab\uD800"))])
        {
            ArgumentException told = Assert.Throws<ArgumentException>(use);
            Assert.Equal(name, told.ParamName);
            Assert.Contains("U+D800, at 2,", told.Message);
        }
        foreach (string hex in new[] { "01FF", "02C080", "03EDA080", "0180" })
            Assert.Equal(OperationStatus.InvalidData, Text.Read(Convert.FromHexString(hex), out _, out _));
        // A length that no array has: 2^64 − 1.
        byte[] huge = new byte[PackedLength.MaxSize];
        PackedLength.Write(huge, ulong.MaxValue);
        Assert.Equal(OperationStatus.InvalidData, Text.Read(huge, out _, out _));
    }
}
