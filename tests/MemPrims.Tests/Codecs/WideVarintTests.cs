using System.Buffers;
using MemPrims.Codecs;
using MemPrims.Tests.Buffers;

namespace MemPrims.Tests.Codecs;

// 64-bit varints in bulk, held to the same one by one.
public class WideVarintTests
{
    private static ulong Draw(Random random, int kind) => kind switch
    {
        0 => (ulong)random.Next(128),
        1 => (ulong)random.NextInt64() >> random.Next(1, 63),
        2 => random.Next(40) == 0 ? ulong.MaxValue - (ulong)random.Next(9) : (ulong)random.Next(300),
        // Groups of zeros between others.
        3 => (1ul << random.Next(57)) + (ulong)random.Next(2),
        _ => (ulong)random.NextInt64(long.MinValue, long.MaxValue),
    };

    [Fact]
    public void Many_are_what_one_by_one_is()
    {
        Random random = Seeds.Random();
        using GuardedMemory guarded = new(7000);
        for (int round = 0; round < 2000 * Seeds.Scale; round++)
        {
            ulong[] values = [.. Enumerable.Range(0, random.Next(700)).Select(_ => Draw(random, round % 5))];
            byte[] expected = new byte[values.Length * Varint.MaxSize];
            int size = 0;
            foreach (ulong value in values) size += Varint.Write(expected.AsSpan(size), value);
            Span<byte> written = ReaderTests.AtEnd(guarded, size);
            Assert.Equal(OperationStatus.Done, Varint.WriteMany(values, written, out int count, out int bytes));
            Assert.Equal((values.Length, size), (count, bytes));
            Assert.True(written.SequenceEqual(expected.AsSpan(0, size)));
            ulong[] read = new ulong[values.Length];
            Assert.Equal(OperationStatus.Done, Varint.ReadMany(written, read, out int consumed, out count));
            Assert.Equal((size, values.Length), (consumed, count));
            Assert.True(read.AsSpan().SequenceEqual(values));
        }
    }

    [Fact]
    public void Ends_and_damage_are_told_with_what_was_read_before()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 3000 * Seeds.Scale; round++)
        {
            ulong[] values = [.. Enumerable.Range(0, 300).Select(_ => Draw(random, round % 5))];
            byte[] bytes = new byte[3000];
            Varint.WriteMany(values, bytes, out _, out int size);
            int cut = random.Next(size);
            bool damaged = random.Next(2) == 0;
            byte[] source = bytes[..cut];
            if (damaged) source = [.. source, 0x80, 0x80, 0, .. new byte[random.Next(200)]];
            ulong[] read = new ulong[301];
            OperationStatus status = Varint.ReadMany(source, read, out int consumed, out int count);
            int at = 0, whole = 0;
            OperationStatus expected;
            while ((expected = Varint.Read(source.AsSpan(at), out ulong one, out int length)) == OperationStatus.Done
                && whole < read.Length)
            {
                Assert.Equal(one, read[whole++]);
                at += length;
            }
            Assert.Equal((expected == OperationStatus.Done ? OperationStatus.Done : expected, at, whole), (status, consumed, count));
        }
    }

    [Fact]
    public void Every_cut_is_told_with_what_was_whole_before_it()
    {
        Random random = Seeds.Random();
        using GuardedMemory guarded = new(4000);
        for (int kind = 0; kind < 5; kind++)
        {
            ulong[] values = [.. Enumerable.Range(0, 350).Select(_ => Draw(random, kind))], read = new ulong[350];
            byte[] bytes = new byte[3500];
            Varint.WriteMany(values, bytes, out _, out int size);
            int whole = 0, end = 0;
            for (int cut = 0; cut < size; cut++)
            {
                if (end + Varint.Size(values[whole]) <= cut) end += Varint.Size(values[whole++]);
                Span<byte> source = ReaderTests.AtEnd(guarded, cut);
                bytes.AsSpan(0, cut).CopyTo(source);
                Assert.Equal(OperationStatus.NeedMoreData, Varint.ReadMany(source, read, out int consumed, out int count));
                Assert.Equal((end, whole), (consumed, count));
                Assert.True(read.AsSpan(0, whole).SequenceEqual(values.AsSpan(0, whole)));
            }
        }
    }

    [Fact]
    public void A_destination_that_is_too_short_gets_what_fits_whole()
    {
        Random random = Seeds.Random();
        using GuardedMemory guarded = new(4000);
        for (int kind = 0; kind < 5; kind++)
        {
            ulong[] values = [.. Enumerable.Range(0, 350).Select(_ => Draw(random, kind))];
            byte[] bytes = new byte[3500];
            Varint.WriteMany(values, bytes, out _, out int size);
            int whole = 0, end = 0;
            for (int room = 0; room < size; room++)
            {
                if (end + Varint.Size(values[whole]) <= room) end += Varint.Size(values[whole++]);
                Span<byte> destination = ReaderTests.AtEnd(guarded, room);
                Assert.Equal(OperationStatus.DestinationTooSmall, Varint.WriteMany(values, destination, out int count, out int written));
                Assert.Equal((whole, end), (count, written));
                Assert.True(destination[..written].SequenceEqual(bytes.AsSpan(0, written)));
            }
        }
    }
}
