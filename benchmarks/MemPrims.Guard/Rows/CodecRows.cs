using System.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Guard;

/// <summary>Numbers to bytes and back, one and many; the peer is a plain loop over groups of seven bits.</summary>
internal sealed class CodecRows : IRows
{
    private const int Count = 8192;
    private static readonly uint[] s_values = Draw.Numbers(Count), s_read = new uint[Count];
    private static readonly byte[] s_bytes = new byte[Count * 10];
    private static readonly Random s_random = new(2);

    public IEnumerable<Row> All =>
    [
        new("codecs: varint, write one", () => Of(() => Each(static (to, value) => Varint.Write(to, (ulong)value)), Written)),
        new("codecs: varint, read one", () => Of(Read, ReadBack)),
        new("codecs: varint, write many", () => Of(() => Done(Varint.WriteMany(s_values, s_bytes, out _, out int n), n), Written)),
        new("codecs: varint, read many", () => Of(() => Done(Varint.ReadMany(s_bytes, s_read, out int n, out _), n), ReadBack)),
        new("codecs: batch, write many", () => Of(() => Done(UIntBatch.WriteMany(s_values, s_bytes, out _, out int n), n), Written)),
        new("codecs: sortable, write one", () => Of(() => Each(static (to, value) => SortableUInt.Write(to, value)), Written)),
        new("codecs: last, write one", () => Of(() => Each(static (to, value) => LastUInt.Write(to, value)), Written)),
        new("codecs: batch, read many", () =>
        {
            byte[] batch = new byte[UIntBatch.MaxSize(Count)];
            UIntBatch.WriteMany(s_values, batch, out _, out _);
            return Of(() => Done(UIntBatch.ReadMany(batch, s_read, out int n, out _), n), ReadBack);
        }),
        new("codecs: sortable, read one", () =>
        {
            byte[] sortable = new byte[Count * SortableUInt.MaxSize];
            int length = 0;
            foreach (uint value in s_values) length += SortableUInt.Write(sortable.AsSpan(length), value);
            return new(Count, () =>
            {
                long sum = 0;
                for (int at = 0; at < length;)
                {
                    SortableUInt.Read(sortable.AsSpan(at), out ulong value, out int n);
                    sum += (long)value;
                    at += n;
                }
                return sum;
            });
        }),
    ];

    private delegate int Writes(Span<byte> to, uint value);

    // The numbers change places; what is read was written by the last batch that wrote.
    private static Work Of(Func<long> ours, Func<long> theirs) => new(Count, ours, "loop", theirs)
    {
        Redraw = () =>
        {
            s_random.Shuffle(s_values);
            Written();
        },
    };

    private static long Done(OperationStatus status, int length) =>
        status == OperationStatus.Done ? length : throw new InvalidOperationException(status.ToString());

    private static long Each(Writes write)
    {
        int at = 0;
        foreach (uint value in s_values) at += write(s_bytes.AsSpan(at), value);
        return at;
    }

    private static long Read()
    {
        long sum = 0;
        for (int i = 0, at = 0; i < Count; i++)
        {
            Varint.Read(s_bytes.AsSpan(at), out ulong value, out int n);
            sum += (long)value;
            at += n;
        }
        return sum;
    }

    private static long Written()
    {
        int at = 0;
        foreach (uint value in s_values)
        {
            uint rest = value;
            for (; rest > 127; rest >>= 7) s_bytes[at++] = (byte)(rest | 128);
            s_bytes[at++] = (byte)rest;
        }
        return at;
    }

    private static long ReadBack()
    {
        long sum = 0;
        for (int i = 0, at = 0; i < Count; i++)
        {
            uint value = 0;
            for (int shift = 0; ; shift += 7)
            {
                byte group = s_bytes[at++];
                value |= (uint)(group & 127) << shift;
                if (group < 128) break;
            }
            sum += value;
        }
        return sum;
    }
}
