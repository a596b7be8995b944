using System.Numerics;

namespace MemPrims.Tests.Codecs;

// A reader and a writer of PACKED-IDS.md that follow from this page alone, slowly; what is read is held in big numbers.
internal static class PackedIdsLayout
{
    private const int Block = 257;

    // The ids and where the list ends; null where the bytes are no list.
    public static (ulong[] Ids, int Size)? Read(ReadOnlySpan<byte> source, BigInteger most)
    {
        Bits bits = new(source.ToArray());
        if (bits.Varint() is not { } count || count > 1 << 24) return null;
        if (count == 0) return ([], bits.At);
        if (bits.Varint() is not { } first || first > most) return null;
        if (count == 1) return ([first], bits.At);
        int blocks = (int)((count + 256) / Block);
        if (bits.Numbers(6, 7, 1, 2) is not [int shift, int stepBits, int apart, 0]) return null;
        if (stepBits + shift > 64 || blocks == 1 && stepBits + apart > 0) return null;
        int[] widths = new int[blocks];
        if (bits.Numbers([.. Enumerable.Repeat(8, apart == 1 ? blocks : Math.Min(blocks, 2))]) is not { } given) return null;
        for (int i = 0; i < blocks; i++) widths[i] = apart == 1 || i == 0 ? given[i] : i == blocks - 1 ? given[1] : given[0];
        if (blocks > 1 && apart == 0) widths[^1] = given[1];
        BigInteger least = 0;
        BigInteger[] steps = [];
        if (blocks > 1)
        {
            if (bits.Varint() is not { } step || step < Block) return null;
            least = step;
            if (bits.Values([.. Enumerable.Repeat(stepBits, blocks - 1)]) is not { } read) return null;
            steps = read;
        }
        List<ulong> ids = [];
        BigInteger start = first;
        for (int i = 0; i < blocks; i++)
        {
            int gaps = Math.Min(Block, (int)count - i * Block) - 1, width = widths[i] & 127, exceptions = 0, extra = 0;
            if (widths[i] > 127)
            {
                if (bits.Numbers(8, 8) is not { } two) return null;
                (exceptions, extra) = (two[0], two[1]);
                if (exceptions == 0 || exceptions > gaps || extra == 0) return null;
            }
            if (shift + width + extra > 64 || gaps == 0 && widths[i] != 0) return null;
            if (bits.Values([.. Enumerable.Repeat(width, gaps), .. Enumerable.Repeat(8, exceptions),
                .. Enumerable.Repeat(extra, exceptions)]) is not { } values) return null;
            for (int e = 0; e < exceptions; e++)
            {
                int place = (int)values[gaps + e];
                if (place >= gaps || e > 0 && place <= values[gaps + e - 1] || values[gaps + exceptions + e].IsZero) return null;
                values[place] += values[gaps + exceptions + e] << width;
            }
            BigInteger id = start;
            for (int g = -1; g < gaps; g++)
            {
                if (g >= 0) id += (values[g] + 1) << shift;
                if (id > most) return null;
                ids.Add((ulong)id);
            }
            if (i == blocks - 1) break;
            start += (least + steps[i]) << shift;
            if (start > most || start <= id) return null;
        }
        return ([.. ids], bits.At);
    }

    // The bytes of a list in the one form that the writer gives it.
    public static byte[] Write(ReadOnlySpan<ulong> ids)
    {
        List<byte> bytes = [.. Varint((ulong)ids.Length)];
        if (ids.Length > 0) bytes.AddRange(Varint(ids[0]));
        if (ids.Length < 2) return [.. bytes];
        ulong any = 0;
        for (int i = 1; i < ids.Length; i++) any |= ids[i] - ids[i - 1];
        int shift = BitOperations.TrailingZeroCount(any), blocks = (ids.Length + 256) / Block;
        List<byte> widths = [], data = [];
        List<ulong> steps = [];
        for (int i = 0; i < blocks; i++)
        {
            ReadOnlySpan<ulong> block = ids.Slice(i * Block, Math.Min(Block, ids.Length - i * Block));
            if (i > 0) steps.Add((block[0] - ids[(i - 1) * Block]) >> shift);
            ulong[] gaps = new ulong[block.Length - 1];
            for (int g = 0; g < gaps.Length; g++) gaps[g] = ((block[g + 1] - block[g]) >> shift) - 1;
            int length = gaps.Max(g => (int?)Length(g)) ?? 0;
            (int Bits, int Width) best = (gaps.Length * length, length);
            for (int w = length - 1; w >= 0; w--)
            {
                int cost = gaps.Length * w + 16 + gaps.Count(g => Length(g) > w) * (8 + length - w);
                if (cost < best.Bits) best = (cost, w);
            }
            int width = best.Width, extra = length - width;
            ulong[] over = [.. gaps.Where(g => Length(g) > width)];
            widths.Add((byte)(width | (extra > 0 ? 128 : 0)));
            if (extra > 0) data.AddRange([(byte)over.Length, (byte)extra]);
            // Of a number, its first bits are written. Where there are others, the width is below 64.
            data.AddRange(Packed([.. gaps.Select(g => (g, width)),
                .. gaps.Index().Where(g => extra > 0 && Length(g.Item) > width).Select(g => ((ulong)g.Index, 8)),
                .. over.Where(_ => extra > 0).Select(g => (g >> width, extra))]));
        }
        bool apart = widths.SkipLast(1).Distinct().Count() > 1;
        ulong least = steps.Count > 0 ? steps.Min() : 0;
        int stepBits = steps.Count > 0 ? Length(steps.Max() - least) : 0;
        bytes.AddRange(BitConverter.GetBytes((ushort)(shift | stepBits << 6 | (apart ? 1 << 13 : 0))));
        bytes.AddRange(apart || blocks < 2 ? widths : [widths[0], widths[^1]]);
        if (blocks > 1) bytes.AddRange([.. Varint(least), .. Packed([.. steps.Select(s => (s - least, stepBits))])]);
        return [.. bytes, .. data];
    }

    private static int Length(ulong value) => 64 - BitOperations.LeadingZeroCount(value);

    private static byte[] Varint(ulong value) => NumberCodec.Named("Varint").Encode(value);

    private static byte[] Packed(params (ulong Value, int Width)[] numbers)
    {
        byte[] bytes = new byte[(numbers.Sum(n => n.Width) + 7) / 8];
        int at = 0;
        foreach ((ulong value, int width) in numbers)
            for (int bit = 0; bit < width; bit++, at++)
                if ((value >> bit & 1) != 0) bytes[at / 8] |= (byte)(1 << at % 8);
        return bytes;
    }

    private sealed class Bits(byte[] source)
    {
        public int At { get; private set; }

        public ulong? Varint()
        {
            var (status, value, consumed) = NumberCodec.Named("Varint").Reference(source[At..Math.Min(source.Length, At + 12)]);
            At += consumed;
            return status == System.Buffers.OperationStatus.Done ? value : null;
        }

        public int[]? Numbers(params int[] widths) => Values(widths)?.Select(value => (int)value).ToArray();

        public BigInteger[]? Values(int[] widths)
        {
            int total = widths.Sum(), size = (total + 7) / 8, bit = 8 * At;
            if (At + size > source.Length) return null;
            BigInteger[] values = new BigInteger[widths.Length];
            for (int i = 0; i < widths.Length; bit += widths[i++]) values[i] = Number(bit, widths[i]);
            if (Number(bit, 8 * (At + size) - bit) != 0) return null;
            At += size;
            return values;

            BigInteger Number(int bit, int width) => width == 0 ? 0
                : (new BigInteger(source.AsSpan(bit / 8, (bit % 8 + width + 7) / 8), isUnsigned: true) >> (bit % 8))
                    & ((BigInteger.One << width) - 1);
        }
    }
}
