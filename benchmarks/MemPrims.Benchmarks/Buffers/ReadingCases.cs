using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>
/// Messages of ten mixed fields, drawn anew before every timed round: five numbers of fixed size, a bool, two varints, a signed one and
/// a block
/// of 8 bytes, which is summed. Read by both readers, by a BinaryReader over a MemoryStream that skips what it need not copy, and by the
/// pointer loop that an engineer writes by hand. That one checks the end once for the fixed fields and once for each other one.
/// </summary>
public sealed class ReadingCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        yield return new("Reading ten mixed fields", "SpanReader", () =>
        {
            ReadingWork work = new();
            Contender[] peers = [new("BinaryReader", work.ByBinaryReader, 4), new("pointer loop", work.ByPointer, 0.77)];
            return new(ReadingWork.Count, new("SpanReader", work.BySpanReader), peers) { Redraw = work.Redraw };
        });
        yield return new("Reading ten mixed fields", "SegmentReader", () =>
        {
            ReadingWork work = new();
            Contender[] peers = [new("BinaryReader", work.ByBinaryReader), new("pointer loop", work.ByPointer)];
            return new(ReadingWork.Count, new("SegmentReader", work.BySegmentReader), peers) { Redraw = work.Redraw };
        });
    }
}

public sealed unsafe class ReadingWork
{
    public const int Count = 8192;

    private readonly SegmentList _list = new();
    private readonly Random _random = new(3);
    private byte[] _bytes = [];
    private BinaryReader _reader = new(Stream.Null);

    public ReadingWork()
    {
        Redraw();
        long sum = ByPointer();
        if (BySpanReader() != sum || ByBinaryReader() != sum || BySegmentReader() != sum)
            throw new InvalidOperationException("The readers disagree.");
    }

    public void Redraw()
    {
        Random random = _random;
        _list.Clear();
        using Appender to = new(_list);
        Span<byte> block = stackalloc byte[8];
        for (int i = 0; i < Count; i++)
        {
            random.NextBytes(block);
            to.Write(random.NextInt64());
            to.Write(random.Next());
            to.Write(random.NextDouble());
            to.Write((ushort)i);
            to.Write((byte)i);
            to.Write(random.Next(2) == 0);
            to.WriteVarint(random.Next(100) < 80 ? random.Next(128) : random.Next(100_000));
            to.WriteVarint(random.Next(128));
            to.WriteZigZag(random.Next(-60, 60));
            to.WriteBlock(block);
        }
        to.Commit();
        _bytes = _list.ToArray();
        _reader = new(new MemoryStream(_bytes));
    }

    public long BySpanReader()
    {
        SpanReader from = new(_bytes);
        long sum = 0;
        for (int i = 0; i < Count; i++)
        {
            sum += from.Read<long>() + from.Read<int>() + (long)from.Read<double>();
            sum += from.Read<ushort>() + from.Read<byte>() + (from.Read<bool>() ? 1 : 0);
            sum += (long)from.ReadVarint() + (long)from.ReadVarint() + from.ReadZigZag();
            if (!from.TryReadBlock(out ReadOnlySpan<byte> block))
                throw new InvalidOperationException();
            sum += Unsafe.ReadUnaligned<long>(ref MemoryMarshal.GetReference(block));
        }
        return sum;
    }

    public long BySegmentReader()
    {
        SegmentReader from = new(_list.AsSequence());
        Span<byte> block = stackalloc byte[8];
        long sum = 0;
        for (int i = 0; i < Count; i++)
        {
            sum += from.Read<long>() + from.Read<int>() + (long)from.Read<double>();
            sum += from.Read<ushort>() + from.Read<byte>() + (from.Read<bool>() ? 1 : 0);
            sum += (long)from.ReadVarint() + (long)from.ReadVarint() + from.ReadZigZag();
            if (!from.TryReadBlock(block, out _)) throw new InvalidOperationException();
            sum += Unsafe.ReadUnaligned<long>(ref block[0]);
        }
        return sum;
    }

    public long ByBinaryReader()
    {
        BinaryReader from = _reader;
        from.BaseStream.Position = 0;
        long sum = 0;
        for (int i = 0; i < Count; i++)
        {
            sum += from.ReadInt64() + from.ReadInt32() + (long)from.ReadDouble();
            sum += from.ReadUInt16() + from.ReadByte() + (from.ReadBoolean() ? 1 : 0);
            sum += from.Read7BitEncodedInt64() + from.Read7BitEncodedInt64() + Varint.UnZigZag((ulong)from.Read7BitEncodedInt64());
            if (from.ReadByte() != 8) throw new InvalidOperationException();
            sum += from.ReadInt64();
        }
        return sum;
    }

    public long ByPointer()
    {
        long sum = 0;
        fixed (byte* start = _bytes)
        {
            byte* at = start, end = start + _bytes.Length;
            for (int i = 0; i < Count; i++)
            {
                if (end - at < 24) throw new InvalidOperationException();
                sum += *(long*)at + *(int*)(at + 8) + (long)*(double*)(at + 12) + *(ushort*)(at + 20) + at[22] + (at[23] != 0 ? 1 : 0);
                at += 24;
                sum += (long)Number(ref at, end) + (long)Number(ref at, end) + Varint.UnZigZag(Number(ref at, end));
                if (end - at < 9 || *at++ != 8) throw new InvalidOperationException();
                sum += *(long*)at;
                at += 8;
            }
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Number(ref byte* at, byte* end)
    {
        ulong value = 0;
        for (int shift = 0; shift < 70 && at < end; shift += 7)
        {
            byte group = *at++;
            value |= (ulong)(group & 0x7F) << shift;
            if (group < 0x80) return value;
        }
        throw new InvalidOperationException();
    }
}
