using System.Text;
using MemPrims.Buffers;

namespace MemPrims.Guard;

/// <summary>Appending to segments and reading; the peers are .NET's writer and reader of a stream.</summary>
internal sealed class BufferRows : IRows
{
    private const int Count = 4096;
    private static readonly SegmentList s_list = new();
    private static readonly MemoryStream s_stream = new(1 << 20);
    private static readonly BinaryWriter s_writer = new(s_stream, Encoding.UTF8);
    private static readonly BinaryReader s_reader = new(s_stream, Encoding.UTF8);
    private static readonly byte[] s_block = Draw.Text("a block of bytes");
    private static readonly Random s_random = new(4);
    private static ulong s_first;

    public IEnumerable<Row> All =>
    [
        new("buffers: Appender, numbers", () => Of(Numbers, WriteNumbers)),
        new("buffers: ReservedAppender, numbers", () => Of(Reserved, WriteNumbers)),
        new("buffers: UnsafeAppender, numbers", () => Of(Unsafe, WriteNumbers)),
        new("buffers: Appender, five fields", () => Of(Fields, WriteFields)),
        new("buffers: SpanReader, five fields", () =>
        {
            Fields();
            byte[] bytes = s_list.ToArray();
            s_first = 0;
            WriteFields();
            return new(Count, () => Read(bytes), ".NET", ReadFields);
        }),
        new("buffers: SegmentReader, five fields", () =>
        {
            Fields();
            s_first = 0;
            WriteFields();
            return new(Count, ReadSegments, ".NET", ReadFields);
        }),
    ];

    private static Work Of(Func<long> ours, Func<long> theirs) =>
        new(Count, ours, ".NET", theirs) { Redraw = () => s_first = (ulong)s_random.Next() };

    private static long Numbers()
    {
        s_list.Clear();
        Appender to = new(s_list);
        for (ulong i = s_first, end = i + Count; i < end; i++) to.Write(i);
        to.Commit();
        return s_list.Length;
    }

    private static long Reserved()
    {
        s_list.Clear();
        ReservedAppender to = new(s_list, Count * sizeof(ulong));
        for (ulong i = s_first, end = i + Count; i < end; i++) to.Write(i);
        to.Commit();
        return s_list.Length;
    }

    private static long Unsafe()
    {
        s_list.Clear();
        UnsafeAppender to = new(s_list, Count * sizeof(ulong));
        for (ulong i = s_first, end = i + Count; i < end; i++) to.Write(i);
        to.Commit();
        return s_list.Length;
    }

    private static long WriteNumbers()
    {
        s_stream.Position = 0;
        for (ulong i = s_first, end = i + Count; i < end; i++) s_writer.Write(i);
        return s_stream.Position;
    }

    private static long Fields()
    {
        s_list.Clear();
        Appender to = new(s_list);
        for (ulong i = s_first, end = i + Count; i < end; i++)
        {
            to.Write((long)i);
            to.WriteVarint(i & 0xFFFF);
            to.WriteBlock(s_block);
            to.Write((byte)i);
            to.Write((double)i);
        }
        to.Commit();
        return s_list.Length;
    }

    private static long WriteFields()
    {
        s_stream.Position = 0;
        for (ulong i = s_first, end = i + Count; i < end; i++)
        {
            s_writer.Write((long)i);
            s_writer.Write7BitEncodedInt64((long)(i & 0xFFFF));
            s_writer.Write7BitEncodedInt(s_block.Length);
            s_writer.Write(s_block);
            s_writer.Write((byte)i);
            s_writer.Write((double)i);
        }
        s_writer.Flush();
        return s_stream.Position;
    }

    private static long Read(byte[] bytes)
    {
        SpanReader from = new(bytes);
        long sum = 0;
        for (int i = 0; i < Count; i++)
            sum += from.Read<long>() + (long)from.ReadVarint() + from.ReadBlock().Length + from.Read<byte>() + (long)from.Read<double>();
        return sum;
    }

    private static long ReadSegments()
    {
        SegmentReader from = new(s_list.AsSequence());
        long sum = 0;
        for (int i = 0; i < Count; i++)
            sum += from.Read<long>() + (long)from.ReadVarint() + from.ReadBlock().Length + from.Read<byte>() + (long)from.Read<double>();
        return sum;
    }

    private static long ReadFields()
    {
        s_stream.Position = 0;
        Span<byte> block = stackalloc byte[16];
        long sum = 0;
        for (int i = 0; i < Count; i++)
        {
            sum += s_reader.ReadInt64() + s_reader.Read7BitEncodedInt64();
            sum += s_reader.Read(block[..s_reader.Read7BitEncodedInt()]) + s_reader.ReadByte() + (long)s_reader.ReadDouble();
        }
        return sum;
    }
}
