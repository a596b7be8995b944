using System.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Codecs;

public class NumberCodecTests
{
    public static TheoryData<string> Codecs => NumberCodec.Names;

    [Theory, MemberData(nameof(Codecs))]
    public void Every_source_of_up_to_two_bytes_reads_as_the_table_says(string codec)
    {
        NumberCodec of = NumberCodec.Named(codec);
        Compare(of, []);
        for (int a = 0; a < 256; a++)
        {
            Compare(of, [(byte)a]);
            for (int b = 0; b < 256; b++)
            {
                Compare(of, [(byte)a, (byte)b]);
                // The same with bytes after it: the reader then works on words.
                Compare(of, [(byte)a, (byte)b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
            }
        }
    }

    [Theory, MemberData(nameof(Codecs))]
    public void Every_boundary_is_written_alike_by_all_three_writers_and_read_back(string codec)
    {
        NumberCodec of = NumberCodec.Named(codec);
        foreach (ulong value in NumberCodec.Boundaries())
        {
            int size = of.Size(value);
            byte[] roomy = Filled(size + 3), byTry = Filled(size + 3), byPointer = Filled(size + 3);
            Assert.Equal(size, of.Write(roomy, value));
            Assert.True(of.TryWrite(byTry, value, out int written));
            Assert.Equal(size, written);
            Assert.Equal(size, of.WriteByPointer(byPointer, value));
            Assert.Equal(roomy, byTry);
            Assert.Equal(roomy, byPointer);
            Assert.Equal(new byte[] { 0xCC, 0xCC, 0xCC }, roomy[size..]);
            byte[] bytes = roomy[..size], exact = new byte[size];
            Assert.True(of.TryWrite(exact, value, out written));
            Assert.Equal(size, written);
            Assert.Equal(bytes, exact);
            Assert.Equal((OperationStatus.Done, value, size), of.Reference(bytes));
            Compare(of, bytes);
            if (of.EndsItself) Compare(of, [.. bytes, 0xFF, 0, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        }
    }

    [Theory, MemberData(nameof(Codecs))]
    public void A_destination_too_short_is_refused_with_nothing_written(string codec)
    {
        NumberCodec of = NumberCodec.Named(codec);
        foreach (ulong value in NumberCodec.Boundaries())
            for (int length = 0; length < of.Size(value); length++)
            {
                byte[] destination = Filled(length);
                Assert.Throws<ArgumentException>(() => of.Write(destination, value));
                Assert.False(of.TryWrite(destination, value, out int written));
                Assert.Equal(0, written);
                Assert.Equal(Filled(length), destination);
            }
    }

    [Theory, MemberData(nameof(Codecs))]
    public void Sizes_grow_with_the_values_and_never_pass_the_most(string codec)
    {
        NumberCodec of = NumberCodec.Named(codec);
        int[] sizes = [.. NumberCodec.Boundaries().Select(of.Size)];
        Assert.Equal(sizes.Order(), sizes);
        Assert.Equal(of.MaxSize, sizes[^1]);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(-1, 1)]
    [InlineData(1, 2)]
    [InlineData(-2, 3)]
    [InlineData(long.MaxValue, ulong.MaxValue - 1)]
    [InlineData(long.MinValue, ulong.MaxValue)]
    public void Signed_numbers_are_folded_as_by_protobuf(long value, ulong folded)
    {
        Assert.Equal(folded, Varint.ZigZag(value));
        Assert.Equal(value, Varint.UnZigZag(folded));
    }

    [Theory]
    [InlineData("FFFFFFFF0F", OperationStatus.Done, uint.MaxValue)]
    [InlineData("FFFFFFFF10", OperationStatus.InvalidData, 0)]
    [InlineData("FFFFFFFF7F", OperationStatus.InvalidData, 0)]
    [InlineData("FFFFFFFF80", OperationStatus.InvalidData, 0)]
    [InlineData("8080808000", OperationStatus.InvalidData, 0)]
    [InlineData("FFFFFFFF", OperationStatus.NeedMoreData, 0)]
    [InlineData("808080808001", OperationStatus.InvalidData, 0)]
    [InlineData("FFFFFFFFFFFFFFFFFF01", OperationStatus.InvalidData, 0)]
    [InlineData("AC02", OperationStatus.Done, 300)]
    public void A_value_of_32_bits_has_five_bytes_at_most(string hex, OperationStatus expected, uint value)
    {
        byte[] source = Convert.FromHexString(hex);
        Assert.Equal(expected, Varint.Read32(source, out uint read, out int consumed));
        Assert.Equal((value, expected == OperationStatus.Done ? source.Length : 0), (read, consumed));
        Assert.Equal(expected, Varint.ReadMany(source, new uint[1], out int consumedByMany, out int count));
        Assert.Equal((consumed, expected == OperationStatus.Done ? 1 : 0), (consumedByMany, count));
    }

    [Theory]
    [InlineData("FFFFFFFF07", OperationStatus.Done, int.MaxValue)]
    [InlineData("8080808008", OperationStatus.InvalidData, 0)]
    [InlineData("FFFFFFFF0F", OperationStatus.InvalidData, 0)]
    [InlineData("FFFFFFFF10", OperationStatus.InvalidData, 0)]
    [InlineData("80", OperationStatus.NeedMoreData, 0)]
    public void A_varint_that_no_int_holds_gives_no_value_and_consumes_nothing(string hex, OperationStatus expected, int value)
    {
        byte[] source = Convert.FromHexString(hex);
        Assert.Equal((expected, value, expected == OperationStatus.Done ? source.Length : 0), Read<Varint>(source));

        static (OperationStatus, int, int) Read<TCodec>(byte[] source)
            where TCodec : ICodec<TCodec, int>
        {
            OperationStatus status = TCodec.Read(source, out int value, out int consumed);
            return (status, value, consumed);
        }
    }

    private static byte[] Filled(int length) => [.. Enumerable.Repeat((byte)0xCC, length)];

    private static void Compare(NumberCodec of, byte[] source)
    {
        OperationStatus status = of.Read(source, out ulong value, out int consumed);
        if (of.Reference(source) != (status, value, consumed))
            Assert.Fail($"{of.Name} read {Convert.ToHexString(source)} as {status} {value} in {consumed}, the table says "
                + $"{of.Reference(source)}");
    }
}
