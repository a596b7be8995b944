using System.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Codecs;

// A codec as the tests see it, beside a reader written from its table alone: slow, byte by byte, in 128 bits.
public sealed record NumberCodec(string Name, int MaxSize, Func<ulong, int> Size, NumberCodec.Writer Write,
    NumberCodec.TryWriter TryWrite, NumberCodec.Reader Read,
    NumberCodec.Writer WriteByPointer, Func<byte[], (OperationStatus Status, ulong Value, int Consumed)> Reference, bool EndsItself = true)
{
    public delegate int Writer(Span<byte> destination, ulong value);

    public delegate bool TryWriter(Span<byte> destination, ulong value, out int written);

    public delegate OperationStatus Reader(ReadOnlySpan<byte> source, out ulong value, out int consumed);

    public static unsafe NumberCodec[] All =>
    [
        new("Varint", Varint.MaxSize, Varint.Size, Varint.Write, Varint.TryWrite, Varint.Read,
            (d, v) => { fixed (byte* p = d) return (int)(Varint.Write(p, v) - p); }, ReadVarint),
        new("PackedLength", PackedLength.MaxSize, PackedLength.Size, PackedLength.Write, PackedLength.TryWrite, PackedLength.Read,
            (d, v) => { fixed (byte* p = d) return (int)(PackedLength.Write(p, v) - p); }, ReadPackedLength),
        new("SortableUInt", SortableUInt.MaxSize, SortableUInt.Size, SortableUInt.Write, SortableUInt.TryWrite, SortableUInt.Read,
            (d, v) => { fixed (byte* p = d) return (int)(SortableUInt.Write(p, v) - p); }, ReadSortable),
        new("LastUInt", LastUInt.MaxSize, LastUInt.Size, LastUInt.Write, LastUInt.TryWrite, LastUInt.Read,
            (d, v) => { fixed (byte* p = d) return (int)(LastUInt.Write(p, v) - p); }, ReadLast, EndsItself: false),
    ];

    public static TheoryData<string> Names => [.. All.Select(c => c.Name)];

    public static NumberCodec Named(string name) => All.Single(c => c.Name == name);

    public byte[] Encode(ulong value)
    {
        byte[] bytes = new byte[Size(value)];
        Write(bytes, value);
        return bytes;
    }

    // Values about every length boundary of every codec: powers of two and of 2^7, and these plus 255, one below to one above.
    public static IEnumerable<ulong> Boundaries()
    {
        SortedSet<ulong> values = [0, 1, ulong.MaxValue, ulong.MaxValue - 1, ulong.MaxValue - 255, ulong.MaxValue - 254];
        for (int bit = 0; bit < 64; bit++)
            foreach (ulong about in new[] { 1UL << bit, (1UL << bit) + 255 })
                values.UnionWith([about - 1, about, about + 1]);
        return values;
    }

    private static (OperationStatus, ulong, int) ReadVarint(byte[] source) => ReadGroups(source, 0, lastHasHighBit: false, add: 0);

    private static (OperationStatus, ulong, int) ReadPackedLength(byte[] source) =>
        source is [] ? (OperationStatus.NeedMoreData, 0, 0)
        : source[0] < 255 ? (OperationStatus.Done, source[0], 1)
        : ReadGroups(source, 1, lastHasHighBit: true, add: 255);

    private static (OperationStatus, ulong, int) ReadGroups(byte[] source, int from, bool lastHasHighBit, uint add)
    {
        UInt128 value = add;
        for (int i = 0; from + i < source.Length; i++)
        {
            byte b = source[from + i];
            bool last = b >= 128 == lastHasHighBit;
            value += (UInt128)(uint)(b % 128) << (7 * i);
            bool overlong = last && i > 0 && b % 128 == 0;
            // Ten groups at most; the tenth is the last. And nine leave only one possible tenth.
            UInt128 least = i == 8 && !last ? value + ((UInt128)1 << 63) : value;
            if (overlong || least > ulong.MaxValue || (i == 9 && !last)) return (OperationStatus.InvalidData, 0, 0);
            if (last) return (OperationStatus.Done, (ulong)value, from + i + 1);
        }
        return (OperationStatus.NeedMoreData, 0, 0);
    }

    private static (OperationStatus, ulong, int) ReadSortable(byte[] source)
    {
        if (source is []) return (OperationStatus.NeedMoreData, 0, 0);
        int ones = 0;
        while (ones < 8 && (source[0] & 128 >> ones) != 0) ones++;
        int size = ones + 1;
        UInt128 greatest = ones >= 7 ? 0u : source[0] & (127u >> ones);
        for (int i = 1; i < size; i++) greatest = greatest << 8 | (i < source.Length ? source[i] : 255u);
        UInt128 least = size == 1 ? 0 : (UInt128)1 << (7 * (size - 1));
        if (greatest < least) return (OperationStatus.InvalidData, 0, 0);
        return source.Length < size ? (OperationStatus.NeedMoreData, 0, 0) : (OperationStatus.Done, (ulong)greatest, size);
    }

    private static (OperationStatus, ulong, int) ReadLast(byte[] source)
    {
        if (source.Length > 8 || source is [.., 0]) return (OperationStatus.InvalidData, 0, 0);
        ulong value = 0;
        for (int i = 0; i < source.Length; i++) value += (ulong)source[i] << (8 * i);
        return (OperationStatus.Done, value, source.Length);
    }
}
