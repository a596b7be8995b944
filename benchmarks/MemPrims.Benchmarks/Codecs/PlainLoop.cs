using System.Buffers.Binary;
using System.Numerics;

namespace MemPrims.Benchmarks.Codecs;

/// <summary>
/// The varint that everybody writes: a loop over a span. It checks nothing but the bounds, which the runtime does, and the tenth byte.
/// </summary>
public static class PlainLoop
{
    public static int Write(Span<byte> destination, ulong value)
    {
        int i = 0;
        for (; value >= 0x80; value >>= 7) destination[i++] = (byte)(value | 0x80);
        destination[i++] = (byte)value;
        return i;
    }

    /// <summary>One byte by a branch; up to eight by one store of eight bytes, which writes over what lies behind.</summary>
    public static int WriteByShifts(Span<byte> destination, ulong value)
    {
        if (value < 0x80)
        {
            destination[0] = (byte)value;
            return 1;
        }
        if (value >= 1ul << 56 || destination.Length < sizeof(ulong)) return Write(destination, value);
        ulong x = value & 0x0FFF_FFFF | (value & 0x00FF_FFFF_F000_0000) << 4;
        x = x & 0x0000_3FFF_0000_3FFF | (x & 0x0FFF_C000_0FFF_C000) << 2;
        x = x & 0x007F_007F_007F_007F | (x & 0x3F80_3F80_3F80_3F80) << 1;
        int size = (BitOperations.Log2(value) * 9 + 73) >> 6;
        BinaryPrimitives.WriteUInt64LittleEndian(destination, x | 0x8080_8080_8080_8080 & (1ul << (8 * size - 8)) - 1);
        return size;
    }

    public static ulong Read(ReadOnlySpan<byte> source, out int consumed)
    {
        ulong value = 0;
        for (int i = 0, shift = 0; shift < 70; i++, shift += 7)
        {
            byte group = source[i];
            value |= (ulong)(group & 0x7F) << shift;
            if (group < 0x80)
            {
                consumed = i + 1;
                return value;
            }
        }
        throw new FormatException("The varint is longer than ten bytes.");
    }
}
