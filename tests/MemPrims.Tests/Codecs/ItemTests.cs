using System.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Codecs;

public class ItemTests
{
    [Theory]
    [InlineData("00", OperationStatus.Done, false)]
    [InlineData("01", OperationStatus.Done, true)]
    [InlineData("02", OperationStatus.InvalidData, false)]
    [InlineData("FF", OperationStatus.InvalidData, false)]
    [InlineData("", OperationStatus.NeedMoreData, false)]
    public void A_boolean_is_zero_or_one(string hex, OperationStatus expected, bool value)
    {
        Assert.Equal(expected, Item.ReadBoolean(Convert.FromHexString(hex), out bool read, out int consumed));
        Assert.Equal((value, expected == OperationStatus.Done ? 1 : 0), (read, consumed));
    }

    [Fact]
    public void Bytes_and_booleans_take_one_byte()
    {
        byte[] destination = new byte[2];
        Assert.Equal(1, Item.WriteByte(destination, 200));
        Assert.Equal(1, Item.WriteBoolean(destination.AsSpan(1), true));
        Assert.Equal(new byte[] { 200, 1 }, destination);
        Assert.Equal(OperationStatus.Done, Item.ReadByte(destination, out byte value, out int consumed));
        Assert.Equal((200, 1), (value, consumed));
        Assert.Throws<ArgumentException>(() => Item.WriteByte([], 1));
        Assert.Equal(OperationStatus.NeedMoreData, Item.ReadByte([], out _, out _));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(254)]
    [InlineData(255)]
    [InlineData(383)]
    [InlineData(20_000)]
    public void A_block_comes_back_and_every_truncation_needs_more(int length)
    {
        byte[] block = new byte[length];
        Seeds.Random(length).NextBytes(block);
        byte[] bytes = new byte[Item.SizeOfBlock(block)];
        Assert.Equal(bytes.Length, Item.WriteBlock(bytes, block));
        Assert.Equal(OperationStatus.Done, Item.ReadBlock(bytes, out ReadOnlySpan<byte> read, out int consumed));
        Assert.Equal(bytes.Length, consumed);
        Assert.True(read.SequenceEqual(block));
        for (int cut = 0; cut < bytes.Length; cut++)
        {
            Assert.Equal(OperationStatus.NeedMoreData, Item.ReadBlock(bytes.AsSpan(0, cut), out _, out consumed));
            Assert.Equal(0, consumed);
        }
        byte[] tooShort = new byte[bytes.Length - 1];
        Assert.False(Item.TryWriteBlock(tooShort, block, out int written));
        Assert.Equal(0, written);
        Assert.Throws<ArgumentException>(() => Item.WriteBlock(tooShort, block));
        Assert.DoesNotContain(tooShort, b => b != 0);
    }

    [Fact]
    public void A_block_may_lie_where_its_length_goes()
    {
        byte[] buffer = [1, 2, 3, 4, 0];
        Assert.Equal(5, Item.WriteBlock(buffer, buffer.AsSpan(0, 4)));
        Assert.Equal(new byte[] { 4, 1, 2, 3, 4 }, buffer);
    }

    [Fact]
    public void A_length_that_no_memory_can_have_is_invalid_not_waited_for()
    {
        byte[] bytes = new byte[PackedLength.MaxSize];
        PackedLength.Write(bytes, 1UL << 31);
        Assert.Equal(OperationStatus.InvalidData, Item.ReadBlock(bytes, out _, out int consumed));
        Assert.Equal(0, consumed);
    }

    [Theory]
    [InlineData("", "00")]
    [InlineData("aé€😀", "0A61C3A9E282ACF09F9880")]
    public void A_text_is_its_length_in_bytes_and_utf8(string text, string hex)
    {
        byte[] bytes = new byte[Item.SizeOfText(text)];
        Assert.Equal(bytes.Length, Item.WriteText(bytes, text));
        Assert.Equal(hex, Convert.ToHexString(bytes));
        Assert.Equal(OperationStatus.Done, Item.ReadText(bytes, out string? read, out int consumed));
        Assert.Equal((text, bytes.Length), (read, consumed));
        if (text.Length > 0) Assert.Throws<ArgumentException>(() => Item.WriteText(new byte[bytes.Length - 1], text));
    }

    [Theory]
    [InlineData("01FF", OperationStatus.InvalidData)]
    [InlineData("02C3", OperationStatus.NeedMoreData)]
    [InlineData("01C3", OperationStatus.InvalidData)]
    [InlineData("03EDA080", OperationStatus.InvalidData)]
    public void What_is_not_utf8_is_no_text(string hex, OperationStatus expected)
    {
        Assert.Equal(expected, Item.ReadText(Convert.FromHexString(hex), out string? text, out int consumed));
        Assert.Null(text);
        Assert.Equal(0, consumed);
    }

    [Fact]
    public void Half_of_a_surrogate_pair_has_no_bytes()
    {
        byte[] destination = new byte[16];
        Assert.ThrowsAny<ArgumentException>(() => Item.WriteText(destination, "a\uD800b"));
        Assert.DoesNotContain(destination, b => b != 0);
    }
}
