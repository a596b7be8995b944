using System.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Codecs;

// Many varints at once: the same as one after the other, at guard pages, for every mixture of lengths.
public sealed unsafe class BulkVarintTests
{
    private static readonly NumberCodec s_varint = NumberCodec.Named("Varint");

    [Fact]
    public void Reading_many_is_reading_one_after_the_other() => Child.Run(ReadScenario).AssertSucceeded();

    [Fact]
    public void Writing_many_is_writing_one_after_the_other() => Child.Run(WriteScenario).AssertSucceeded();

    [Fact]
    public void Every_change_of_a_byte_is_found_where_it_is() => Child.Run(ChangeScenario).AssertSucceeded();

    [Fact]
    public void No_values_are_read_and_written_at_once()
    {
        Assert.Equal(OperationStatus.Done, Varint.ReadMany([0x80], [], out int consumed, out int count));
        Assert.Equal((0, 0), (consumed, count));
        Assert.Equal(OperationStatus.NeedMoreData, Varint.ReadMany([], new uint[1], out consumed, out count));
        Assert.Equal((0, 0), (consumed, count));
        Assert.Equal(OperationStatus.Done, Varint.WriteMany([], [], out count, out int written));
        Assert.Equal((0, 0), (count, written));
        Assert.Equal(OperationStatus.DestinationTooSmall, Varint.WriteMany([1], [], out count, out written));
        Assert.Equal((0, 0), (count, written));
    }

    private static void ReadScenario(string[] _)
    {
        using GuardedMemory sourceMemory = new(4096), valueMemory = new(4096);
        foreach (uint[] values in BulkValues.Mixtures(300))
        {
            byte[] bytes = Encode(values);
            for (int length = 0; length <= bytes.Length; length += length < 100 || length > bytes.Length - 20 ? 1 : 7)
                foreach (int room in new[] { values.Length, values.Length / 2, Math.Min(values.Length, 63), Math.Min(values.Length, 1) })
                {
                    CaseNote.Set("read", values.Length, length, room);
                    Check(sourceMemory, valueMemory, bytes.AsSpan(0, length), room);
                }
        }
    }

    private static void ChangeScenario(string[] _)
    {
        using GuardedMemory sourceMemory = new(4096), valueMemory = new(4096);
        foreach (uint[] values in BulkValues.Mixtures(150))
        {
            byte[] bytes = Encode(values);
            for (int at = 0; at < bytes.Length; at++)
                foreach (byte change in new byte[] { 0x80, 0xFF, 0x7F, 0x01, bytes[at], 0x10 })
                {
                    CaseNote.Set("change", values.Length, at, change);
                    byte[] changed = [.. bytes];
                    changed[at] ^= change;
                    Check(sourceMemory, valueMemory, changed, values.Length);
                }
        }
    }

    private static void WriteScenario(string[] _)
    {
        using GuardedMemory valueMemory = new(4096), destinationMemory = new(4096);
        foreach (uint[] values in BulkValues.Mixtures(300))
        {
            byte[] bytes = Encode(values);
            Span<uint> from = new(valueMemory.EndingAtGuard(values.Length * sizeof(uint)), values.Length);
            values.CopyTo(from);
            for (int length = 0; length <= bytes.Length + 3; length += length < 100 || length > bytes.Length - 20 ? 1 : 7)
            {
                CaseNote.Set("write", values.Length, length);
                Span<byte> to = new(destinationMemory.EndingAtGuard(length), length);
                OperationStatus status = Varint.WriteMany(from, to, out int count, out int written);
                int fit = 0, size = 0;
                while (fit < values.Length && size + Varint.Size(values[fit]) <= length) size += Varint.Size(values[fit++]);
                Assert.Equal((fit == values.Length ? OperationStatus.Done : OperationStatus.DestinationTooSmall, fit, size), (status,
                    count, written));
                Assert.True(bytes.AsSpan(0, size).SequenceEqual(to[..written]));
            }
        }
    }

    private static void Check(GuardedMemory sourceMemory, GuardedMemory valueMemory, ReadOnlySpan<byte> bytes, int room)
    {
        Span<byte> source = new(sourceMemory.EndingAtGuard(bytes.Length), bytes.Length);
        bytes.CopyTo(source);
        Span<uint> values = new(valueMemory.EndingAtGuard(room * sizeof(uint)), room);
        OperationStatus status = Varint.ReadMany(source, values, out int consumed, out int count);
        (OperationStatus Status, List<uint> Values, int Consumed) expected = OneByOne(bytes, room);
        Assert.Equal((expected.Status, expected.Consumed, expected.Values.Count), (status, consumed, count));
        Assert.True(values[..count].SequenceEqual(expected.Values.ToArray()));
    }

    // By the table alone: the test's own reader, and 32 bits.
    private static (OperationStatus, List<uint>, int) OneByOne(ReadOnlySpan<byte> bytes, int room)
    {
        List<uint> values = [];
        int at = 0;
        while (values.Count < room)
        {
            (OperationStatus status, ulong value, int consumed) = s_varint.Reference(bytes.Slice(at, Math.Min(10,
                bytes.Length - at)).ToArray());
            bool tooLong = status == OperationStatus.NeedMoreData && bytes.Length - at >= 5;
            if (value > uint.MaxValue || tooLong) status = OperationStatus.InvalidData;
            if (status != OperationStatus.Done) return (status, values, at);
            values.Add((uint)value);
            at += consumed;
        }
        return (OperationStatus.Done, values, at);
    }

    private static byte[] Encode(uint[] values) => [.. values.SelectMany(v => s_varint.Encode(v))];
}
