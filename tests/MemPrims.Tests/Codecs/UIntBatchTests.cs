using System.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Codecs;

public sealed unsafe class UIntBatchTests
{
    [Theory]
    [InlineData(new uint[0], "")]
    [InlineData(new uint[] { 0 }, "0000")]
    [InlineData(new uint[] { 255, 256 }, "04FF0001")]
    [InlineData(new uint[] { 1, 0x100, 0x10000, 0x1000000 }, "E401000100000100000001")]
    [InlineData(new uint[] { 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF }, "E4FFFFFFFFFFFFFFFFFFFF")]
    [InlineData(new uint[] { 1, 2, 3, 4, 500 }, "000101020304F401")]
    public void A_batch_has_these_bytes(uint[] values, string hex)
    {
        byte[] expected = Convert.FromHexString(hex);
        byte[] bytes = new byte[UIntBatch.MaxSize(values.Length)];
        Assert.Equal(OperationStatus.Done, UIntBatch.WriteMany(values, bytes, out int count, out int written));
        Assert.Equal((values.Length, expected.Length), (count, written));
        Assert.Equal(expected, bytes[..written]);
        Assert.Equal(expected.Length, UIntBatch.Size(values));
    }

    [Theory]
    [InlineData("0100", 1, OperationStatus.NeedMoreData, 0, 0)]
    [InlineData("010500", 1, OperationStatus.InvalidData, 0, 0)]
    [InlineData("020500", 1, OperationStatus.NeedMoreData, 0, 0)]
    [InlineData("0400050000", 2, OperationStatus.InvalidData, 1, 2)]
    [InlineData("0407", 1, OperationStatus.InvalidData, 1, 2)]
    [InlineData("0007", 2, OperationStatus.NeedMoreData, 1, 2)]
    [InlineData("1F30", 2, OperationStatus.InvalidData, 0, 0)]
    [InlineData("1007", 2, OperationStatus.InvalidData, 1, 2)]
    [InlineData("00", 5, OperationStatus.NeedMoreData, 0, 0)]
    [InlineData("", 1, OperationStatus.NeedMoreData, 0, 0)]
    [InlineData("", 0, OperationStatus.Done, 0, 0)]
    public void What_is_not_a_batch_is_told_with_the_numbers_before(string hex, int room, OperationStatus expected, int expectedCount,
        int expectedConsumed)
    {
        Assert.Equal(expected, UIntBatch.ReadMany(Convert.FromHexString(hex), new uint[room], out int consumed, out int count));
        Assert.Equal((expectedCount, expectedConsumed), (count, consumed));
    }

    [Fact]
    public void The_most_that_a_batch_takes_is_an_int_or_refused()
    {
        Assert.Equal(0, UIntBatch.MaxSize(0));
        Assert.Equal(5, UIntBatch.MaxSize(1));
        Assert.Equal(17, UIntBatch.MaxSize(4));
        Assert.Throws<ArgumentOutOfRangeException>(() => UIntBatch.MaxSize(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => UIntBatch.MaxSize(int.MaxValue));
        Assert.InRange(UIntBatch.MaxSize(505_290_268), 2_147_483_630, int.MaxValue);
    }

    [Fact]
    public void Batches_of_all_mixtures_keep_inside_the_spans_cut_and_changed_anywhere() => Child.Run(Scenario).AssertSucceeded();

    private static void Scenario(string[] _)
    {
        using GuardedMemory bytesMemory = new(4096), valueMemory = new(4096);
        foreach (uint[] values in BulkValues.Mixtures(150))
        {
            byte[] expected = Encode(values);
            Span<uint> numbers = new(valueMemory.EndingAtGuard(values.Length * sizeof(uint)), values.Length);
            for (int length = Math.Max(0, expected.Length - 70); length <= expected.Length + 2; length++)
            {
                CaseNote.Set("write", values.Length, length);
                values.CopyTo(numbers);
                Span<byte> destination = new(bytesMemory.EndingAtGuard(length), length);
                destination.Fill(0xCC);
                OperationStatus status = UIntBatch.WriteMany(numbers, destination, out int count, out int written);
                bool fits = length >= expected.Length;
                Assert.Equal(fits ? (OperationStatus.Done, values.Length, expected.Length) : (OperationStatus.DestinationTooSmall, 0,
                    0), (status, count, written));
                Assert.True(fits ? destination[..written].SequenceEqual(expected) : !destination.ContainsAnyExcept((byte)0xCC));
            }
            for (int length = 0; length <= expected.Length; length++) Read(expected[..length], values.Length);
            for (int at = 0; at < expected.Length; at++)
                foreach (byte change in new byte[] { 0x01, 0x80, 0xFF, 0x40, expected[at] })
                {
                    byte[] changed = [.. expected];
                    changed[at] ^= change;
                    Read(changed, values.Length);
                }
        }

        void Read(byte[] bytes, int room)
        {
            CaseNote.Set("read", bytes.Length, room);
            Span<byte> source = new(bytesMemory.EndingAtGuard(bytes.Length), bytes.Length);
            bytes.CopyTo(source);
            Span<uint> numbers = new(valueMemory.EndingAtGuard(room * sizeof(uint)), room);
            OperationStatus status = UIntBatch.ReadMany(source, numbers, out int consumed, out int count);
            (OperationStatus Status, List<uint> Values, int Consumed) plain = Decode(bytes, room);
            Assert.Equal((plain.Status, plain.Values.Count, plain.Consumed), (status, count, consumed));
            Assert.True(numbers[..count].SequenceEqual(plain.Values.ToArray()));
        }
    }

    // Both from the table alone.
    private static byte[] Encode(uint[] values)
    {
        byte[][] data = [.. values.Select(v => BitConverter.GetBytes(v)[..(v > 0xFFFFFF ? 4 : v > 0xFFFF ? 3 : v > 0xFF ? 2 : 1)])];
        return [.. data.Chunk(4).Select(four => (byte)four.Select((bytes, i) => (bytes.Length - 1) << (2 * i)).Sum()),
            .. data.SelectMany(bytes => bytes)];
    }

    private static (OperationStatus, List<uint>, int) Decode(byte[] bytes, int room)
    {
        List<uint> values = [];
        int control = (room + 3) / 4, at = control;
        if (bytes.Length < control) return (OperationStatus.NeedMoreData, values, 0);
        OperationStatus status = OperationStatus.Done;
        while (values.Count < room)
        {
            int size = (bytes[values.Count / 4] >> (values.Count % 4 * 2)) % 4 + 1;
            if (at + size > bytes.Length)
            {
                status = OperationStatus.NeedMoreData;
                break;
            }
            uint value = BitConverter.ToUInt32([.. bytes[at..(at + size)], 0, 0, 0, 0], 0);
            if (size > 1 && value < 1u << (8 * size - 8))
            {
                status = OperationStatus.InvalidData;
                break;
            }
            values.Add(value);
            at += size;
        }
        if (room % 4 != 0 && bytes[control - 1] >> (room % 4 * 2) != 0) status = OperationStatus.InvalidData;
        return (status, values, values.Count == 0 ? 0 : at);
    }
}
