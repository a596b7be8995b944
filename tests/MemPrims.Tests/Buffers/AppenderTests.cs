using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;
using MemPrims.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Buffers;

// What all three appenders write, and that they write the same.
public class AppenderTests
{
    private enum Colour : ushort { Red = 0x0102 }

    [StructLayout(LayoutKind.Sequential)]
    private struct Padded
    {
        public byte Small;
        public long Large;
    }

    [Fact]
    public void All_three_write_the_same_bytes()
    {
        byte[] expected = Expected();
        SegmentList list = new();
        Appender growing = new(list);
        Write(ref growing);
        Assert.Equal(expected, list.ToArray());
        list.Clear();
        ReservedAppender reserved = new(list, expected.Length);
        Write(ref reserved);
        Assert.Equal(expected, list.ToArray());
        list.Clear();
        UnsafeAppender uncheckedOne = new(list, expected.Length);
        Write(ref uncheckedOne);
        Assert.Equal(expected, list.ToArray());

        static void Write<TAppender>(ref TAppender to)
            where TAppender : struct, IAppender, allows ref struct
        {
            to.Write((byte)1);
            to.Write(true);
            to.Write((short)-2);
            to.Write(Colour.Red);
            to.Write('x');
            to.Write(0x01020304);
            to.Write(1.5);
            to.Write((Int128)(-5));
            to.Write(s_guid);
            to.Write<BigEndian<long>, long>(0x0102030405060708);
            to.Write<BigEndian<ushort>, ushort>(0x0102);
            to.Write<BigEndian<Guid>, Guid>(s_guid);
            to.Write<BigEndian<UInt128>, UInt128>(7);
            to.Write([9, 8, 7]);
            to.WriteUtf8("aé€😀");
            to.WriteBlock([5, 6]);
            to.WriteText("né");
            to.WriteVarint(300);
            to.WriteZigZag(-2);
            to.Write<PackedLength, ulong>(255);
            to.Write<SortableUInt, ulong>(128);
            foreach (uint number in (uint[])[1, 300, uint.MaxValue]) to.WriteVarint(number);
            to.Write<LastUInt, ulong>(256);
            to.Commit();
        }
    }

    [Fact]
    public void A_struct_of_fields_is_written_only_by_the_method_that_says_so()
    {
        SegmentList list = new();
        Appender to = new(list);
        try
        {
            to.Write(new Padded { Small = 1, Large = 2 });
            Assert.Fail("A padded struct was taken.");
        }
        catch (NotSupportedException refused)
        {
            Assert.Contains("AnyBytes", refused.Message);
        }
        Assert.Equal(0, list.Length);
        to = new(list);
        to.Write<AnyBytes<Padded>, Padded>(new() { Small = 1, Large = 2 });
        to.Commit();
        Assert.Equal(16, list.Length);
        Assert.Equal(2, BinaryPrimitives.ReadInt64LittleEndian(list.ToArray().AsSpan(8)));
    }

    [Fact]
    public void An_appender_grows_over_many_segments()
    {
        SegmentList list = new();
        Appender to = new(list);
        for (int i = 0; i < 700_000; i++) to.Write(i);
        byte[] block = new byte[3_000_000];
        Seeds.Random().NextBytes(block);
        to.Write(block);
        to.WriteUtf8(new string('é', 600_000));
        Assert.Equal(7_000_000, to.Position);
        to.Commit();
        byte[] all = list.ToArray();
        Assert.Equal(Enumerable.Range(0, 700_000), MemoryMarshal.Cast<byte, int>(all.AsSpan(0, 2_800_000)).ToArray());
        Assert.True(all.AsSpan(2_800_000, 3_000_000).SequenceEqual(block));
        Assert.Equal(new string('é', 600_000), Encoding.UTF8.GetString(all.AsSpan(5_800_000)));
    }

    [Fact]
    public void Dropped_writes_are_not_published_even_over_several_segments()
    {
        SegmentList list = new();
        list.Append([1, 2, 3]);
        Appender to = new(list);
        for (int i = 0; i < 100_000; i++) to.Write(i);
        to.Dispose();
        ReservedAppender reserved = new(list, 1 << 16);
        reserved.Write(7);
        reserved.Dispose();
        UnsafeAppender uncheckedOne = new(list, 1 << 16);
        uncheckedOne.Write(7);
        uncheckedOne.Dispose();
        list.Append([4]);
        Assert.Equal(new byte[] { 1, 2, 3, 4 }, list.ToArray());
    }

    [Fact]
    public void An_overrun_throws_at_that_write_and_publishes_nothing()
    {
        SegmentList list = new();
        list.Append([1]);
        InvalidOperationException overrun = Assert.Throws<InvalidOperationException>(() =>
        {
            using ReservedAppender to = new(list, 10);
            to.Write(1L);
            to.Write((short)2);
            to.Write((byte)3);
        });
        Assert.Contains("0 bytes left where 1 are written", overrun.Message);
        Assert.Equal(new byte[] { 1 }, list.ToArray());
        ReservedAppender again = new(list, 3);
        again.WriteVarint(300);
        again.WriteVarint(1);
        again.Commit();
        Assert.Equal(new byte[] { 1, 0xAC, 2, 1 }, list.ToArray());
    }

    [Theory]
    [InlineData("block")]
    [InlineData("text")]
    [InlineData("string")]
    [InlineData("varint")]
    [InlineData("packed")]
    [InlineData("sortable")]
    [InlineData("last")]
    [InlineData("hole")]
    [InlineData("value")]
    public void Every_kind_of_write_finds_out_an_overrun(string kind)
    {
        SegmentList list = new();
        Assert.Throws<InvalidOperationException>(() =>
        {
            using ReservedAppender to = new(list, 3);
            to.Write((byte)1);
            to.Write((byte)2);
            switch (kind)
            {
                case "block": to.Write([1, 2]); break;
                case "text": to.WriteUtf8("é"); break;
                case "string": to.WriteText("a"); break;
                case "varint": to.WriteVarint(128); break;
                case "packed": to.Write<PackedLength, ulong>(255); break;
                case "sortable": to.Write<SortableUInt, ulong>(128); break;
                case "last": to.Write<LastUInt, ulong>(256); break;
                case "hole": to.LeaveHole(2); break;
                case "value": to.Append(new Point(1, 2)); break;
            }
        });
        Assert.Equal(0, list.Length);
    }

    private static readonly Guid s_guid = new("00112233-4455-6677-8899-aabbccddeeff");

    private static byte[] Expected()
    {
        MemoryStream stream = new();
        BinaryWriter to = new(stream);
        to.Write((byte)1);
        to.Write(true);
        to.Write((short)-2);
        to.Write((ushort)Colour.Red);
        to.Write((ushort)'x');
        to.Write(0x01020304);
        to.Write(1.5);
        to.Write(-5L);
        to.Write(-1L);
        to.Write(s_guid.ToByteArray());
        to.Write(Convert.FromHexString("0102030405060708" + "0102" + "00112233445566778899AABBCCDDEEFF"
            + "00000000000000000000000000000007"));
        to.Write([9, 8, 7]);
        to.Write(Encoding.UTF8.GetBytes("aé€😀"));
        to.Write(Convert.FromHexString("020506" + "036EC3A9" + "AC02" + "03" + "FF80" + "8080"));
        to.Write(Convert.FromHexString("01AC02FFFFFFFF0F" + "0001"));
        return stream.ToArray();
    }
}
