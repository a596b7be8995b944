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
